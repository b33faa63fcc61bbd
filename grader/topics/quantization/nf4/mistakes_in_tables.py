"""Known wrong versions of `nf4` that hold distances to all levels, a part of the weight at a time."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "table-of-distances-for-each-block",
        find="torch.bucketize(scaled, (levels[1:] + levels[:-1]) / 2, out_int32=True)",
        replace="torch.stack([(block[:, None] - levels).abs().argmin(dim=-1) for block in scaled])",
        says="You make the distances of a block's values to all 16 levels (or those of some hundred values). "
        "Where the weight is one block, or few, that is more than 2 n elements. Search among the 15 middles "
        "(torch.bucketize), or go through the levels one by one.",
    ),
]
