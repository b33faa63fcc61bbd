"""Known wrong versions of `mlp_torch` whose ReLU ends somewhere."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"hidden-values-clamped{ending}",
        find="torch.relu(pre)",
        replace=f"pre.clamp(0, {bound})",
        says=f"Your network is wrong where hidden values are {large}: your ReLU has an upper bound, for "
        "example. It passes on positive values as they are, however large.",
    )
    for ending, bound, large in (("", 100, "large"), ("-to-six", 6, "above 6 (as with ReLU6)"))
]
