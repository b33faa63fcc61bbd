"""What was noted of a call: values with the lines that made them, bounded in number and size."""

from collections.abc import Iterable
from typing import Any

import numpy as np

MAX_NOTES = 2000
MAX_NAMES = 2000
MAX_SCALARS = 500
MAX_ELEMENTS = 20_000
"""Elements of one value: larger ones are noted without their numbers."""
MAX_TOTAL = 1_000_000
"""Elements of all of them."""

UNKNOWN = -1
"""In place of a line, or of a number of elements, that is not known."""


class Notes:
    """Values in the order in which they were made. Each has its line, its shape, the notes that it was made
    from (`parents`), and whether it was drawn at random itself.
    """

    def __init__(self) -> None:
        self.complete = True
        self.values: list[np.ndarray | None] = []
        self._total = 0
        self._lines: list[int] = []
        self._shapes: list[list[int]] = []
        self._kinds: list[str] = []
        self._parents: list[list[int]] = []
        self._drawn: list[bool] = []
        self._made_by: list[str] = []
        self._scalars: list[list[Any]] = []
        self._names: list[list[Any]] = []
        self._marks: list[list[Any]] = []

    def add(
        self,
        values: np.ndarray | None,
        shape: Iterable[int],
        kind: str,
        line: int | None,
        parents: Iterable[int] = (),
        drawn: bool = False,
        made_by: str = "",
    ) -> int | None:
        """The number of a new note; None when there is no room for it.

        `values`: float64, flat; None for what is too large. `kind`: the name of the dtype. `made_by`: the
        operation's name.
        """
        size = 0 if values is None else values.size
        if len(self.values) >= MAX_NOTES or self._total + size > MAX_TOTAL:
            self.complete = False
            return None
        self._total += size
        self.values.append(values)
        self._lines.append(UNKNOWN if line is None else line)
        self._shapes.append([int(n) for n in shape])
        self._kinds.append(kind)
        self._parents.append(sorted(set(parents)))
        self._drawn.append(drawn)
        self._made_by.append(made_by)
        return len(self.values) - 1

    def name(self, name: str, note: int | None, line: int) -> None:
        """Say what a noted value is called, and the line that called it so (and how many notes there were
        by then)."""
        if note is None or len(self._names) >= MAX_NAMES:
            self.complete = False
            return
        self._names.append([name, note, line, len(self.values)])

    def line_of(self, note: int) -> int | None:
        """The line that made a noted value, if it is known."""
        line = self._lines[note]
        return None if line == UNKNOWN else line

    def scalar(self, name: str, value: float, line: int) -> None:
        """A plain number that a name got. Without those that are too many nothing is lost but a hint."""
        if len(self._scalars) < MAX_SCALARS and abs(value) < 1e300:
            self._scalars.append([name, float(value), line])

    def mark(self) -> None:
        """End of a request: how many notes and names there are by now, and whether all of them."""
        self._marks.append([len(self.values), len(self._names), self.complete])

    def report(self) -> dict[str, Any]:
        """All of it as plain values: the numbers in one row, with the length of each value's part."""
        known = [values for values in self.values if values is not None]
        return {
            "marks": self._marks,
            "values": np.concatenate(known) if known else np.zeros(0),
            "sizes": [UNKNOWN if values is None else values.size for values in self.values],
            "lines": self._lines,
            "shapes": self._shapes,
            "kinds": self._kinds,
            "parents": self._parents,
            "drawn": self._drawn,
            "made_by": self._made_by,
            "names": self._names,
            "scalars": self._scalars,
        }


def plain_array(value: Any) -> np.ndarray | None:
    """The numbers of a NumPy array as they are noted, None when they are too many or none."""
    array = np.asarray(value)
    if array.size > MAX_ELEMENTS or array.dtype.kind not in "biuf":
        return None
    return array.astype(np.float64).reshape(-1)
