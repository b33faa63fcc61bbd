"""Whether two noted values hold the same numbers, whatever their layout."""

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np

from grader.judge.trail.noted.note import EVIDENCE, Note


class Ranges:
    """From where to where the numbers of many values go: with that, most that are compared are told apart,
    all of them at once. Each has numbers.
    """

    def __init__(self, notes: Sequence[Note]) -> None:
        self._lows = np.array([note.in_order[0] for note in notes])
        self._highs = np.array([note.in_order[-1] for note in notes])
        self._allowed = np.array([note.allowed for note in notes])

    def around(self, note: Note) -> list[int]:
        """The places of those that may be the same as a value, or hold it."""
        low, high, allowed = self._of(note)
        return _places(~((low < self._lows - allowed) | (high > self._highs + allowed)))

    def within(self, note: Note) -> list[int]:
        """The places of those that may be the same as a value, or that it may hold."""
        low, high, allowed = self._of(note)
        return _places(~((self._lows < low - allowed) | (self._highs > high + allowed)))

    def _of(self, note: Note) -> tuple[float, float, np.ndarray]:
        return note.in_order[0], note.in_order[-1], np.maximum(self._allowed, note.allowed)


def _places(which: np.ndarray) -> list[int]:
    places: list[int] = np.flatnonzero(which).tolist()
    return places


def same_numbers(one: Note, other: Note) -> bool:
    """Whether both hold the same numbers, in any order."""
    if len(one.in_order) != len(other.in_order):
        return False
    if _begins_otherwise(one, other):
        return False
    return _close(one.in_order, other.in_order, _allowed_between(one, other))


def same_but_repeated(one: Note, other: Note) -> bool:
    """Whether one holds the numbers of the other, each as many times."""
    few, many = sorted((one.in_order, other.in_order), key=len)
    if not len(few) or len(many) % len(few):
        return False
    times = len(many) // len(few)
    if _begins_otherwise(one, other):
        return False
    allowed = _allowed_between(one, other)
    return all(_close(few, many[start::times], allowed) for start in {0, times - 1})


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
    own, theirs = one.finite, other.finite
    if len(one.in_order) != len(other.in_order) or len(own) != len(theirs) or len(own) < EVIDENCE:
        return None
    if one.largest == 0.0 or other.largest == 0.0:
        return None
    up = other.largest / one.largest
    allowed = max(one.tolerance, other.tolerance) * other.largest
    for factor, scaled in ((up, own), (-up, own[::-1])):
        if _close(scaled * factor, theirs, allowed):
            return factor
    return None


def in_another_order(right: Note, other: Note) -> bool:
    """Whether two values of one shape with the same numbers hold them in different places, even if dimensions
    of equal size are exchanged."""
    assert right.values is not None and other.values is not None
    if right.shape != other.shape or math.prod(right.shape) != len(right.values):
        return False
    one, two = right.in_place, other.in_place
    if len(right.shape) > 5 or len(one) != len(two):
        return False
    two, allowed = two.reshape(other.shape), _allowed_between(right, other)
    for order in itertools.permutations(range(len(right.shape))):
        is_same_shape = tuple(right.shape[axis] for axis in order) == right.shape
        if is_same_shape and _close(one, two.transpose(order).reshape(-1), allowed):
            return False
    return True


def same_in_place(one: Note, other: Note) -> bool:
    """Whether both hold the same numbers in the same places (one dimension of size 1 more or less aside)."""
    if one.values is None or other.values is None or len(one.values) != len(other.values):
        return False
    return _close(one.in_place, other.in_place, _allowed_between(one, other))


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


def _close(one: np.ndarray, other: np.ndarray, allowed: float) -> bool:
    with np.errstate(invalid="ignore"):
        same = (np.abs(one - other) <= allowed) | (one == other) | (np.isnan(one) & np.isnan(other))
    return bool(same.all())


def _allowance(one: Note, other: Note) -> float:
    """For numbers of one among those of the other, which may be much larger."""
    return max(one.tolerance, other.tolerance) * min(one.largest, other.largest)


def _allowed_between(one: Note, other: Note) -> float:
    """For all numbers of one beside all of the other."""
    return max(one.allowed, other.allowed)


def _begins_otherwise(one: Note, other: Note) -> bool:
    """Whether the smallest numbers are not the same: with that, most that are compared are told apart."""
    if not len(one.in_order) or not len(other.in_order):
        return False
    return abs(float(one.in_order[0]) - float(other.in_order[0])) > _allowed_between(one, other)
