"""How often something was drawn, and what chance leaves open about it."""

from dataclasses import dataclass

import torch
from torch import Tensor

_SAME = 1e-3
"""Counts that one distribution gives differ by more than is allowed here once in so many times."""


def chance(statistic: Tensor, degrees: int) -> float:
    """How probable a chi-square statistic at least as large is."""
    return float(torch.special.gammaincc(torch.tensor(degrees / 2).double(), statistic.double() / 2))


@dataclass(frozen=True, eq=False)
class Counts:
    """As evidence: equal to other counts that may well come from the same distribution, because two answers
    that draw in other ways never come to the same numbers."""

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
