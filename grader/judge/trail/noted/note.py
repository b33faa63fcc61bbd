"""One value that a line of a program has made, and what can be said of its numbers."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

_TOLERANCE = {"float64": 2e-7, "float32": 2e-5, "float16": 1e-2, "bfloat16": 4e-2}
"""Of the largest number: what another order of operations may change, or a scale rounded to float32."""
EVIDENCE = 3
"""Different numbers that a value must have: fewer (a mask, ones, a single sum) are found anywhere. Of whole
numbers one more."""


@dataclass(frozen=True, eq=False)
class Note:
    """One value that a line has made. `values` are its numbers in the order of its indices, None where they
    were too many; `drawn`: it depends on random numbers. What is said of the numbers is found out once: each
    value is compared with many.
    """

    number: int
    line: int | None
    shape: tuple[int, ...]
    kind: str
    values: np.ndarray | None
    parents: tuple[int, ...]
    drawn: bool
    made_by: str = ""

    @cached_property
    def in_place(self) -> np.ndarray:
        """The numbers, where masks write -inf, or a number so low that its exponential is 0, alike: it is the
        same to everything after."""
        assert self.values is not None
        return np.where(self.values <= -1e8, -np.inf, self.values)

    @cached_property
    def in_order(self) -> np.ndarray:
        """The same numbers by size, NaN last."""
        return np.sort(self.in_place)

    @cached_property
    def finite(self) -> np.ndarray:
        """The finite ones of these."""
        finite: np.ndarray = self.in_order[np.isfinite(self.in_order)]
        return finite

    @cached_property
    def largest(self) -> float:
        """The size of the largest finite number, 0 if there is none."""
        return float(np.abs(self.finite).max()) if len(self.finite) else 0.0

    @property
    def tolerance(self) -> float:
        """How much of the largest number two computations of the same may be apart."""
        return _TOLERANCE.get(self.kind, 2e-7)

    @property
    def allowed(self) -> float:
        """By how much two computations of the same may be apart."""
        return self.tolerance * self.largest

    @cached_property
    def is_evidence(self) -> bool:
        """Whether the numbers are such that nothing but the same computation gives them."""
        if self.values is None or self.kind == "bool":
            return False
        if len(self.finite) < EVIDENCE:
            return False
        gaps = np.diff(self.finite)
        jumps = gaps > self.allowed
        are_whole = bool(np.all(np.abs(self.finite - np.round(self.finite)) <= self.allowed))
        if int(jumps.sum()) + 1 < EVIDENCE + are_whole:
            return False
        is_counting = are_whole and len(set(np.round(gaps[jumps]).tolist())) == 1
        return not is_counting  # 0, 1, 2, … are positions
