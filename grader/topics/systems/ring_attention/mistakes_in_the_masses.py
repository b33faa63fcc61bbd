"""Known wrong versions of `ring_attention` with another mass, or one mass or maximum for several queries."""

from grader.kit import Mistake

MERGED = """\
            new_largest = torch.maximum(largest[rank], scores.amax(dim=-1, keepdim=True))
            weights = torch.exp(scores - new_largest)
            # What is summed so far counts from the old maximum; now it has to count from the new one.
            correction = torch.exp(largest[rank] - new_largest)  # 0 in the first step
            denominators[rank] = denominators[rank] * correction + weights.sum(dim=-1, keepdim=True)
            outputs[rank] = outputs[rank] * correction + weights @ values[rank]
            largest[rank] = new_largest
"""

MISTAKES = [
    Mistake(
        "one-maximum-for-all-queries-of-a-head",
        find="scores.amax(dim=-1, keepdim=True))",
        replace="scores.amax(dim=(-2, -1), keepdim=True))",
        says="You subtract one maximum for all queries of a head. Rows that lie far below it underflow: all "
        "their exponentials are 0, and 0 / 0 is NaN. Each query has its own maximum, amax(dim=-1).",
    ),
    Mistake(
        "maximum-before-the-mask",
        find="                scores = scores.masked_fill(later, -math.inf)\n",
        replace="",
        also=(
            (
                "            weights = torch.exp(scores - new_largest)\n",
                "            weights = torch.exp(scores - new_largest)\n"
                "            if is_causal and source == rank:\n"
                "                weights = weights.masked_fill(later, 0.0)\n",
            ),
        ),
        says="You take the maximum of the scores before the mask, and mask behind exp. Where a later key's "
        "score is the largest, by far, what the query may see underflows to 0, and 0 / 0 is NaN. Mask the "
        "scores first.",
    ),
    *(
        Mistake(
            f"one-mass-for-{id}",
            find=MERGED,
            replace=f"""\
            own = torch.logsumexp(scores, dim=-1, keepdim=True)
            output = torch.exp(scores - own) @ values[rank]
            mass = torch.logsumexp(scores, dim={dims}, keepdim=True)
            total = torch.logaddexp(largest[rank], mass)
            before, now = torch.exp(largest[rank] - total), torch.exp(mass - total)
            outputs[rank] = outputs[rank] * before + output * now
            largest[rank] = total
            denominators[rank] = torch.ones_like(own)
""",
            says=f"You weigh a block by one number for {which}: the logsumexp of its scores over the queries "
            "too. Each query has a logsumexp of its own, over the keys alone (dim=-1), to weigh blocks by.",
        )
        for id, dims, which in (
            ("all-queries-of-a-head", "(-2, -1)", "all queries of a head"),
            ("all-queries-of-a-sample", "(1, 2, 3)", "all heads and queries of a sample"),
            ("all-queries", "(0, 1, 2, 3)", "all its queries, heads and samples"),
        )
    ),
    Mistake(
        "blocks-weighed-by-their-maximum",
        find=MERGED,
        replace="""\
            own = scores.amax(dim=-1, keepdim=True)
            total = torch.logaddexp(largest[rank], own)
            output = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True)) @ values[rank]
            before, now = torch.exp(largest[rank] - total), torch.exp(own - total)
            outputs[rank] = outputs[rank] * before + output * now
            largest[rank] = total
            denominators[rank] = torch.ones_like(own)
""",
        says="You merge blocks that are divided by their sums already, and weigh each by the exponential of "
        "its largest score alone. A block counts by the sum of all its exponentials: with lse as the "
        "logsumexp of its scores, it is exp(lse - that of all).",
    ),
]
