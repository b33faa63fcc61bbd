"""Known wrong versions of `yarn`: the temperature below a factor of 1."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "absolute-logarithm",
        find="0.1 * math.log(max(factor, 1.0)) + 1.0",
        replace="0.1 * abs(math.log(factor)) + 1.0",
        says="You take the absolute value of ln(factor), so attention_factor is above 1 for a factor below "
        "1. There it is 1: max(factor, 1), or a case of its own.",
    ),
]
