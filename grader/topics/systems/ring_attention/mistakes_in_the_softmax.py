"""Known wrong versions of `ring_attention`: another softmax than the whole row's, or what stays at home."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import mask_mistakes, score_mistakes

MERGED = """\
            new_largest = torch.maximum(largest[rank], scores.amax(dim=-1, keepdim=True))
            weights = torch.exp(scores - new_largest)
            # What is summed so far counts from the old maximum; now it has to count from the new one.
            correction = torch.exp(largest[rank] - new_largest)  # 0 in the first step
            denominators[rank] = denominators[rank] * correction + weights.sum(dim=-1, keepdim=True)
            outputs[rank] = outputs[rank] * correction + weights @ values[rank]
            largest[rank] = new_largest
"""
FROM_THE_LOGSUMEXPS = """\
            own = torch.logsumexp(scores, dim=-1, keepdim=True)
            output = torch.exp(scores - own) @ values[rank]
            largest[rank] = torch.logaddexp(largest[rank], own)
            denominators[rank] = torch.ones_like(own)
"""

MISTAKES = [
    *(
        Mistake(
            name,
            find=MERGED,
            replace=f"{FROM_THE_LOGSUMEXPS}            outputs[rank] = {merged}\n",
            says=f"Where you merge a block, {what}. The old output's weight is exp(old - new), the block's "
            "exp(its own - new), which are 1 together: update the logsumexp after the output.",
        )
        for name, merged, what in [
            (
                "logsumexp-updated-before-the-output",
                "output if step == 0 else torch.lerp(outputs[rank], output, "
                "torch.sigmoid(own - largest[rank]))",
                "it gets the weight sigmoid(its own logsumexp - the new one): that of all is updated first, "
                "for example, so that the block is in it already",
            ),
            (
                "old-output-kept-in-full",
                "outputs[rank] + torch.exp(own - largest[rank]) * output",
                "the output so far keeps the weight 1: its logsumexp is updated first, for example, and "
                "exp(new - new) is 1",
            ),
        ]
    ),
    Mistake(
        "nothing-rescaled",
        find="torch.exp(largest[rank] - new_largest)",
        replace="torch.ones_like(new_largest)",
        says="You add up terms that count from different maxima. When a row's maximum grows, multiply its "
        "denominator and output so far by exp(old maximum - new maximum).",
    ),
    Mistake(
        "output-not-rescaled",
        find="outputs[rank] = outputs[rank] * correction + ",
        replace="outputs[rank] = outputs[rank] + ",
        says="You correct the denominator when the maximum grows, but not the output. Both were summed "
        "relative to the old maximum: multiply both by exp(old maximum - new maximum).",
    ),
    Mistake(
        "denominator-not-rescaled",
        find="denominators[rank] = denominators[rank] * correction + ",
        replace="denominators[rank] = denominators[rank] + ",
        says="You correct the output when the maximum grows, but not the denominator. Both were summed "
        "relative to the old maximum: multiply both by exp(old maximum - new maximum).",
    ),
    Mistake(
        "correction-inverted",
        find="torch.exp(largest[rank] - new_largest)",
        replace="torch.exp(new_largest - largest[rank])",
        says="Your correction is exp(new - old), upside down: it is infinite for the first block. What was "
        "summed relative to the old maximum gets smaller: exp(old - new), at most 1.",
    ),
    Mistake(
        "no-maximum-subtracted",
        find="            new_largest = torch.maximum(largest[rank], scores.amax(dim=-1, keepdim=True))",
        replace="            new_largest = largest[rank] = torch.zeros_like(largest[rank])",
        says="You exponentiate scores, or logarithms of their sums, as they are: exp overflows to inf above "
        "88.7 in float32 and 709 in float64, and inf / inf is NaN. Subtract each row's largest so far; it "
        "cancels at the end.",
    ),
    Mistake(
        "maximum-of-the-block-only",
        find="torch.maximum(largest[rank], scores.amax(dim=-1, keepdim=True))",
        replace="scores.amax(dim=-1, keepdim=True)",
        says="You take each block's own maximum instead of the row's largest so far. When it falls, the "
        "correction exp(old - new) is above 1 and overflows. Take the maximum of both.",
    ),
    Mistake(
        "maximum-of-the-first-block",
        find="torch.maximum(largest[rank], scores.amax(dim=-1, keepdim=True))",
        replace="scores.amax(dim=-1, keepdim=True) if step == 0 else largest[rank]",
        says="You subtract the largest score of a rank's own block from those of all blocks, and never raise "
        "it. Where later blocks have scores far above it, exp overflows to inf, and inf / inf is NaN. Raise "
        "the maximum with every block, and correct what was summed so far.",
    ),
    Mistake(
        "maximum-starts-at-zero",
        find="torch.full_like(query[..., :1], -math.inf)",
        replace="torch.zeros_like(query[..., :1])",
        says="Your running maximum starts at 0. When all scores of a row are far below, every exponential "
        "underflows to 0, and 0 / 0 is NaN. Start at -inf.",
    ),
    Mistake(
        "score-of-zero-added",
        find="torch.full_like(query[..., :1], -math.inf)",
        replace="torch.zeros_like(query[..., :1])",
        also=(
            (
                "denominators = [torch.zeros_like(query[..., :1])",
                "denominators = [torch.ones_like(query[..., :1])",
            ),
        ),
        says='Your denominators have an exp(0) too many ("softmax off by one", as if a score of 0 had come '
        "first), so the weights of a row sum to less than 1. Begin with a maximum of -inf and a "
        "denominator of 0.",
    ),
    Mistake(
        "maximum-not-remembered",
        find="            largest[rank] = new_largest\n",
        replace="",
        says="You never store the new maximum, so every correction is exp(-inf) = 0, and only the last block "
        "counts. Keep the new maximum for the next block.",
    ),
    Mistake(
        "one-maximum-for-all-rows",
        find="scores.amax(dim=-1, keepdim=True))",
        replace="scores.amax())",
        says="You subtract the largest score of several heads (of the whole block, say) from every row. Rows "
        "far below underflow: all their exponentials are 0, and 0 / 0 is NaN. Each row has its own maximum.",
    ),
    Mistake(
        "blocks-averaged",
        find="denominators[rank] * correction + weights.sum(dim=-1, keepdim=True)",
        replace="denominators[rank] + 1",
        also=(
            (
                "outputs[rank] * correction + weights @ values[rank]",
                "outputs[rank] + weights / weights.sum(dim=-1, keepdim=True) @ values[rank]",
            ),
            (
                "weights = torch.exp(scores - new_largest)",
                "weights = torch.exp(scores - scores.amax(-1, True))",
            ),
        ),
        says="You take the softmax of each block by itself and average the blocks. A block with larger "
        "scores has to count more: add up the undivided terms and divide by the row's sum over all blocks.",
    ),
    Mistake(
        "blocks-added",
        find="denominators[rank] * correction + weights.sum(dim=-1, keepdim=True)",
        replace="torch.ones_like(denominators[rank])",
        also=(
            (
                "outputs[rank] * correction + weights @ values[rank]",
                "outputs[rank] + weights / weights.sum(dim=-1, keepdim=True) @ values[rank]",
            ),
            (
                "weights = torch.exp(scores - new_largest)",
                "weights = torch.exp(scores - scores.amax(-1, True))",
            ),
        ),
        says="You take the softmax of each block by itself and add the blocks: the weights of a row sum to "
        "the number of blocks. Add up the undivided terms and divide by the row's sum over all blocks.",
    ),
    Mistake(
        "divided-in-every-step",
        find="            largest[rank] = new_largest\n",
        replace="            outputs[rank] = outputs[rank] / denominators[rank]\n"
        "            largest[rank] = new_largest\n",
        says="You divide by the denominator after every block, so the earlier ones are divided several "
        "times. Divide once, after the last one.",
    ),
    Mistake(
        "divided-in-every-step-alone",
        find="            largest[rank] = new_largest\n",
        replace="            outputs[rank] = outputs[rank] / denominators[rank]\n"
        "            largest[rank] = new_largest\n",
        also=(("[output / denominator for", "[output for"),),
        says="You divide by the denominator after every block, and correct the earlier blocks by exp(old "
        "maximum - new maximum) alone. What was divided by the old denominator has to be multiplied by it "
        "again before the next block is added. Or divide once, after the last block.",
    ),
    Mistake(
        "never-divided",
        find="[output / denominator for",
        replace="[output for",
        says="You never divide by the denominator, so the weights of a row do not sum to 1. Divide after the "
        "last block.",
    ),
    Mistake(
        "scale-missing",
        find="            scores = scores / math.sqrt(head_dim)\n",
        replace="",
        says="You do not scale the scores. Divide them by sqrt(head_dim).",
    ),
    *score_mistakes.other_scales("scores", "head_dim", "head_dim"),
    mask_mistakes.fills_zero("later"),
    Mistake(
        "sums-in-the-default-dtype",
        find="outputs = [torch.zeros_like(query) for query in queries]",
        replace="outputs = [torch.zeros(query.shape) for query in queries]",
        also=(
            (
                "outputs[rank] = outputs[rank] * correction + weights @ values[rank]",
                "outputs[rank].mul_(correction).add_(weights @ values[rank])",
            ),
            ("[output / denominator for", "[output / denominator.float() for"),
        ),
        says="You add up in torch.zeros(...), which has the default dtype and device: float64 becomes "
        "float32. Use zeros_like.",
    ),
    Mistake(
        "computed-in-float32",
        find="            scores = query @ keys[rank].transpose(-2, -1)  # (batch, heads, block, block)\n",
        replace="            scores = query.float() @ keys[rank].float().transpose(-2, -1)\n",
        also=(
            (
                "outputs[rank] * correction + weights @ values[rank]",
                "outputs[rank] * correction + weights @ values[rank].float()",
            ),
            (
                "[torch.full_like(query[..., :1], -math.inf) for",
                "[torch.full_like(query[..., :1], -math.inf).float() for",
            ),
            ("[torch.zeros_like(query[..., :1]) for", "[torch.zeros_like(query[..., :1]).float() for"),
            ("[torch.zeros_like(query) for", "[torch.zeros_like(query).float() for"),
        ),
        says="You compute in float32 and return that whatever comes, so float64 loses half of its digits. "
        "Compute in the dtype of the queries.",
    ),
    Mistake(
        "scaled-by-the-block",
        find="math.sqrt(head_dim)",
        replace="math.sqrt(query.shape[2])",
        says="You divide the scores by sqrt(block), the number of tokens on a rank. A score is a sum over "
        "head_dim features: divide by sqrt(head_dim).",
    ),
    Mistake(
        "scaled-anew-in-each-step",
        find="        for rank, query in enumerate(queries):\n",
        replace="""\
        keys = [key / math.sqrt(head_dim) for key in keys]
        for rank, query in enumerate(queries):
""",
        also=(("            scores = scores / math.sqrt(head_dim)\n", ""),),
        says="You scale the keys (or the queries) anew in each step and go on with what you have scaled, so "
        "the scores of the block that comes after t shifts are divided by sqrt(head_dim) t + 1 times. Scale "
        "once: before the loop, or the scores.",
    ),
    Mistake(
        "keys-stay-at-home",
        find="keys, values = ring.shift(keys), ring.shift(values)",
        replace="values = ring.shift(values)",
        says="You shift the values and not the keys, so your own rank's weights meet another rank's values. "
        "Both have to travel.",
    ),
    Mistake(
        "next-token-seen",
        find=".triu(1)",
        replace=".triu(2)",
        says="Your causal mask begins one place too late: a query sees the token behind it. Token i attends "
        "to 0 … i.",
    ),
    Mistake(
        "weights-averaged",
        find="weights.sum(dim=-1, keepdim=True)",
        replace="weights.mean(dim=-1, keepdim=True)",
        says="Your denominator adds up the mean of a block's weights. It is their sum.",
    ),
    Mistake(
        "keys-for-values",
        find="weights @ values[rank]",
        replace="weights @ keys[rank]",
        says="You weigh the keys. The weights belong to the values.",
    ),
    Mistake(
        "callers-lists-overwritten",
        find="keys, values = ring.shift(keys), ring.shift(values)",
        replace="keys[:], values[:] = ring.shift(keys), ring.shift(values)",
        says="You put what shift has brought into the caller's own lists. No argument is modified: bind new "
        "names.",
    ),
    Mistake(
        "own-block-skipped",
        find="if is_causal and source > rank:",
        replace="if is_causal and source >= rank:",
        says="You skip the rank's own block too, and the first rank has nothing left. Only blocks of later "
        "ranks are left out; in its own one, keys behind the query are hidden.",
    ),
    Mistake(
        "keys-and-values-exchanged",
        find="    for step in range(world_size):\n",
        replace="    keys, values = values, keys\n    for step in range(world_size):\n",
        says="You take keys for values and values for keys, perhaps where you cut one tensor of both apart.",
    ),
]
