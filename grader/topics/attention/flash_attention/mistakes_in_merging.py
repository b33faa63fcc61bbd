"""Known wrong versions of `flash_attention`: one maximum for several rows, and tiles merged wrongly."""

from grader.kit import Mistake

TILE = """\
            new_largest = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
            weights = torch.exp(scores - new_largest)
            # What is summed so far counts from the old maximum; now it has to count from the new one.
            correction = torch.exp(largest - new_largest)  # 0 in the first round
            denominator = denominator * correction + weights.sum(dim=-1, keepdim=True)
            output = output * correction + weights @ value[:, :, k_start:k_end]
            largest = new_largest

        results.append(output / denominator)"""

# Where what is summed is not corrected as it should be, the gradient through the maximum does not cancel.
CONSTANT_MAXIMUM = (("scores.amax(dim=-1, keepdim=True))", "scores.detach().amax(dim=-1, keepdim=True))"),)


def merged(id_: str, old: str, new: str, what: str) -> Mistake:
    """Tiles with a softmax each, merged by their logsumexp: the factors of what there is, and of the tile."""
    return Mistake(
        id_,
        find=TILE,
        replace=f"""\
            of_tile = scores.logsumexp(dim=-1, keepdim=True)
            total = torch.logaddexp(largest, of_tile)
            ours = torch.exp(scores - of_tile) @ value[:, :, k_start:k_end]
            output = {old}output + {new}ours
            largest = total

        results.append(output)""",
        says=f"{what} Both count by their share of the sum of all exponentials: with lse as the logsumexp of "
        "the scores, it is exp(lse_old - lse_new) times the old result plus exp(lse_tile - lse_new) times "
        "the tile's.",
    )


MISTAKES = [
    Mistake(
        "one-maximum-for-the-rows-of-a-head",
        find="scores.amax(dim=-1, keepdim=True)",
        replace="scores.amax(dim=(-2, -1), keepdim=True)",
        says="You subtract the largest score of the tile, one for all rows of a head. Rows that lie far "
        "below underflow: all their exponentials are 0, and 0 / 0 is NaN. Each row has its own maximum.",
    ),
    merged(
        "new-tile-not-weighted",
        "torch.exp(largest - total) * ",
        "",
        "You merge tiles that are divided by their sums already, and the new tile's result comes in whole.",
    ),
    merged(
        "old-tiles-not-weighted",
        "",
        "torch.exp(of_tile - total) * ",
        "You merge tiles that are divided by their sums already, and keep the result so far whole when a "
        "new tile comes.",
    ),
    merged(
        "tiles-added-up",
        "",
        "",
        "You add up the results of all tiles, each divided by its own sum.",
    ),
    *(
        Mistake(
            f"tiles-weighed-by-their-maximum{id_}",
            find=TILE,
            replace=f"""\
            of_tile = {of_tile}.amax(dim=-1, keepdim=True)
            total = torch.logaddexp(largest, of_tile)
            ours = torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True)) @ value[:, :, k_start:k_end]
            output = torch.exp(largest - total) * output + torch.exp(of_tile - total) * ours
            largest = {kept}

        results.append(output)""",
            says="You merge tiles that are divided by their sums already, and weigh each by the exponential "
            "of its largest score alone. A tile counts by the sum of all its exponentials, however many keys "
            "there are: with lse as the logsumexp of the scores, it is exp(lse_old - lse_new) times the old "
            "result plus exp(lse_tile - lse_new) times the tile's.",
        )
        for id_, of_tile, kept in (
            ("", "scores", "total"),
            ("-a-constant", "scores.detach()", "total"),
            ("-and-the-largest-kept", "scores", "torch.maximum(largest, of_tile)"),
            ("-a-constant-and-the-largest-kept", "scores.detach()", "torch.maximum(largest, of_tile)"),
        )
    ),
    Mistake(
        "tiles-weighed-before-the-scale",
        find=TILE,
        replace="""\
            root = math.sqrt(head_dim)
            of_tile = (scores * root).logsumexp(dim=-1, keepdim=True) / root
            total = torch.logaddexp(largest, of_tile)
            ours = torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True)) @ value[:, :, k_start:k_end]
            output = torch.exp(largest - total) * output + torch.exp(of_tile - total) * ours
            largest = total

        results.append(output)""",
        says="You take the logsumexp of the scores before they are divided by sqrt(head_dim), and divide it "
        "afterwards. A logsumexp does not scale with its terms: divide the scores first. It is a tile's "
        "share of the whole that comes out wrong; within a tile your weights are right.",
    ),
    *(
        Mistake(
            f"{name}-with-a-constant-maximum",
            find=find,
            replace=replace,
            also=CONSTANT_MAXIMUM,
            says=f"{what} When a row's maximum grows, multiply its denominator and its output so far by "
            "exp(old maximum - new maximum).",
        )
        for name, find, replace, what in [
            (
                "nothing-rescaled",
                "torch.exp(largest - new_largest)",
                "torch.ones_like(largest)",
                "You add up terms that count from different maxima: the old one is a view of the tensor that "
                "you overwrite with the new one, for example, so that their difference is 0.",
            ),
            (
                "output-not-rescaled",
                "output = output * correction + ",
                "output = output + ",
                "You correct the denominator when the maximum grows, but not the output.",
            ),
            (
                "denominator-not-rescaled",
                "denominator = denominator * correction + ",
                "denominator = denominator + ",
                "You correct the output when the maximum grows, but not the denominator.",
            ),
        ]
    ),
    Mistake(
        "divided-in-every-round-alone",
        find="            largest = new_largest\n",
        replace="            output = output / denominator\n            largest = new_largest\n",
        also=(("results.append(output / denominator)", "results.append(output)"),),
        says="You divide by the denominator after every block, and correct the earlier blocks by exp(old "
        "maximum - new maximum) alone. What was divided by the old denominator has to be multiplied by it "
        "again before the next block is added. Or divide once, after the last block.",
    ),
    Mistake(
        "maximum-starts-at-zero-and-zeros-for-nan",
        find="query.new_full((batch, heads, q_end - q_start, 1), -math.inf)",
        replace="query.new_zeros((batch, heads, q_end - q_start, 1))",
        also=(("output / denominator)", "output / denominator.clamp(min=torch.finfo(query.dtype).tiny))"),),
        says="Your running maximum starts at 0. When all scores of a row are far below, every exponential "
        "underflows to 0, and so does the row's result: 0 divided by something small that stands in for a "
        "sum of 0, for example. Start at -inf: the sum is at least 1 then.",
    ),
]
