"""Known wrong versions of `mlp_torch` whose ReLU ends somewhere."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "hidden-values-clamped",
        find="torch.relu(pre)",
        replace="pre.clamp(0, 100)",
        says="Your network is wrong where hidden values are large: your ReLU has an upper bound, for "
        "example. It passes on positive values as they are, however large.",
    ),
]
