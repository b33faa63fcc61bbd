"""The trail of a wrong answer: how far its values are right, and where to look."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from grader.judge import wording
from grader.judge.checks.reading import CheckFile, CheckFunction
from grader.judge.checks.running import Run
from grader.judge.trail.leaving import trail_between
from grader.judge.trail.notes import Note, NotNotes
from grader.judge.trail.path import Scope
from grader.judge.trail.rerun import Call, Rerun, rerun
from grader.judge.verdict import Outcome, Trail
from grader.judge.workers.client import Worker
from grader.kit.comparison import difference
from grader.kit.outcomes import CheckFailed, Stopped
from grader.worker import wire

CHECKS = 4
"""Failing checks that are tried, at most."""
QUICK_SECONDS = 0.1
"""What takes longer is not run once more."""
SECONDS = 2.0
"""For all reruns of one program: they take a tenth of it, if nothing is in their way."""


def find_trail(
    checks: CheckFile, runs: dict[str, Run], own: Callable[[], Worker], reference: Callable[[], Worker]
) -> Trail | None:
    """The trail of an answer by its failing checks; None where there is nothing to say that is sure.

    `own` and `reference` start a worker with the answer, and one with the solution.
    """
    failed = [check for check in checks.checks if _is_worth_it(runs[check.name])][:CHECKS]
    if not failed:
        return None
    with own() as worker:
        theirs = [_rerun(check, runs[check.name], worker) for check in failed]
    failing = [
        (check, again)
        for check, again in zip(failed, theirs, strict=True)
        if again is not None and _is_same_failure(again, runs[check.name])
    ]
    if not failing:
        return None
    with reference() as worker:
        for check, again in failing:
            right = _rerun(check, runs[check.name], worker)
            trail = _trail(right, again) if right is not None and right.error is None else None
            if trail is not None:
                return trail
    return None


def _is_worth_it(run: Run) -> bool:
    return run.check.outcome is Outcome.FAILED and run.check.seconds <= QUICK_SECONDS and run.cases > 0


def _rerun(check: CheckFunction, run: Run, worker: Worker) -> Rerun | None:
    worker.deadline = time.monotonic() + SECONDS
    try:
        worker.load()
        return rerun(check, check.cases[run.cases - 1], worker)
    except (Stopped, NotNotes):
        return None


def _is_same_failure(again: Rerun, run: Run) -> bool:
    """Whether the case fails alone as it did among the others: by what came, and with the same words."""
    return isinstance(again.error, CheckFailed) and wording.clean(str(again.error)) in run.check.message


def _trail(right: Rerun, own: Rerun) -> Trail | None:
    """Over the first call whose value differs from the solution's, and what was made for it before."""
    last = _first_difference(right.calls, own.calls)
    if last is None:
        return None
    scopes = [_scope(again, right.calls, last) for again in (right, own)]
    if scopes[0] is None or scopes[1] is None:
        return None
    return trail_between(scopes[0], scopes[1], _inputs(right.calls[: last + 1]))


def _first_difference(right: Sequence[Call], own: Sequence[Call]) -> int | None:
    for place, (theirs, mine) in enumerate(zip(right, own, strict=False)):
        if theirs.request["do"] != mine.request["do"]:
            return None
        if not _is_object(theirs.value) and difference(mine.value, theirs.value) is not None:
            return place
    return None


def _scope(again: Rerun, right: Sequence[Call], last: int) -> Scope | None:
    """The notes up to a call, without those of calls whose values came right: unless it is only in what they
    leave behind that something is wrong."""
    calls = again.calls[: last + 1]
    marks = again.notes.marks
    is_call = calls[last].request["do"] in ("call", "run")
    made: list[Note] = []
    names = []
    notes = start = named = 0
    for place, call in enumerate(calls):
        if call.mark is None:
            continue
        if call.mark >= len(marks) or not marks[call.mark].complete:
            return None
        mark = marks[call.mark]
        if place == last or not is_call or _is_object(right[place].value):
            made += again.notes.notes[start : mark.notes]
            names += again.notes.names[named : mark.names]
        start, named, notes = mark.notes, mark.names, max(notes, mark.notes)
    return Scope(again.notes.notes[:notes], tuple(made), tuple(names))


def _is_object(value: Any) -> bool:
    """Whether a call has made something that stays in the worker, or gave nothing."""
    return value is None or isinstance(value, wire.Ref)


def _inputs(calls: Sequence[Call]) -> list[Note]:
    """What the check gave to the calls, as if it were noted."""
    found: list[Note] = []
    for call in calls:
        for value in _arrays([call.request.get(key) for key in ("args", "kwargs", "values")]):
            kind = str(value.dtype).removeprefix("torch.")
            array = value.detach().double().numpy() if isinstance(value, Tensor) else value
            if array.dtype.kind in "biuf":
                flat = array.astype(np.float64).reshape(-1)
                found.append(Note(len(found), None, tuple(value.shape), kind, flat, (), False))
    return found


def _arrays(value: Any) -> list[Any]:
    if isinstance(value, Tensor | np.ndarray):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [found for item in value for found in _arrays(item)] if isinstance(value, tuple | list) else []
