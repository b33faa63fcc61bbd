"""Where an answer has the numbers of a value, and what it does with them may be wrong all the same: a step
that changes none of them, a mask whose dimensions are exchanged, a dimension that is split in two.
"""

from collections.abc import Sequence

import numpy as np

from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.numbers import same_in_place, same_numbers
from grader.judge.trail.noted.scope import Scope
from grader.judge.trail.path import LAYOUT, Step
from grader.judge.trail.text.statements import function_around


def unchanged_line(have: Sequence[Step], root: Note, solution: Scope, own: Scope) -> int | None:
    """Where something is computed of a value that the answer has, and the same numbers come out, as they do
    nowhere in the solution, before what is wrong (`root`) is made of it. Where a function of the answer's own
    computes it: where that is called.
    """
    sources = own.sources(root.number)
    goes_on = set().union(*(own.sources(step.matches[0].number) for step in have), set())
    for step in sorted(have, key=lambda step: step.note.number):
        first = step.matches[0]
        for note in step.matches[1:]:
            if note.number not in sources or note.number in goes_on or note.line is None:
                continue
            if _computes_the_same(first, note, own) and not _does_so_too(step.note, note, solution):
                place = None if first.line is None else function_around(own.source, first.line)
                named = [name.line for name in own.names if name.note == note.number]
                here = [line for line in named if function_around(own.source, line) == place]
                return here[0] if here else note.line
    return None


def _computes_the_same(first: Note, note: Note, own: Scope) -> bool:
    """Whether an operation that is more than a layout made it of the first one. (Of what NumPy makes it is
    not known how: there the places tell.)
    """
    if first.number not in own.sources(note.number) or note.made_by in LAYOUT:
        return False
    return bool(note.made_by) or (first.shape == note.shape and same_in_place(first, note))


def _does_so_too(value: Note, note: Note, solution: Scope) -> bool:
    return any(
        other.made_by == note.made_by
        and value.number in solution.sources(other.number)
        and other.values is not None
        and same_numbers(value, other)
        for other in solution.made
    )


def moved_mask_line(
    missing: Step, have: Sequence[Step], root: Note, solution: Scope, own: Scope
) -> int | None:
    """Where the mask, repeated to the size of a value that it is put on in the solution's layout, stops being
    the solution's: its dimensions were exchanged, or it is another one.
    """
    if not any(same_in_place(own.notes[number], step.note) for number in root.parents for step in have):
        return None
    masks = [own.notes[number] for number in sorted(own.sources(root.number))]
    for parent in missing.note.parents:
        right = _repeated(solution.notes[parent], missing.note.shape)
        if right is None:
            continue
        alike = [
            note
            for note in masks
            if note.kind == "bool" and note.values is not None and len(note.values) == len(right)
        ]
        fits = [bool(np.all(note.values == right) or np.all(note.values != right)) for note in alike]
        if alike and not fits[-1]:
            return alike[len(fits) - fits[::-1].index(True) if any(fits) else 0].line
    return None


def _repeated(mask: Note, shape: tuple[int, ...]) -> np.ndarray | None:
    """The numbers of a mask for every place of a shape; None for what is no mask, or has no room there."""
    if mask.kind != "bool" or mask.values is None:
        return None
    try:
        return np.broadcast_to(mask.values.reshape(mask.shape), shape).reshape(-1)
    except ValueError:
        return None


def split_line(have: Sequence[Step], root: Note, solution: Scope, own: Scope) -> int | None:
    """Where one of several values that what is wrong (`root`) is made of gets more dimensions than it has in
    the solution: its numbers do not tell which part of a dimension goes with which of the other value.
    """
    last = [s for s in have if not any(s.note.number in solution.sources(o.note.number) for o in have)]
    if len(last) < 2:
        return None
    sources = own.sources(root.number)
    return min(
        (
            note.line
            for step in last
            for note in step.matches
            if note.line is not None and note.number in sources and _is_split(note, step.note)
        ),
        default=None,
    )


def _is_split(own: Note, other: Note) -> bool:
    if own.made_by not in LAYOUT or len(own.in_order) != len(other.in_order):
        return False
    dimensions, wanted = (sum(size != 1 for size in note.shape) for note in (own, other))
    return dimensions > wanted
