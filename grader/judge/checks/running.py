"""Running one check against the submission in a worker: what came of it, and the evidence."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.judge import wording
from grader.judge.checks.reading import Case, CheckFunction
from grader.judge.verdict import Check, Outcome
from grader.judge.workers.client import Heard, Session, Worker, WorkerFault
from grader.kit.generators import Rng
from grader.kit.handles import Submission
from grader.kit.outcomes import (
    CheckFailed,
    Crashed,
    Forbidden,
    Misused,
    NotWritten,
    Raised,
    Stopped,
    TimedOut,
)
from grader.kit.recording import Record, recording

DIAGNOSED = (Outcome.FAILED, Outcome.ERROR)
"""Outcomes of checks that a mistake may explain."""

TO_THE_END_SECONDS = 0.1
"""Time for seeing what else is wrong in a submission: the checks are shown after it."""


@dataclass(frozen=True)
class Run:
    """One check run once: its result, and the evidence: what came in the last case, and what ended it.

    `cases`: how many were run, up to that one, and `taken`: the seconds of each. `unwritten`: nothing that it
    asks for is written yet. `stumble`: an exception of the check itself, which could not work with what came,
    or is faulty. Of the cases, by their seeds: `gaps` are the functions that some came to and that are not
    written yet, `broken` is the one that ended the check.
    """

    check: Check
    records: tuple[Record, ...] = ()
    raised: Raised | None = None
    cases: int = 0
    unwritten: bool = False
    stumble: Exception | None = None
    taken: tuple[float, ...] = ()
    gaps: Mapping[str, str] = field(default_factory=dict)
    broken: str | None = None


def run_check(check: CheckFunction, worker: Heard, seconds: float, latest: float) -> Run:
    """One check: its cases until one does not pass, for `seconds` (unless the check says otherwise) and not
    after `latest` (monotonic)."""
    start = time.monotonic()
    if start >= latest:
        return Run(Check(check.name, check.title, Outcome.NOT_RUN, "not run: no time was left"))
    limit = min(check.seconds or seconds, latest - start)
    worker.deadline = start + limit
    records: list[Record] = []
    ended: tuple[Case, Exception] | None = None
    gaps: dict[str, str] = {}
    broken: str | None = None
    taken: list[float] = []
    output, of_case = "", ""
    for case in check.cases:
        begun = time.monotonic()
        worker.take_output()
        error, records = run_case(check, case, worker)
        output, of_case = wording.last_lines(worker.take_output()), _in_words(case)
        taken.append(time.monotonic() - begun)
        if error is not None:
            ended = (case, error)
        if isinstance(error, NotWritten):
            gaps[case.seed] = _unwritten(error)  # the other cases may be about a part that is written
        elif error is not None:
            broken = case.seed
            break
    outcome, message = _outcome(ended, limit)
    seconds = round(time.monotonic() - start, 4)
    return Run(
        Check(check.name, check.title, outcome, message, seconds, output, of_case),
        tuple(records),
        ended[1] if ended and isinstance(ended[1], Raised) else None,
        len(taken),
        len(gaps) == len(check.cases),
        ended[1] if ended and not isinstance(ended[1], Stopped | CheckFailed) else None,
        tuple(taken),
        gaps,
        broken,
    )


@dataclass(frozen=True)
class CaseToItsEnd:
    """One case, run on past facts that do not hold: what came, and the exception that ended it, if any."""

    records: tuple[Record, ...]
    error: Exception | None = None


def run_to_the_end(
    check: CheckFunction, worker: Worker, seconds: float, latest: float
) -> tuple[CaseToItsEnd, ...] | None:
    """All cases of a check, each to its end: what else there is to see after the first thing that is wrong.
    None when that takes too long, or the worker does not live through it.
    """
    worker.deadline = min(time.monotonic() + seconds, latest)
    cases = []
    for case in check.cases:
        error, records = run_case(check, case, worker, goes_on=True)
        if isinstance(error, TimedOut | Crashed):
            return None
        cases.append(CaseToItsEnd(tuple(records), error))
    return tuple(cases)


def run_failed_to_the_end(
    checks: Iterable[CheckFunction],
    runs: Mapping[str, Run],
    worker: Worker,
    seconds: float,
    latest: float,
    together: float = TO_THE_END_SECONDS,
) -> dict[str, tuple[CaseToItsEnd, ...]]:
    """By the name of the check, the same of those of `checks` that can be diagnosed and for which there is
    time, the quickest first. `runs` has what came of them, `seconds` is for each and `together` for all, not
    after `latest` (monotonic).
    """
    came: dict[str, tuple[CaseToItsEnd, ...]] = {}
    latest = min(latest, time.monotonic() + together)
    failed = [check for check in checks if runs[check.name].check.outcome in DIAGNOSED]
    for check in sorted(failed, key=lambda check: runs[check.name].check.seconds):
        if time.monotonic() >= latest:
            break
        cases = run_to_the_end(check, worker, seconds, latest)
        if cases is None:
            break
        came[check.name] = cases
    return came


def run_case(
    check: CheckFunction, case: Case, worker: Session, goes_on: bool = False
) -> tuple[Exception | None, list[Record]]:
    """What ended a case of a check, None if it passed; and what came in it."""
    rng = Rng(case.seed)
    fixtures: dict[str, Any] = {"submission": Submission(worker), "rng": rng}
    code = check.function.__code__
    wanted = set(code.co_varnames[: code.co_argcount]) - case.parameters.keys()
    with recording(goes_on=goes_on) as records:
        try:
            worker.begin(rng.seed)
            check.function(**case.parameters, **{name: fixtures[name] for name in wanted})
        except WorkerFault:
            raise  # ours, not the answer's
        except Exception as error:
            return error, records
    return None, records


def _outcome(ended: tuple[Case, Exception] | None, limit: float) -> tuple[Outcome, str]:
    if ended is None:
        return Outcome.PASSED, ""
    case, error = ended
    outcome, message = told(error, limit)
    where = _in_words(case)
    return outcome, wording.bounded(f"with {where}: {message}" if where else message, wording.CHECK_BYTES)


def told(error: Exception, limit: float) -> tuple[Outcome, str]:
    """What an exception makes of a check that had `limit` seconds, and what to say of it."""
    match error:
        case NotWritten():
            return Outcome.NOT_RUN, f"not started: {_unwritten(error)} still raises NotImplementedError"
        case Raised():
            return Outcome.ERROR, wording.raised(error)
        case TimedOut():
            return Outcome.TIMEOUT, wording.timed_out(f"stopped after {limit:.2g} s", error)
        case Crashed():
            return Outcome.CRASHED, wording.clean(str(error))
        case Forbidden():
            return Outcome.FORBIDDEN, wording.forbidden(error)
        case CheckFailed() | Misused():
            return Outcome.FAILED, wording.clean(str(error))
    # A single value where two are asked for, say.
    return Outcome.FAILED, wording.clean(f"what came cannot be used: {type(error).__name__}: {error}")


def _unwritten(error: NotWritten) -> str:
    """The function that is not written."""
    return error.frames[-1][1] if error.frames else "this part"


def _in_words(case: Case) -> str:
    """The parameters that have a short form."""
    shown = {
        name: value
        for name, value in case.parameters.items()
        if isinstance(value, bool | int | float | str | tuple | None)
    }
    return ", ".join(f"{name}={value!r}" for name, value in shown.items())
