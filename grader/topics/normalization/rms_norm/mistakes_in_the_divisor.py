"""Known wrong versions of `rms_norm` that divide the sum of squares by another dimension's size."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"sum-divided-by-the-size-of-{name}",
        find="wide.square().mean(dim=-1, keepdim=True)",
        replace=f"wide.square().sum(dim=-1, keepdim=True) / wide.shape[{dim}]",
        says=f"You divide the sum of squares by the size of another dimension, {what}. The mean of the "
        "squares of a vector is their sum divided by hidden_size, the size of the last dimension, as in "
        "mean(dim=-1, keepdim=True).",
    )
    for name, dim, what in (
        ("dimension-one", "min(1, wide.dim() - 1)", "the second one"),
        ("dimension-one-always", "1", "the second one (which a single vector does not have)"),
        ("the-batch", "0", "the first one"),
        ("the-sequence", "max(-2, -wide.dim())", "the last but one"),
        ("the-sequence-always", "-2", "the last but one (which a single vector does not have)"),
    )
]
