"""The part of a case's notes that matters: what was made from what, and what holds the same numbers."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.notes import Name
from grader.judge.trail.noted.numbers import Ranges


@dataclass(frozen=True, eq=False)
class Scope:
    """All notes of a case (to look up where something came from), those made in the requests that matter,
    the names given in these, the plain numbers (name, value, line), and the source.
    """

    notes: tuple[Note, ...]
    made: tuple[Note, ...]
    names: tuple[Name, ...]
    scalars: tuple[tuple[str, float, int], ...] = ()
    source: str = ""

    @cached_property
    def kinds(self) -> list[list[Note]]:
        """Notes that hold the same numbers (views of one tensor) together; without those that prove
        nothing."""
        groups: dict[bytes, list[Note]] = {}
        for note in self.made:
            if note.is_evidence:
                groups.setdefault(note.in_order.tobytes(), []).append(note)
        return list(groups.values())

    @cached_property
    def ranges(self) -> Ranges:
        """Of the numbers of these kinds, in their order."""
        return Ranges([group[0] for group in self.kinds])

    @cached_property
    def _sources(self) -> dict[int, set[int]]:
        """Those that have been asked for."""
        return {}

    @cached_property
    def _uses(self) -> dict[int, list[int]]:
        uses: dict[int, list[int]] = {}
        for note in self.notes:
            for parent in note.parents:
                uses.setdefault(parent, []).append(note.number)
        return uses

    def sources(self, number: int) -> set[int]:
        """The notes that a value was made from, however indirectly."""
        if number not in self._sources:
            parents = self.notes[number].parents
            self._sources[number] = _reached(parents, lambda note: self.notes[note].parents)
        return self._sources[number]

    def consequences(self, number: int, ends: set[int]) -> set[int]:
        """The notes that were made from a value, however indirectly: as far as the first ones in `ends`."""
        return _reached(
            self._uses.get(number, ()), lambda note: () if note in ends else self._uses.get(note, ())
        )


def _reached(start: Iterable[int], further: Callable[[int], Iterable[int]]) -> set[int]:
    found: set[int] = set()
    left = list(start)
    while left:
        number = left.pop()
        if number not in found:
            found.add(number)
            left += further(number)
    return found
