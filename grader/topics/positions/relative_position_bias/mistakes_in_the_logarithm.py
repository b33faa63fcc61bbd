"""Known wrong versions of `relative_position_bias`: what T5's logarithm is taken of."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "t5-whole-quotients",
        find="distance.clamp(min=1) / exact",
        replace="distance.clamp(min=1) // exact",
        says="Inside the logarithm you divide the distance by e in whole numbers (//, for example), so "
        "distances from e to 2e - 1 all count as e, and so on: the buckets get too coarse. Divide with "
        "/, and round down after the logarithm only.",
    ),
    Mistake(
        "t5-whole-quotient-of-max-distance",
        find="math.log(max_distance / exact)",
        replace="math.log(max_distance // exact)",
        says="Inside the logarithm you divide max_distance by e in whole numbers (//, for example). Where "
        "e does not divide it the buckets get too narrow. Divide with /.",
    ),
    Mistake(
        "t5-whole-quotients-of-both",
        find="distance.clamp(min=1) / exact) / math.log(max_distance / exact)",
        replace="distance.clamp(min=1) // exact) / math.log(max_distance // exact)",
        says="Inside both logarithms you divide by e in whole numbers (//, for example), so distances from e "
        "to 2e - 1 all count as e, and so on. Divide with /, and round down after the logarithm only.",
    ),
]
