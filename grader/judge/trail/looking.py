"""Which line of an answer to look at, where a value of the solution is missing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from grader.judge.trail.noted.links import plain
from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.numbers import Ranges, holds, same_but_repeated, same_in_place, same_numbers
from grader.judge.trail.noted.scope import Scope
from grader.judge.trail.path import LAYOUT, Step
from grader.judge.trail.text.statements import function_around, in_one_statement, reads_by_line
from grader.judge.trail.unproven import moved_mask_line, split_line, unchanged_line

PLAIN = ("add", "sub", "rsub", "mul", "div", "neg", "where", "masked_fill", *LAYOUT)
"""Operations that are in every formula: that both have one says nothing."""


@dataclass(frozen=True)
class Look:
    """A line to look at. `onward`: what is wrong may as well be in a line after it."""

    line: int
    onward: bool = False


def look_at(
    missing: Step, before: Sequence[Step], solution: Scope, own: Scope, inputs: Sequence[Note]
) -> Look | None:
    """Where the first value of the missing one's size is made that the solution does not make, after those
    that the answer has; or rather where that goes back to. None where nothing is made any more.
    """
    if missing.moved and missing.moved[0].line is not None:
        line = _mask_line(missing, missing.moved[0], solution, own)
        if line is not None:
            return Look(line, onward=True)
        return Look(missing.moved[0].line, onward=missing.note.kind in _WHOLE)  # these are often the same
    right = _right_notes(solution, own, inputs)
    needed = solution.sources(missing.note.number)
    have = [step for step in before if step.note.number in needed]
    start = max((step.matches[0].number for step in have), default=-1)
    wrong = [n for n in own.made if n.number > start and n.line is not None and n.number not in right]
    if have:
        # What does not come from the last value that it has may be its own way to something else.
        last = max(have, key=lambda step: step.note.number)
        matches = {note.number for note in last.matches}
        wrong = [note for note in wrong if own.sources(note.number) & matches] or wrong
    if not wrong:
        return None
    size = 0 if missing.note.values is None else len(missing.note.values)
    alike = [note for note in wrong if note.values is not None and len(note.values) == size]
    if missing.note.made_by not in PLAIN:
        alike = [note for note in alike if note.made_by == missing.note.made_by] or alike
    root = _root((alike or wrong)[0], [*_leading_nowhere(start, right, before, own), *wrong], own)
    line = (
        _passed_on(have, root, solution, own)
        or unchanged_line(have, root, solution, own)
        or _mask_line(missing, root, solution, own)
        or moved_mask_line(missing, have, root, solution, own)
        or _left_as_it_was(missing, root, solution, own)
        or split_line(have, root, solution, own)
    )
    if line is not None:
        return Look(line, onward=True)
    assert root.line is not None
    lines = {note.line for note in alike}
    return Look(root.line, onward=lines != {root.line} or _is_levelled(root, own))


def _is_levelled(note: Note, own: Scope) -> bool:
    """Whether a later line makes one and the same number everywhere of it: it may be that line that is wrong,
    though such numbers are usual (see `_is_usual`).
    """
    return any(
        later.values is not None
        and len(later.values) > 1
        and _is_level(later)
        and later.line not in (None, note.line)
        and note.number in own.sources(later.number)
        for later in own.made
    )


def _is_level(note: Note) -> bool:
    """Whether it is one and the same number everywhere."""
    return note.values is not None and bool(np.all(note.values == note.values[:1]))


def _passed_on(have: Sequence[Step], root: Note, solution: Scope, own: Scope) -> int | None:
    """Where a value that the answer has is only given another name, before what is wrong is made of it: the
    last one, or one that the wrong line reads by that name."""
    if root.line is None:
        return None
    place = function_around(own.source, root.line)
    read = reads_by_line(own.source).get(root.line, set())
    last = max((step.note.number for step in have), default=None)
    for step in sorted(have, key=lambda step: step.note.number, reverse=True):
        if any(name.note == step.note.number and name is not step.name for name in solution.names):
            continue  # the solution does it too
        matches = {note.number for note in step.matches}
        lines = [
            name.line
            for name in own.names
            if name.note in matches
            and not in_one_statement(own.source, name.line, own.notes[name.note].line)
            and name.after <= root.number
            and (step.note.number == last or plain(name.name) in read)
            and function_around(own.source, name.line) == place
        ]
        if lines:
            return lines[-1]
    return None


def _right_notes(solution: Scope, own: Scope, inputs: Sequence[Note]) -> set[int]:
    """The numbers of the answer's notes that the solution makes too, named or not, or that were given."""
    right: set[int] = set()
    theirs = [group[0] for group in solution.kinds] + [note for note in inputs if note.is_evidence]
    ranges = Ranges(theirs)
    for group in own.kinds:
        if any(_is_same(group[0], theirs[place]) for place in ranges.around(group[0])):
            right |= {note.number for note in group}
    plain = [note for note in (*solution.made, *inputs) if note.values is not None and not note.is_evidence]
    for note in own.made:
        if note.values is None or (not note.is_evidence and _is_usual(note, plain)):
            right.add(note.number)
    return right


def _is_same(own: Note, other: Note) -> bool:
    return same_numbers(own, other) or same_but_repeated(own, other) or holds(other, own)


def _is_usual(own: Note, others: Iterable[Note]) -> bool:
    """Whether the solution has a value of these few numbers too: a mask (or its opposite), a constant."""
    assert own.values is not None
    if _is_level(own) and (len(own.values) != 1 or own.values[0] in (-1, 0, 1)):
        return True
    return any(same_in_place(own, other) or _is_opposite(own, other) for other in others)


def _is_opposite(own: Note, other: Note) -> bool:
    if own.kind != "bool" or other.kind != "bool" or own.values is None or other.values is None:
        return False
    return len(own.values) == len(other.values) and bool(np.all(own.values != other.values))


def _leading_nowhere(start: int, right: set[int], before: Sequence[Step], own: Scope) -> list[Note]:
    """What is made up to the note `start`, is in no formula of the solution, and leads to nothing that is
    right: what does is another way to it."""
    sources: set[int] = set()
    for step in before:
        sources |= own.sources(step.matches[0].number)
    return [
        note
        for note in own.made
        if note.number < start
        and note.line is not None
        and note.number not in right
        and note.number not in sources
        and note.is_evidence
    ]


def _root(note: Note, wrong: Sequence[Note], own: Scope) -> Note:
    """The first of the wrong values that one of them was made from."""
    sources = own.sources(note.number)
    return next((other for other in wrong if other.number in sources), note)


def _left_as_it_was(missing: Step, root: Note, solution: Scope, own: Scope) -> int | None:
    """Where a value gets a name that the solution gives to what it makes of that value by one operation more,
    which the answer never does with it."""
    operation = missing.note.made_by
    if operation in PLAIN or not operation:
        return None
    named = {name.note for name in solution.names}
    before = [solution.notes[number] for number in missing.note.parents if number not in named]
    for name in own.names:
        note = own.notes[name.note]
        if name.after > root.number or not any(_is_same_and_proves(note, other) for other in before):
            continue
        if not any(n.made_by == operation and note.number in own.sources(n.number) for n in own.made):
            return name.line
    return None


def _is_same_and_proves(own: Note, other: Note) -> bool:
    return own.values is not None and other.is_evidence and same_numbers(own, other)


def _mask_line(missing: Step, root: Note, solution: Scope, own: Scope) -> int | None:
    """Where the mask is made, or the whole numbers (distances, indices), that the answer has instead of the
    solution's, if that is what is wrong.
    """
    sources = [solution.notes[number] for number in solution.sources(missing.note.number)]
    theirs = [own.notes[number] for number in sorted(own.sources(root.number))]
    for right in sources:
        if right.kind not in _WHOLE or right.values is None or _is_level(right):
            continue
        alike = [note for note in theirs if note.line is not None and _is_like(note, right)]
        if alike and not any(_comes_to_the_same(note, right) for note in alike):
            others = [
                n for n in alike if not any(_comes_to_the_same(n, s) for s in sources if _is_like(n, s))
            ]
            if others:
                return others[0].line
            if _is_level(alike[-1]):  # the solution has one like that too, and makes a mask of it
                return alike[-1].line
    return None


_WHOLE = ("bool", "int64", "int32")


def _is_like(own: Note, other: Note) -> bool:
    if own.kind != other.kind or own.values is None or other.values is None:
        return False
    return len(own.values) == len(other.values)


def _comes_to_the_same(own: Note, other: Note) -> bool:
    """Whether they are the same, the one the opposite of the other, or counted from elsewhere."""
    if own.kind == "bool":
        return same_in_place(own, other) or _is_opposite(own, other)
    assert own.values is not None and other.values is not None
    return any(np.ptp(own.values - sign * other.values) == 0 for sign in (1, -1))
