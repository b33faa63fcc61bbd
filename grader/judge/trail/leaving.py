"""Where an answer leaves the solution's path."""

from collections.abc import Sequence

from grader.judge.trail.notes import Note
from grader.judge.trail.path import Scope, Step, right_notes, steps
from grader.judge.verdict import Found, Trail


def trail_between(solution: Scope, own: Scope, inputs: Sequence[Note]) -> Trail | None:
    """The trail of an answer whose failing call has left the notes `own`. None where there is nothing to
    say that is sure."""
    path = steps(solution, own, inputs)
    off = _first_off(path)
    if off is None:
        return None
    before = [step for step in path[:off] if step.is_exact]
    if _contradicts(before):
        return None
    multiples = _multiples(path, off)
    missing = next((step for step in path[off:] if not step.matches or step.moved), path[off])
    if missing.is_multiple:
        missing = path[off]
    if not before and not multiples:
        return None
    if missing.note.drawn and not any(step.note.drawn for step in before):
        return None  # it depends on what is drawn, and they may draw in another way
    line = _line(missing, before, multiples, solution, own, inputs)
    if line is None:
        return None
    found = [_found(step) for step in (*before, *multiples)]
    return Trail(tuple(found), missing.name.name, line)


def _first_off(path: Sequence[Step]) -> int | None:
    """The place of the first value that the answer does not have as it is, although nothing that it has later
    could do without."""
    for place, step in enumerate(path):
        if not step.is_exact and not any(
            later.is_exact and step.note.number in later.sources for later in path[place + 1 :]
        ):
            return place
    return None


def _multiples(path: Sequence[Step], off: int) -> list[Step]:
    """From there on, what the answer has up to a factor, until something is missing."""
    found = []
    for step in path[off:]:
        if not step.is_multiple:
            break
        found.append(step)
    return found


def _contradicts(before: Sequence[Step]) -> bool:
    """Whether the answer makes something before what the solution makes it from."""
    for step in before:
        for later in before:
            if step.note.number in later.sources:
                if step.matches[0].number > later.matches[-1].number:
                    return True
    return False


def _line(
    missing: Step,
    before: Sequence[Step],
    multiples: Sequence[Step],
    solution: Scope,
    own: Scope,
    inputs: Sequence[Note],
) -> int | None:
    if missing.moved:
        return missing.moved[0].line
    right = right_notes(solution, own, inputs)
    if multiples:
        made = [note for note in multiples[0].matches if note.number not in right and note.line is not None]
        if made:
            return _root(made[0], right, own).line
    start = max((step.matches[0].number for step in before if step.note.number in missing.sources), default=-1)
    wrong = [n for n in own.made if n.number > start and n.line is not None and n.number not in right]
    size = len(missing.note.in_order)
    alike = [note for note in wrong if note.values is not None and len(note.values) == size]
    if not alike:
        return None
    return _root(alike[0], right, own).line


def _root(note: Note, right: set[int], own: Scope) -> Note:
    """The first wrong value that a wrong one was made from, itself made from right ones only."""
    made = {other.number for other in own.made}
    off = [
        own.notes[number]
        for number in sorted({*own.sources(note), note.number})
        if number not in right and number in made and own.notes[number].line is not None
    ]
    return off[0] if off else note


def _found(step: Step) -> Found:
    note = next((n for n in step.matches if n.line is not None), None)
    line = 0 if note is None or note.line is None else note.line
    return Found(step.name.name, line, None if step.factor == 1.0 else step.factor)
