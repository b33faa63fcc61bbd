"""Known wrong versions of `class_weights` that do not let weights become as large as they are."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"capped-at-{most}",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace=f"    return weights.masked_fill(counts == 0, 0).clamp(max={most})",
        says=f"Your weights are never larger than {most}: that of a class rare enough would be. They are not "
        "clipped: balanced is n / (num_classes * count), however large that is.",
    )
    for most in (10, 20, 50, 100, 1000)
]
