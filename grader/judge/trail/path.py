"""The solution's named values, in their order, and what an answer has of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.notes import Name
from grader.judge.trail.noted.numbers import (
    factor_between,
    holds,
    in_another_order,
    same_but_repeated,
    same_in_place,
    same_numbers,
    share_held,
)
from grader.judge.trail.noted.scope import Scope
from grader.worker.tracing import RESULT

LAYOUT = {
    *("alias", "as_strided", "clone", "copy", "detach", "expand", "permute", "reshape", "select", "slice"),
    *("split", "split_with_sizes", "squeeze", "t", "to_copy", "transpose", "unbind", "unsafe_view"),
    *("unsqueeze", "view"),
}
"""Operations that give the same numbers in another layout."""


@dataclass(frozen=True, eq=False)
class Step:
    """One named value of the solution, and the notes of the answer that hold its numbers. `moved` are those
    of its shape that hold them in other places. `factor`: they hold that many times its numbers; that
    `proves` nothing of a multiple of an input.
    """

    name: Name
    note: Note
    matches: tuple[Note, ...] = ()
    moved: tuple[Note, ...] = ()
    factor: float = 1.0
    proves: bool = True

    @property
    def is_exact(self) -> bool:
        return bool(self.matches) and self.factor == 1.0 and not self.moved

    @property
    def is_multiple(self) -> bool:
        return bool(self.matches) and self.factor != 1.0


def steps(solution: Scope, own: Scope, inputs: Sequence[Note]) -> list[Step]:
    """The solution's path through the call, with what the answer has of it. It ends before a value whose
    numbers are not known. A result is part of it however few numbers it has."""
    path: list[Step] = []
    for name in solution.names:
        note = solution.notes[name.note]
        if note.values is None:
            break
        if not note.is_evidence:
            if name.name == RESULT and len(note.values) and name is solution.names[-1]:
                path.append(Step(name, note))
            continue
        if any(holds(given, note) for given in inputs):
            continue
        if any(step.note.shape == note.shape and same_in_place(step.note, note) for step in path):
            continue
        sources = [solution.notes[number] for number in solution.sources(note.number)]
        is_part = any(source.values is not None and holds(source, note) for source in sources)
        matches = exact_matches(note, own, is_part)
        taken = {other.number for step in path if step.is_exact for other in step.matches}
        path.append(_found(name, note, matches) if matches else _multiple(name, solution, own, inputs, taken))
    return path


def first_off(path: Sequence[Step], solution: Scope) -> int | None:
    """The place of the first value that the answer lacks and needs; None when there is none."""
    exact = {step.note.number for step in path if step.is_exact}
    off = {step.note.number for step in path if not step.is_exact}
    leads = {number: solution.consequences(number, exact) for number in off}
    lost = {number for number in off if not leads[number] & exact}
    for place, step in enumerate(path):
        number = step.note.number
        # An answer goes another way where it has all that the solution makes of a value without this value.
        if not step.is_exact and (number in lost or leads[number] & lost):
            return place
    return None


def _found(name: Name, note: Note, matches: Sequence[Note]) -> Step:
    moved = [other for other in matches if other.shape == note.shape] if _are_moved(note, matches) else []
    return Step(name, note, tuple(matches), tuple(moved))


def _beside(note: Note, solution: Scope) -> list[Note]:
    """The named values that are not made from it, nor it from them."""
    sources = solution.sources(note.number)
    notes = [solution.notes[name.note] for name in solution.names]
    return [
        other
        for other in notes
        if other.values is not None
        and other.number != note.number
        and other.number not in sources
        and note.number not in solution.sources(other.number)
    ]


def _multiple(name: Name, solution: Scope, own: Scope, inputs: Sequence[Note], taken: set[int]) -> Step:
    """With what holds a multiple: rather a value of its own than one that was found for another name, and
    none that is as it is to be beside it.
    """
    note = solution.notes[name.note]
    assert note.values is not None
    for group in sorted(own.kinds, key=lambda group: group[0].number in taken):
        factor = factor_between(note, group[0])
        if factor is None or any(same_numbers(group[0], other) for other in _beside(note, solution)):
            continue
        if not _are_moved(replace(note, values=note.values * factor), group):
            proves = not any(factor_between(note, given) is not None for given in inputs)
            return Step(name, note, tuple(group), factor=factor, proves=proves)
    return Step(name, note)


def _are_moved(note: Note, matches: Sequence[Note]) -> bool:
    """Whether those of its shape, if there are any, all hold its numbers in other places."""
    same_shape = [other for other in matches if other.shape == note.shape]
    return bool(same_shape) and all(in_another_order(note, other) for other in same_shape)


def exact_matches(note: Note, own: Scope, is_part: bool = False) -> list[Note]:
    """The answer's notes with these numbers: as they are, repeated, in parts, or among others (but for what
    is itself chosen from others: that proves nothing of the choice)."""
    around = [own.kinds[place] for place in own.ranges.around(note)]
    found = [other for group in around if same_numbers(note, group[0]) for other in group]
    found = found or [other for group in around if same_but_repeated(note, group[0]) for other in group]
    if not is_part:
        found = found or [other for group in around if holds(group[0], note) for other in group]
    if not found:
        within = [own.kinds[place][0] for place in own.ranges.within(note)]
        parts = [other for other in within if len(other.in_order) < len(note.in_order) and holds(note, other)]
        if parts and share_held(note, parts) == 1.0:
            found = parts
    return sorted(found, key=lambda other: other.number)
