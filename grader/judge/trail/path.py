"""The solution's named values, in their order, and what an answer has of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grader.judge.trail.notes import Name, Note
from grader.judge.trail.numbers import (
    factor_between,
    holds,
    in_another_order,
    is_evidence,
    same_but_repeated,
    same_in_place,
    same_numbers,
    share_held,
)


@dataclass(frozen=True, eq=False)
class Scope:
    """What counts of a case's notes: all notes (to look up where something came from), those made in the
    requests that matter, and the names given in these."""

    notes: tuple[Note, ...]
    made: tuple[Note, ...]
    names: tuple[Name, ...]

    @cached_property
    def kinds(self) -> list[list[Note]]:
        """Notes that hold the same numbers (views of one tensor) together; without those that prove
        nothing."""
        groups: dict[bytes, list[Note]] = {}
        for note in self.made:
            if is_evidence(note):
                groups.setdefault(note.in_order.tobytes(), []).append(note)
        return list(groups.values())

    @cached_property
    def is_connected(self) -> bool:
        """Whether it is known what was made from what."""
        return any(note.parents for note in self.notes)

    def sources(self, note: Note) -> set[int]:
        """The numbers of the notes that a value was made from, however indirectly."""
        found: set[int] = set()
        left = list(note.parents)
        while left:
            number = left.pop()
            if number not in found:
                found.add(number)
                left += self.notes[number].parents
        return found


@dataclass(frozen=True, eq=False)
class Step:
    """One named value of the solution, and the notes of the answer that hold its numbers. `moved` are those
    of its shape that hold them in other places. `factor`: they hold that many times its numbers.
    """

    name: Name
    note: Note
    sources: frozenset[int]
    matches: tuple[Note, ...] = ()
    moved: tuple[Note, ...] = ()
    factor: float = 1.0

    @property
    def is_exact(self) -> bool:
        return bool(self.matches) and self.factor == 1.0 and not self.moved

    @property
    def is_multiple(self) -> bool:
        return bool(self.matches) and self.factor != 1.0


def steps(solution: Scope, own: Scope, inputs: Sequence[Note]) -> list[Step]:
    """The solution's path through the call, with what the answer has of it. It ends before a value whose
    numbers are not known."""
    path: list[Step] = []
    for name in solution.names:
        note = solution.notes[name.note]
        if note.values is None:
            break
        if not is_evidence(note) or any(holds(given, note) for given in inputs):
            continue
        if any(step.note.shape == note.shape and same_in_place(step.note, note) for step in path):
            continue
        path.append(_step(name, note, solution, own))
    return path


def _step(name: Name, note: Note, solution: Scope, own: Scope) -> Step:
    sources = frozenset(solution.sources(note) if solution.is_connected else range(note.number))
    matches = _exact(note, own)
    if matches:
        same_shape = [other for other in matches if other.shape == note.shape]
        moved = [other for other in same_shape if in_another_order(note, other)]
        return Step(name, note, sources, tuple(matches), tuple(moved if moved == same_shape else ()))
    for group in own.kinds:
        factor = factor_between(note, group[0])
        if factor is not None:
            return Step(name, note, sources, tuple(group), factor=factor)
    return Step(name, note, sources)


def _exact(note: Note, own: Scope) -> list[Note]:
    """The answer's notes with these numbers: as they are, repeated, among others, or in parts."""
    found = [other for group in own.kinds if same_numbers(note, group[0]) for other in group]
    found = found or [o for group in own.kinds if same_but_repeated(note, group[0]) for o in group]
    found = found or [o for group in own.kinds if holds(group[0], note) for o in group]
    if not found:
        parts = [group[0] for group in own.kinds if holds(note, group[0])]
        if parts and share_held(note, parts) == 1.0:
            found = parts
    return sorted(found, key=lambda other: other.number)


def right_notes(solution: Scope, own: Scope, inputs: Sequence[Note]) -> set[int]:
    """The numbers of the answer's notes that the solution makes too, named or not, or that were given."""
    right: set[int] = set()
    theirs = [group[0] for group in solution.kinds] + [note for note in inputs if is_evidence(note)]
    for group in own.kinds:
        if any(_is_same(group[0], other) for other in theirs):
            right |= {note.number for note in group}
    plain = [note for note in (*solution.made, *inputs) if note.values is not None and not is_evidence(note)]
    for note in own.made:
        if note.values is not None and not is_evidence(note) and _is_usual(note, plain):
            right.add(note.number)
    return right


def _is_same(own: Note, other: Note) -> bool:
    return same_numbers(own, other) or same_but_repeated(own, other) or holds(other, own)


def _is_usual(own: Note, others: Iterable[Note]) -> bool:
    """Whether the solution has a value of these few numbers too: a mask (or its opposite), a constant."""
    assert own.values is not None
    if len(own.values) == 0 or bool(np.all(own.values == own.values[0])):
        return True
    for other in others:
        if same_in_place(own, other):
            return True
        if own.kind == other.kind == "bool" and other.values is not None:
            if len(own.values) == len(other.values) and bool(np.all(own.values != other.values)):
                return True
    return False
