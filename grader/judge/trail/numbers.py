"""Whether two noted values hold the same numbers, whatever their layout."""

import itertools
import math
from collections.abc import Iterable

import numpy as np

from grader.judge.trail.notes import Note, hidden_as_infinite, largest_of

_TOLERANCE = {"float64": 2e-7, "float32": 2e-5, "float16": 1e-2, "bfloat16": 4e-2}
"""Of the largest number: what another order of operations may change, or a scale rounded to float32."""
EVIDENCE = 3
"""Different numbers that a value must have: fewer (a mask, ones, a single sum) are found anywhere. Of whole
numbers one more."""


def is_evidence(note: Note) -> bool:
    """Whether the numbers are such that nothing but the same computation gives them."""
    if note.values is None or note.kind == "bool":
        return False
    finite = note.in_order[np.isfinite(note.in_order)]
    if len(finite) < EVIDENCE:
        return False
    gaps = np.diff(finite)
    jumps = gaps > _allowed(finite, note.kind)
    are_whole = bool(np.all(np.abs(finite - np.round(finite)) <= _allowed(finite, note.kind)))
    if int(jumps.sum()) + 1 < EVIDENCE + are_whole:
        return False
    is_counting = are_whole and len(set(np.round(gaps[jumps]).tolist())) == 1
    return not is_counting  # 0, 1, 2, … are positions


def same_numbers(one: Note, other: Note) -> bool:
    """Whether both hold the same numbers, in any order."""
    if len(one.in_order) != len(other.in_order):
        return False
    if _begins_otherwise(one, other):
        return False
    return _close(one.in_order, other.in_order, one, other)


def same_but_repeated(one: Note, other: Note) -> bool:
    """Whether one holds the numbers of the other, each as many times."""
    few, many = sorted((one.in_order, other.in_order), key=len)
    if not len(few) or len(many) % len(few):
        return False
    times = len(many) // len(few)
    if _begins_otherwise(one, other):
        return False
    return all(_close(few, many[start::times], one, other) for start in {0, times - 1})


def holds(whole: Note, part: Note) -> bool:
    """Whether all numbers of the part are among those of the whole."""
    if len(part.in_order) > len(whole.in_order):
        return False
    if len(part.in_order):  # most that are compared are told apart by the smallest or the largest number
        allowed = _allowance(whole, part)
        if part.in_order[0] < whole.in_order[0] - allowed or part.in_order[-1] > whole.in_order[-1] + allowed:
            return False
    return bool(np.all(_among(part.in_order, whole, part)))


def share_held(whole: Note, parts: Iterable[Note]) -> float:
    """How much of the whole is found in parts of it: 1.0 is all."""
    found = np.zeros(len(whole.in_order), dtype=bool)
    for part in parts:
        found |= _among_values(whole.in_order, part.in_order, _allowance(whole, part))
    return float(found.mean()) if len(found) else 0.0


def factor_between(one: Note, other: Note) -> float | None:
    """What the numbers of one are to be multiplied by to give the other's; None when there is no such
    factor.
    """
    first, second = one.in_order, other.in_order
    if len(first) != len(second):
        return None
    own, theirs = first[np.isfinite(first)], second[np.isfinite(second)]
    if len(own) != len(theirs) or len(own) < EVIDENCE:
        return None
    size = float(np.abs(own).max())
    if size == 0.0:
        return None
    up = float(np.abs(theirs).max()) / size
    for factor in (up, -up):
        scaled = np.sort(own * factor)
        if up > 0 and _close(scaled, theirs, one, other):
            return factor
    return None


def in_another_order(right: Note, other: Note) -> bool:
    """Whether two values of one shape with the same numbers hold them in different places, even if dimensions
    of equal size are exchanged."""
    assert right.values is not None and other.values is not None
    if right.shape != other.shape or math.prod(right.shape) != len(right.values):
        return False
    one, two = hidden_as_infinite(right.values), hidden_as_infinite(other.values)
    if len(right.shape) > 5 or len(one) != len(two):
        return False
    two = two.reshape(other.shape)
    for order in itertools.permutations(range(len(right.shape))):
        is_same_shape = tuple(right.shape[axis] for axis in order) == right.shape
        if is_same_shape and _close(one, two.transpose(order).reshape(-1), right, other):
            return False
    return True


def same_in_place(one: Note, other: Note) -> bool:
    """Whether both hold the same numbers in the same places (one dimension of size 1 more or less aside)."""
    if one.values is None or other.values is None or len(one.values) != len(other.values):
        return False
    return _close(hidden_as_infinite(one.values), hidden_as_infinite(other.values), one, other)


def _among(values: np.ndarray, whole: Note, part: Note) -> np.ndarray:
    return _among_values(values, whole.in_order, _allowance(whole, part))


def _among_values(values: np.ndarray, many: np.ndarray, allowed: float) -> np.ndarray:
    """For each value whether it is one of many, which are sorted."""
    place = np.searchsorted(many, values)
    above = many[np.minimum(place, len(many) - 1)]
    below = many[np.maximum(place - 1, 0)]
    with np.errstate(invalid="ignore"):
        near = (np.abs(above - values) <= allowed) | (np.abs(values - below) <= allowed)
    result: np.ndarray = near | (above == values) | (below == values)
    return result


def _close(one: np.ndarray, other: np.ndarray, first: Note, second: Note) -> bool:
    allowed = max(_allowed(one, first.kind), _allowed(other, second.kind))
    with np.errstate(invalid="ignore"):
        same = (np.abs(one - other) <= allowed) | (one == other) | (np.isnan(one) & np.isnan(other))
    return bool(same.all())


def _allowance(one: Note, other: Note) -> float:
    """For numbers of one among those of the other, which may be much larger."""
    return max(_tolerance(one), _tolerance(other)) * min(one.largest, other.largest)


def _allowed_between(one: Note, other: Note) -> float:
    """For all numbers of one beside all of the other."""
    return max(_tolerance(one) * one.largest, _tolerance(other) * other.largest)


def _begins_otherwise(one: Note, other: Note) -> bool:
    """Whether the smallest numbers are not the same: with that, most that are compared are told apart."""
    if not len(one.in_order) or not len(other.in_order):
        return False
    return abs(float(one.in_order[0]) - float(other.in_order[0])) > _allowed_between(one, other)


def _tolerance(note: Note) -> float:
    return _TOLERANCE.get(note.kind, 2e-7)


def _allowed(values: np.ndarray, kind: str) -> float:
    return _TOLERANCE.get(kind, 2e-7) * largest_of(values)
