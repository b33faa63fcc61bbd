"""Known wrong versions of `cross_entropy`: its defaults."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"ignore-index-of-{words}-by-default",
        find="ignore_index: int = -100",
        replace=f"ignore_index: int = {number}",
        says=f"You ignore the target {number} if no ignore_index is given. By default it is -100, as in "
        "F.cross_entropy.",
    )
    for words, number in (("minus-one", -1), ("zero", 0))
]
