"""The trail of a wrong answer: how far its values are right, and where to look."""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.judge.checks.reading import Case, CheckFile, CheckFunction
from grader.judge.checks.running import Run
from grader.judge.diagnosis.memory import Memory
from grader.judge.findings import wording
from grader.judge.pace import paced
from grader.judge.trail.leaving import trail_between
from grader.judge.trail.noted.links import linked
from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.notes import Name, NotNotes
from grader.judge.trail.noted.scope import Scope
from grader.judge.trail.remembered import recall, remember
from grader.judge.trail.rerun import Call, Rerun, rerun
from grader.judge.verdict import Outcome, Trail
from grader.judge.workers.client import Program, Worker
from grader.kit.comparison import difference
from grader.kit.outcomes import CheckFailed, Stopped
from grader.worker import wire

CHECKS = 3
"""Failing checks that are tried, at most. That is a bound which does not depend on how busy a machine is: a
tenth of a second, usually."""
QUICK_SECONDS = 0.25
"""A check that took longer is not run once more."""
SECONDS = 2.0
"""For the reruns of one program: what they are to be cut off at, if something is in their way."""


def find_trail(
    checks: CheckFile,
    runs: Mapping[str, Run],
    programs: tuple[Program, Program],
    answer: Worker,
    solution: Callable[[], Worker],
    memory: Memory,
) -> Trail | None:
    """The trail of an answer by its failing checks; None where there is nothing to say that is sure.

    `programs` are the answer and the solution. `answer` is a worker with the answer: where it still lives, it
    is taken as it is, and ended before another one of the `solution` is begun. What that gives is remembered.
    """
    failed = [check for check in checks.checks if _is_worth_it(runs[check.name])]
    for some in filter(None, (failed[:1], failed[1:CHECKS])):
        own = {
            name: again
            for name, again in _reruns(some, runs, answer).items()
            if _is_same_failure(again, runs[name])
        }
        right = _of_the_solution(
            [check for check in some if check.name in own], runs, answer, solution, memory
        )
        for check in some:
            trail = _trail(right.get(check.name), own.get(check.name), programs)
            if trail is not None:
                return trail
    return None


def _is_worth_it(run: Run) -> bool:
    return run.check.outcome is Outcome.FAILED and run.check.seconds <= paced(QUICK_SECONDS) and run.cases > 0


def _of_the_solution(
    checks: Sequence[CheckFunction],
    runs: Mapping[str, Run],
    answer: Worker,
    solution: Callable[[], Worker],
    memory: Memory,
) -> dict[str, Rerun]:
    """What the solution gives in the case of each check in which the answer fails."""
    cases = {check.name: _failing_case(check, runs) for check in checks}
    known = {check.name: recall(memory, check, cases[check.name]) for check in checks}
    found = {name: again for name, again in known.items() if again is not None}
    if missing := [check for check in checks if check.name not in found]:
        answer.end()  # there is one worker at a time
        with solution() as worker:
            new = _reruns(missing, runs, worker)
        for check in missing:
            if check.name in new:
                remember(memory, check, cases[check.name], new[check.name])
        found |= new
    return found


def _reruns(checks: Sequence[CheckFunction], runs: Mapping[str, Run], worker: Worker) -> dict[str, Rerun]:
    """The failing case of each check once more, by the check's name; without those that come to no end."""
    found = {}
    latest = time.monotonic() + paced(SECONDS)
    for check in checks:
        worker.deadline = latest
        with contextlib.suppress(Stopped, NotNotes):
            worker.load()
            found[check.name] = rerun(check, _failing_case(check, runs), worker)
    return found


def _failing_case(check: CheckFunction, runs: Mapping[str, Run]) -> Case:
    return check.cases[runs[check.name].cases - 1]


def _is_same_failure(again: Rerun, run: Run) -> bool:
    """Whether the case fails alone as it did among the others: by what came, and with the same words."""
    return isinstance(again.error, CheckFailed) and wording.clean(str(again.error)) in run.check.message


def _trail(right: Rerun | None, own: Rerun | None, programs: tuple[Program, Program]) -> Trail | None:
    """Over the first call whose value differs from the solution's, and what was made for it before."""
    if right is None or own is None or right.error is not None:
        return None
    last = first_difference(right.calls, own.calls)
    if last is None:
        return None
    places = _places(right, last)
    solution = _scope(right, last, places, programs[1].text)
    answer = _scope(own, last, places, programs[0].text)
    if solution is None or answer is None:
        return None
    calls = right.calls[: last + 1]
    return trail_between(solution, answer, [note for call in calls for note in call.inputs], calls)


def first_difference(right: Sequence[Call], own: Sequence[Call]) -> int | None:
    """The place of the first call whose value is not the solution's."""
    for place, (theirs, mine) in enumerate(zip(right, own, strict=False)):
        do = theirs.request["do"]
        if do != mine.request["do"]:
            return None
        if do == "load_parameters" or (do in ("parameters", "shapes") and place + 1 < len(own)):
            # Their first values are drawn, and then replaced.
            if _shapes(theirs.value) != _shapes(mine.value):
                return None
        elif not _is_object(theirs.value) and difference(mine.value, theirs.value) is not None:
            return place
    return None


def _shapes(parameters: Any) -> dict[str, tuple[int, ...]] | None:
    """By name, of tensors or as they are."""
    if not isinstance(parameters, dict):
        return None
    return {name: tuple(getattr(value, "shape", value) or ()) for name, value in parameters.items()}


def _places(right: Rerun, last: int) -> set[int]:
    """The calls whose notes count: the one whose value is wrong, those that made objects, and those from
    which the solution still uses something. All of them where it is only in what they leave behind that
    something is wrong.
    """
    calls = right.calls[: last + 1]
    if calls[last].request["do"] not in ("call", "run"):
        return set(range(last + 1))
    is_torch = any(note.made_by for note in right.notes.notes)
    # NumPy's objects draw their weights by generators that cannot be followed; a check replaces them.
    places = {p for p, call in enumerate(calls) if p == last or (is_torch and _is_object(call.value))}
    ends = [mark.notes for mark in right.notes.marks]
    mark = calls[last].mark
    if mark is None or mark >= len(ends):
        return places
    everything = Scope(right.notes.notes, (), ())
    begin = ends[mark - 1] if mark else 0
    used = set().union(*(everything.sources(number) for number in range(begin, ends[mark])), set())
    for place, call in enumerate(calls):
        if call.mark is not None and any(
            (ends[call.mark - 1] if call.mark else 0) <= number < ends[call.mark] for number in used
        ):
            places.add(place)
    return places


def _scope(again: Rerun, last: int, places: set[int], source: str) -> Scope | None:
    """The notes up to a call, and those of the calls that count; None where some are missing."""
    marks = again.notes.marks
    made: list[Note] = []
    names: list[Name] = []
    start = named = 0
    for place, call in enumerate(again.calls[: last + 1]):
        if call.mark is None:
            continue
        if call.mark >= len(marks) or not marks[call.mark].complete:
            return None
        mark = marks[call.mark]
        if place in places:
            made += again.notes.notes[start : mark.notes]
            names += again.notes.names[named : mark.names]
        start, named = mark.notes, mark.names
    notes = linked(again.notes.notes[:start], names, source)
    return Scope(notes, tuple(notes[n.number] for n in made), tuple(names), again.notes.scalars, source)


def _is_object(value: Any) -> bool:
    """Whether a call has made something that stays in the worker, or gave nothing."""
    return value is None or isinstance(value, wire.Ref)
