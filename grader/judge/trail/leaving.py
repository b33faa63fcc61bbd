"""Where an answer leaves the solution's path."""

import math
from collections.abc import Sequence

from grader.judge.trail.between import plain_between
from grader.judge.trail.causes import cause_of, rather_idle
from grader.judge.trail.looking import Look, look_at
from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.numbers import factor_between, holds, same_numbers
from grader.judge.trail.noted.scope import Scope
from grader.judge.trail.path import LAYOUT, Step, exact_matches, first_off, steps
from grader.judge.trail.rerun import Call
from grader.judge.trail.text.known_names import is_known
from grader.judge.verdict import Found, Trail
from grader.worker.tracing import RESULT

SCALING = ("mul", "div")
"""Operations that a factor comes in by."""


def trail_between(solution: Scope, own: Scope, inputs: Sequence[Note], calls: Sequence[Call]) -> Trail | None:
    """The trail of an answer whose failing call (the last one) has left the notes `own`. None where there is
    nothing to say that is sure."""
    path = steps(solution, own, inputs)
    off = first_off(path, solution)
    if off is None:
        return None
    before = [step for step in path[:off] if step.is_exact]
    multiples = _multiples(path, off, solution)
    if _contradicts(before, solution):
        return None
    missing = next(
        (s for s in path[off:] if _depends(s, path[off], solution) and not s.is_multiple), path[off]
    )
    if missing.note.drawn and not any(step.note.drawn for step in before):
        return None  # it depends on what is drawn, and they may draw in another way
    before.sort(key=lambda step: step.matches[0].number)
    is_left_out = _is_left_out(multiples, before, inputs)
    if is_left_out:
        del multiples[1:]  # what comes of it is off by the same
    found = [_found(step, before, inputs) for step in (*before, *multiples)]
    if not any(step.proves for step in (*before, *multiples)):
        found = _unnamed(missing, solution, own, inputs)
    if not found:
        return None
    if is_left_out:
        look = Look(found[-1].line, onward=True)
    else:
        last = found[len(before) - 1] if before else found[-1]
        at = _look(missing, before, multiples, solution, own, inputs) or _given_back(last.line, own)
        look = cause_of(at, multiples[0].factor if multiples else None, solution, own, inputs, calls)
    look = rather_idle(look, own.source)
    if not multiples:
        found += plain_between(found[-1].line, look.line, {step.note.number for step in path}, solution, own)
    name, is_its_own = _told(missing, path, solution, own)
    told = tuple(each for each in found if is_known(each.name, own.source))
    return Trail(told, name, look.line, look.onward, is_its_own and bool(missing.moved))


def _told(missing: Step, path: Sequence[Step], solution: Scope, own: Scope) -> tuple[str, bool]:
    """A name for what is missing that tells the answer's author something, and whether it is this value's:
    else that of the next one made of it that the answer does not have either.
    """
    names = [missing.name, *(name for name in solution.names if name.note == missing.note.number)]
    for name in names:
        if is_known(name.name, own.source):
            return name.name, True
    later = (step.name.name for step in path if not step.matches and _depends(step, missing, solution))
    return next((name for name in later if is_known(name, own.source)), RESULT), False


def _given_back(last: int, own: Scope) -> Look:
    """Where nothing wrong is made: the line that gives it back, if it comes after the last one."""
    result = own.names[-1] if own.names else None
    if result is not None and result.name.endswith(RESULT) and result.line > last:
        return Look(result.line)
    return Look(last, onward=True)


def _look(
    missing: Step,
    before: Sequence[Step],
    multiples: Sequence[Step],
    solution: Scope,
    own: Scope,
    inputs: Sequence[Note],
) -> Look | None:
    """At the line of the first multiple: but to go on with the opposite of a value is as good as with the
    value.
    """
    for step in multiples:
        if all(_is_given(note, inputs) for note in step.matches):
            break  # the factor itself is in a line that comes to nothing of the kind
        line = _line_of_its_own(step, before, inputs)
        if line is not None and (step.factor != -1.0 or step is missing):
            is_in_base_two = any(math.isclose(each.factor, math.log2(math.e)) for each in multiples)
            return Look(line, onward=is_in_base_two or _is_scaled_after(step, line, own))
    return look_at(missing, before, solution, own, inputs)


def _is_scaled_after(multiple: Step, line: int, own: Scope) -> bool:
    """Whether another line multiplies or divides it: that may be what is wrong. (Of what NumPy makes it is
    not known how.)
    """
    numbers = {note.number for note in multiple.matches}
    ways = SCALING if any(note.made_by for note in own.made) else ("",)
    return any(
        note.made_by in ways and numbers & set(note.parents)
        for note in own.made
        if note.line not in (None, line)
    )


def _multiples(path: Sequence[Step], off: int, solution: Scope) -> list[Step]:
    """From there on, what the answer has up to a factor, until something is missing that is made of it."""
    found: list[Step] = []
    for step in path[off:]:
        if not _depends(step, path[off], solution):
            continue
        if not step.is_multiple:
            break
        found.append(step)
    return found


def _is_left_out(multiples: Sequence[Step], before: Sequence[Step], inputs: Sequence[Note]) -> bool:
    """Whether the answer goes on with a value that it has, where the solution goes on with so many times it:
    no line makes the multiple, and what is made of it is off by the same factor.
    """
    if not multiples or abs(multiples[0].factor) == 1.0:
        return False
    if all(_is_given(note, inputs) for note in multiples[0].matches):
        return False
    if _line_of_its_own(multiples[0], before, inputs) is not None:
        return False
    return all(math.isclose(step.factor, multiples[0].factor, rel_tol=1e-4) for step in multiples)


def _depends(step: Step, first: Step, solution: Scope) -> bool:
    return step is first or first.note.number in solution.sources(step.note.number)


def _contradicts(before: Sequence[Step], solution: Scope) -> bool:
    """Whether the answer makes something before what the solution makes it from."""
    for later in before:
        sources = solution.sources(later.note.number)
        for step in before:
            if step.note.number in sources and step.matches[0].number > later.matches[-1].number:
                return True
    return False


def _line_of_its_own(multiple: Step, before: Sequence[Step], inputs: Sequence[Note]) -> int | None:
    """The line that computes a multiple, if it computes nothing that is right. What was given is computed by
    none, nor is a right value that a line leaves as it is.
    """
    lines = {note.line for step in before for note in step.matches[:1]}
    right = {note.number for step in before for note in step.matches if note.made_by not in SCALING}
    computed = [
        note
        for note in multiple.matches
        if note.made_by not in LAYOUT and note.number not in right and not _is_given(note, inputs)
    ]
    return next((note.line for note in computed if note.line and note.line not in lines), None)


def _is_given(note: Note, inputs: Sequence[Note]) -> bool:
    """Whether nothing was done to it yet. A line that multiplies it by one is where a factor belongs."""
    return note.made_by not in SCALING and any(same_numbers(note, given) for given in inputs)


def _unnamed(missing: Step, solution: Scope, own: Scope, inputs: Sequence[Note]) -> list[Found]:
    """Where it has no named value: the last value without a name that the missing one is made from."""
    numbers = sorted(solution.sources(missing.note.number))
    for note in reversed([solution.notes[number] for number in numbers]):
        if note.values is None or not note.is_evidence or note.drawn:
            continue
        if any(holds(given, note) or factor_between(given, note) is not None for given in inputs):
            continue
        # What a function of the check gave has no operation that made it, and so nothing to call it by.
        match = next((n for n in exact_matches(note, own) if n.line is not None and n.made_by), None)
        if match is not None and match.line is not None:
            return [Found(match.made_by, match.line)]
    return []


def _found(step: Step, before: Sequence[Step], inputs: Sequence[Note]) -> Found:
    note = next((n for n in step.matches if n.line is not None), None)
    line = 0 if note is None or note.line is None else note.line
    if step.factor == 1.0:
        return Found(step.name.name, line)
    return Found(step.name.name, _line_of_its_own(step, before, inputs) or line, step.factor)
