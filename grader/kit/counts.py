"""How often something was drawn, and what chance leaves open about it.

Two answers that draw random numbers in other ways never give the same values. For diagnosis they are compared
by how often which came.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

BY_CHANCE = 1e-9
"""How rarely a right answer may fail by chance: each verdict draws anew."""
SIGMAS = 6.11
"""Normally distributed values are further off than so many standard deviations as rarely."""
_SAME = 1e-3
"""Counts that one distribution gives differ by more than is allowed here once in so many times."""


def chance(statistic: Tensor, degrees: int) -> float:
    """How probable a chi-square statistic at least as large is."""
    return float(torch.special.gammaincc(torch.tensor(degrees / 2).double(), statistic.double() / 2))


def allowed_of_cube_root(variance: float, degrees: float) -> float:
    """How far the cube root of an estimate of the variance with so many degrees of freedom may lie from that
    of the variance: it is nearly normal (Wilson and Hilferty).
    """
    spread = 2 / (9 * degrees)
    allowed: float = variance ** (1 / 3) * (spread + SIGMAS * math.sqrt(spread))
    return allowed


@dataclass(frozen=True, eq=False)
class Counts:
    """As evidence: equal to other counts that may well come from the same distribution."""

    values: Tensor

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts) or other.values.shape != self.values.shape:
            return False
        both, apart = self.values + other.values, self.values - other.values
        if apart.sum() != 0:
            return False  # not the same number of draws
        seen = both > 0
        return chance((apart[seen] ** 2 / both[seen]).sum(), max(int(seen.sum()) - 1, 1)) > _SAME

    __hash__ = None  # type: ignore[assignment]  # being alike is not transitive


def shares_of_factors(factors: Tensor, dropout: float) -> list[float]:
    """Which share is 0, 1, or what somebody may divide or multiply by where entries are dropped, and which
    is anything else: in tenths, because the draws may depend on each other."""
    known = torch.tensor([0.0, 1.0, 1 / (1 - dropout), 1 - dropout, 1 / dropout, dropout])
    near = (factors.reshape(-1, 1) - known).abs() < 1e-4
    labels = torch.where(near.any(1), near.int().argmax(1), len(known))
    counts = torch.bincount(labels, minlength=len(known) + 1)
    return [round(share, 1) for share in (counts / len(labels)).tolist()]


def histogram(values: Tensor, *, low: float, high: float) -> Counts:
    """How many lie around each multiple of 0.5 from `low` to `high`; what is outside counts with the nearest
    one."""
    places = (2 * (values.nan_to_num(low).clamp(low, high) - low)).round().long()
    return Counts(torch.bincount(places.reshape(-1), minlength=round(2 * (high - low)) + 1).double())
