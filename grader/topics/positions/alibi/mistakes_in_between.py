"""Known wrong versions of `alibi` that put other slopes between those of a power of two."""

from grader.kit import Mistake

_BETWEEN = "2.0 ** (-4 / closest * torch.arange(1, 2 * closest, 2))"
_BEFORE = "torch.cat((slopes.new_ones(1), slopes[:-1]))"
_MEAN = "they are powers, 2^(-8 i / (2 n)), so each is the root of the product of its neighbours."

MISTAKES = [
    Mistake(
        "missing-slopes-half-way",
        find=_BETWEEN,
        replace=f"({_BEFORE} + slopes) / 2",
        says="Your missing slopes are half way between two of the n slopes (and 1 in front of them): the "
        f"means of their neighbours. The slopes of 2 n heads lie between, but not half way: {_MEAN}",
    ),
    Mistake(
        "missing-slopes-half-way-from-the-first-on",
        find=_BETWEEN,
        replace="(slopes[:-1] + slopes[1:]) / 2",
        says="Your missing slopes are half way between two of the n slopes, from the first on. The first of "
        f"2 n heads comes before it, nearer to 1. And none is half way: {_MEAN}",
    ),
    Mistake(
        "missing-slopes-from-the-first-on",
        find=_BETWEEN,
        replace="2.0 ** (-4 / closest * torch.arange(3, 2 * closest + 1, 2))",
        says="Your missing slopes begin with the third of 2 n heads, between the first and the second of n "
        "(roots of their products, for example). The first of 2 n heads comes before all of them: "
        "2^(-8 / (2 n)).",
    ),
]
