"""The values that a mistake is known by: what its version of the solution makes, and nothing else does. It is
the same for every answer, so it is remembered beside the evidence.
"""

import difflib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grader.judge.checks.reading import Case, CheckFunction
from grader.judge.diagnosis.memory import Memory
from grader.judge.trail.calls import first_difference, places_that_count, scope_up_to
from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.numbers import holds
from grader.judge.trail.path import exact_matches
from grader.judge.trail.rerun import Rerun
from grader.judge.trail.text.statements import in_one_statement
from grader.judge.workers.client import Program
from grader.worker import wire
from grader.worker.unpacking import decode

MAX_VALUES = 8
"""Values of each kind."""
MAX_BYTES = 2**18
"""Of these, as they are kept."""


@dataclass(frozen=True)
class Traces:
    """What a mistaken version of the solution makes up to the `call` in which that shows: what its changed
    lines make, values that are `wrong` and others, the last ones first, that are `right`; and what comes out
    wrong `later` by these.
    """

    call: int
    wrong: tuple[Note, ...] = ()
    right: tuple[Note, ...] = ()
    later: tuple[Note, ...] = ()


def traces_of(right: Rerun, mistaken: Rerun, solution: Program, version: Program) -> Traces:
    """What tells the mistake in a case, by what the solution and its mistaken version did in it."""
    last = first_difference(right.calls, mistaken.calls)
    if last is None:
        last = min(len(right.calls), len(mistaken.calls)) - 1
    places = places_that_count(right, last)
    theirs = scope_up_to(right, last, places, solution.text)
    own = scope_up_to(mistaken, last, places, version.text)
    if theirs is None or own is None:
        return Traces(last)
    inputs = [note for call in right.calls[: last + 1] for note in call.inputs]
    made = [note for note in own.made if note.is_evidence and not _is_given(note, inputs)]
    changed = set(_changed_lines(solution.text, version.text))
    here = [n for n in made if n.line and any(in_one_statement(version.text, n.line, c) for c in changed)]
    wrong = [note for note in here if not exact_matches(note, theirs)]
    others = [note for note in reversed(here) if note not in wrong]
    # What is made in lines that the solution does not come to (it refuses something) is not wrong by itself.
    ran = {note.line for note in theirs.made}
    same = dict(_same_lines(solution.text, version.text))
    elsewhere = (note for note in made if note not in here and same.get(note.line) in ran)
    later = (note for note in elsewhere if not exact_matches(note, theirs))
    values = (tuple(itertools.islice(notes, MAX_VALUES)) for notes in (wrong, others, later))
    return Traces(last, *values)


def _is_given(note: Note, inputs: Iterable[Note]) -> bool:
    return any(given.is_evidence and holds(given, note) for given in inputs)


def _changed_lines(text: str, changed: str) -> Iterator[int]:
    """The lines of the changed text that do not stand in the other."""
    for begin, end in changes(text, changed)[1]:
        yield from range(begin, end)


def changes(text: str, changed: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Where both texts are not the same: from which line to which, of the one and of the other."""
    parts = [part for part in _matcher(text, changed).get_opcodes() if part[0] != "equal"]
    return [(i + 1, j + 1) for _, i, j, _, _ in parts], [(i + 1, j + 1) for _, _, _, i, j in parts]


def _same_lines(text: str, changed: str) -> Iterator[tuple[int | None, int]]:
    """Each line of the changed text that stands in the other, and its number there."""
    for block in _matcher(text, changed).get_matching_blocks():
        for place in range(block.size):
            yield block.b + place + 1, block.a + place + 1


def _matcher(text: str, changed: str) -> difflib.SequenceMatcher[str]:
    return difflib.SequenceMatcher(None, text.splitlines(), changed.splitlines(), autojunk=False)


def recall_traces(memory: Memory, mistake: str, check: CheckFunction, case: Case) -> Traces | None:
    """What a mistake (by its id) is known by in a case, if it is known."""
    data = memory.note(_key(mistake, check, case))
    if data is None:
        return None
    try:
        call, *values = decode(data)
        return Traces(call, *(tuple(_note(*each) for each in notes) for notes in values))
    except (ValueError, TypeError):  # of another making
        return None


def remember_traces(memory: Memory, mistake: str, check: CheckFunction, case: Case, traces: Traces) -> None:
    """Keep that; it is written to the disk with the next evidence."""
    data = wire.encode([traces.call, *map(_plain, (traces.wrong, traces.right, traces.later))])
    if len(data) <= MAX_BYTES:
        memory.put_note(_key(mistake, check, case), data)


def _key(mistake: str, check: CheckFunction, case: Case) -> str:
    return f"{check.name} {case.seed} {mistake}"


def _plain(notes: Sequence[Note]) -> list[list[object]]:
    return [[note.values, list(note.shape), note.kind, note.made_by] for note in notes]


def _note(values: object, shape: list[int], kind: str, made_by: str) -> Note:
    return Note(0, None, tuple(shape), kind, values, (), False, made_by)  # type: ignore[arg-type]
