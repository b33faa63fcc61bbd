"""How a value that came differs from the one expected, in the learner's words."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

_TOLERANCE = {torch.float64: 1e-6, torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 4e-2}
"""Of the largest expected value. In float64 that lets a scale which was rounded to float32 pass."""
_FLOOR = 1e-2
"""The least that counts as the largest expected value, so that an expected zero allows for rounding."""

_EXACT = frozenset((bool, int, str, type(None)))
"""The types of values that are equal or not."""


def difference(
    came: Any, expected: Any, tolerance: float | None = None, absolute: float | None = None
) -> str | None:
    """What differs, None when nothing does. Types, shapes and dtypes have to be the same; floating-point
    values may be off by `tolerance` of the largest expected one (the dtype's default if None), or by
    `absolute`."""
    if isinstance(expected, tuple | list):
        return _sequence_difference(came, expected, tolerance, absolute)
    if isinstance(expected, bool | int | str) or expected is None:
        same = type(came) is type(expected) and came == expected
        return None if same else f"got {_shown(came)}, expected {_shown(expected)}"
    if isinstance(expected, dict):
        return _dict_difference(came, expected, tolerance, absolute)
    if isinstance(expected, float):
        if not isinstance(came, float | int) or isinstance(came, bool):
            return f"got {kind_of(came)}, expected a float"
        if _is_near(float(came), expected, tolerance, absolute):
            return None  # as most are, thousands in one check
        came, expected = (torch.tensor(float(value), dtype=torch.float64) for value in (came, expected))
    if isinstance(expected, np.ndarray):
        if not isinstance(came, np.ndarray):
            return f"got {kind_of(came)}, expected a NumPy array"
        came, expected = torch.from_numpy(came), torch.from_numpy(expected)
    if not isinstance(came, Tensor):
        return f"got {kind_of(came)}, expected a Tensor"
    return _tensor_difference(came, expected, tolerance, absolute)


def counting(came: Any, expected: Any, where: Tensor | None) -> Any:
    """What came, with the expected values where it does not count: where `where` is not True."""
    if where is None:
        return came
    if isinstance(came, tuple | list) and isinstance(expected, tuple | list) and len(came) == len(expected):
        return type(came)(counting(one, other, where) for one, other in zip(came, expected, strict=True))
    if not isinstance(came, Tensor) or not isinstance(expected, Tensor) or came.shape != expected.shape:
        return came
    if came.shape[: where.ndim] != where.shape:
        return came
    came = came.clone()
    came[~where] = expected[~where].to(came.dtype)
    return came


def allowance(expected: Tensor, tolerance: float | None = None) -> float:
    """How far off values may be: `tolerance` (the dtype's default if None) of the largest finite one."""
    largest = float(expected.abs().max()) if expected.numel() else 0.0
    if not math.isfinite(largest):
        finite = expected[expected.isfinite()].abs()
        largest = float(finite.max()) if finite.numel() else 0.0
    return _allowed(largest, expected.dtype, tolerance)


def _allowed(largest: float, dtype: torch.dtype, tolerance: float | None) -> float:
    """How far off values may be whose largest is so large."""
    return (_TOLERANCE[dtype] if tolerance is None else tolerance) * max(largest, _FLOOR)


def kind_of(value: Any) -> str:
    """The type of a value, with its article."""
    if value is None:
        return "None"
    name = value.type_name if hasattr(value, "type_name") else type(value).__name__
    if isinstance(value, np.generic):
        name = f"NumPy {name}"
    if isinstance(value, np.ndarray):
        name = "NumPy array"
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _shown(value: Any) -> str:
    if isinstance(value, bool | int | float | str) or value is None:
        text = repr(value)
        return text if len(text) <= 80 else text[:77] + "..."
    return kind_of(value)


def _sequence_difference(
    came: Any, expected: Any, tolerance: float | None, absolute: float | None
) -> str | None:
    if not isinstance(came, tuple | list):
        kind = "a list" if isinstance(expected, list) else "a tuple"
        return f"got {kind_of(came)}, expected {kind} of {len(expected)}"
    if _are_the_same(came, expected):
        return None
    names = getattr(expected, "_fields", [f"item {number}" for number in range(len(expected))])
    for name, one, other in zip(names, came, expected, strict=False):
        text = difference(one, other, tolerance, absolute)
        if text is not None:
            return f"{name}: {text}"
    if len(came) != len(expected):
        return f"got {len(came)} items, expected {len(expected)}"
    return None


def _are_the_same(came: Any, expected: Any) -> bool:
    """Whether both hold the same texts and whole numbers, and nothing else."""
    kinds = list(map(type, expected))
    return _EXACT.issuperset(kinds) and kinds == list(map(type, came)) and list(came) == list(expected)


def _is_near(came: float, expected: float, tolerance: float | None, absolute: float | None) -> bool:
    """Whether a number is as expected, which takes a twentieth of comparing tensors."""
    largest = abs(expected) if math.isfinite(expected) else 0.0
    allowed = _allowed(largest, torch.float64, tolerance) if absolute is None else absolute
    return abs(came - expected) <= allowed


def _dict_difference(came: Any, expected: Any, tolerance: float | None, absolute: float | None) -> str | None:
    if not isinstance(came, dict):
        return f"got {kind_of(came)}, expected a dict"
    if set(came) != set(expected):
        return f"got the keys {sorted(map(str, came))}, expected {sorted(map(str, expected))}"
    for key, value in expected.items():
        text = difference(came[key], value, tolerance, absolute)
        if text is not None:
            return f"{key}: {text}"
    return None


def _tensor_difference(
    came: Tensor, expected: Tensor, tolerance: float | None, absolute: float | None
) -> str | None:
    if came.shape != expected.shape:
        return f"got shape {tuple(came.shape)}, expected {tuple(expected.shape)}"
    if came.dtype != expected.dtype:
        return f"got dtype {_dtype(came)}, expected {_dtype(expected)}"
    if not expected.dtype.is_floating_point:
        wrong = came != expected
        return _values(came, expected, wrong, None) if bool(wrong.any()) else None
    allowed = absolute if absolute is not None else allowance(expected, tolerance)
    came, expected = came.detach().double(), expected.detach().double()
    off = (came - expected).abs()
    if bool((off <= allowed).all()):  # not so where something is infinite, or no number
        return None
    same = (came == expected) | (came.isnan() & expected.isnan())
    wrong = ~same & ~(off <= allowed)
    return _values(came, expected, wrong, off) if bool(wrong.any()) else None


def _dtype(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _values(came: Tensor, expected: Tensor, wrong: Tensor, off: Tensor | None) -> str:
    count, total = int(wrong.sum()), wrong.numel()
    if total == 1:
        return _pair(came.item(), expected.item())
    share = _share(count, total)
    odd = _not_finite(came, expected)
    if odd:
        return f"{odd}; {share}"
    if off is None:
        index = tuple(wrong.nonzero()[0].tolist())
        return f"at {list(index)} yours is {came[index].item()}, expected {expected[index].item()}; {share}"
    reach = torch.where(wrong, off.nan_to_num(float("inf")), -1.0)
    # The first of those that are as far off but for rounding, which differs between builds of PyTorch.
    largest = (reach >= float(reach.max()) * (1 - 1e-5)).flatten().int()
    index = tuple(int(i) for i in np.unravel_index(int(largest.argmax()), tuple(off.shape)))
    where = f" at {list(index)}" if index else ""
    yours, wanted = float(came[index]), float(expected[index])
    gap = abs(yours - wanted)
    return f"largest difference {gap:.3g}{where}: {_pair(yours, wanted)}; {share}"


def _pair(yours: float, wanted: float) -> str:
    """Both numbers, with as many digits as it takes to see that they differ."""
    if not isinstance(yours, float):
        return f"yours {yours}, expected {wanted}"
    yours, wanted = yours + 0.0, wanted + 0.0  # -0 would puzzle
    digits = next((n for n in range(4, 17) if f"{yours:.{n}g}" != f"{wanted:.{n}g}"), 17)
    return f"yours {yours:.{digits}g}, expected {wanted:.{digits}g}"


def _share(count: int, total: int) -> str:
    if count == total:
        return f"all {total} values differ"
    return f"{count if total < 100 else _percent(count / total)} of {total} values differ"


def _percent(share: float) -> str:
    return "under 1 %" if share < 0.01 else f"{share * 100:.0f} %"


def _not_finite(came: Tensor, expected: Tensor) -> str:
    """NaN and inf where none are expected, counted."""
    if not came.dtype.is_floating_point:
        return ""
    nans = int((came.isnan() & ~expected.isnan()).sum())
    above, below = (int(((came == bound) & (came != expected)).sum()) for bound in (torch.inf, -torch.inf))
    counts = {"NaN": nans, "inf": above, "-inf": below}
    parts = [f"{n} of {came.numel()} values are {name}" for name, n in counts.items() if n]
    return " and ".join(parts)
