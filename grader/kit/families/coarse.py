"""For answers that compute in a smaller dtype, or round to it: how wrong their values are depends on how each
product is written, and so is no evidence.
"""

from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import assert_close, assert_true
from grader.kit.comparison import difference

HALF = "bfloat16 or float16"
DIGITS = {torch.float32: 24, torch.float64: 53}
SMALLER = {torch.float32: {HALF: 11}, torch.float64: {HALF: 11, "float32": 24}}
"""By a dtype the smaller ones, and how many binary digits they have at most."""


def assert_close_and_fine(came: Any, expected: Tensor, *, tolerance: float | None = None) -> None:
    """As `assert_close`; and where `expected` does not fit in a smaller dtype, `came` does not, either. If it
    does, this alone is recorded.
    """
    smaller = _fits_in(came, expected.dtype)
    if smaller is not None and smaller != _fits_in(expected, expected.dtype):
        _fail(smaller)
    else:
        assert_close(came, expected, tolerance=tolerance)


def assert_close_or_coarse(
    came: Any, expected: Any, *computed: Tensor, tolerance: float | None = None
) -> None:
    """As `assert_close`; but if what came is wrong, and something that it was made of (`computed`, and so but
    for rounding) has the digits of bfloat16 or float16, this alone is recorded.
    """
    if difference(came, expected, tolerance) is not None and any(map(_is_coarse, computed)):
        _fail(HALF)
    else:
        assert_close(came, expected, tolerance=tolerance)


def assert_digits_of_float64(came: Any, expected: Any) -> None:
    """As `assert_close`; and what is right to the digits of float32 has more of them. If it does not, this
    alone is recorded.
    """
    if difference(came, expected, 1e-6) is None and difference(came, expected, 1e-9) is not None:
        message = "it is right to some seven digits only: something on the way is computed in float32"
        assert_true(False, message, seen="seven digits")
    else:
        assert_close(came, expected)


def _fail(smaller: str) -> None:
    message = f"all values have the digits of {smaller}, and are off by what is missing"
    assert_true(False, message, seen=smaller)


def _fits_in(values: Any, dtype: torch.dtype) -> str | None:
    """The smallest dtype that holds all of the numbers exactly, if there are so many that it is no chance."""
    if isinstance(values, Tensor) and values.is_floating_point() and dtype in DIGITS:
        numbers = _sizes(values)
        for name, digits in SMALLER[dtype].items():
            is_telling = len(numbers) * (DIGITS[dtype] - digits) > 30
            if is_telling and bool((_beyond(numbers, digits) == 0).all()):
                return name
    return None


def _is_coarse(values: Tensor) -> bool:
    """Whether most of the numbers nearly have no more digits."""
    numbers = _sizes(values)
    beyond = _beyond(numbers, SMALLER[torch.float64][HALF])
    # Of other numbers it is 1/4.
    return len(numbers) > 9 and bool(beyond.median() < 0.02)


def _sizes(values: Tensor) -> Tensor:
    """Each once, but zeros and powers of two: whoever gives signs alone, say, has not rounded."""
    sizes: Tensor = values.double().abs().unique()
    return sizes[(sizes != 0) & (torch.frexp(sizes).mantissa != 0.5)]


def _beyond(numbers: Tensor, digits: int) -> Tensor:
    """What is left of each behind so many digits, in units of the last of them: 1/2 at most."""
    scaled = torch.frexp(numbers).mantissa * 2**digits
    beyond: Tensor = (scaled - scaled.round()).abs()
    return beyond
