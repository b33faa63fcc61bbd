"""Running one check against the submission in a worker: what came of it, and the evidence."""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.judge.checks.beyond import CaseToItsEnd, FirstWrong, Spare
from grader.judge.checks.reading import Case, CheckFunction
from grader.judge.findings import wording
from grader.judge.verdict import DIAGNOSED, Check, Outcome
from grader.judge.workers.client import Heard, Session, Worker
from grader.judge.workers.starting import WorkerFault
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
from grader.kit.recording import Record, always, never, recording


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
    whole: tuple[CaseToItsEnd, ...] = ()


def run_check(
    check: CheckFunction,
    worker: Heard,
    seconds: float,
    latest: float,
    spare: Spare | None = None,
    most: float = math.inf,
) -> Run:
    """One check: its cases until one does not pass, for `seconds` (unless the check says otherwise) and not
    after `latest` (monotonic). What comes after the first fact that does not hold is seen in time to `spare`,
    and changes nothing. A case in which more than `most` facts are recorded ends with the next one."""
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
    whole: list[CaseToItsEnd] = []
    output, of_case = "", ""
    for case in check.cases:
        begun = time.monotonic()
        worker.take_output()
        first = FirstWrong(worker, spare)
        error, records = run_case(check, case, worker, first.goes_on, most)
        first.case_ended()
        printed = worker.take_output() if first.message is None else first.output
        output, of_case = wording.last_lines(printed), _in_words(case)
        taken.append(time.monotonic() - begun)
        if (first.message is None or first.went_on) and not isinstance(error, TimedOut | Crashed):
            whole.append(CaseToItsEnd(tuple(records), error))
        if first.went_on:
            worker.drop_output()  # how much came depends on the time there was
            error = CheckFailed(first.message)
            records = records[: [record.holds for record in records].index(False) + 1]
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
        tuple(whole) if ended else (),
    )


def run_to_the_end(
    check: CheckFunction, worker: Worker, seconds: float, latest: float, whole: tuple[CaseToItsEnd, ...] = ()
) -> tuple[CaseToItsEnd, ...] | None:
    """All cases of a check, each to its end: what else there is to see after the first thing that is wrong.
    Of the first ones that is known (`whole`). None when that takes too long, or the worker does not live
    through it.
    """
    worker.deadline = min(time.monotonic() + seconds, latest)
    cases = list(whole)
    for case in check.cases[len(whole) :]:
        error, records = run_case(check, case, worker, always)
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
    spare: Spare,
) -> dict[str, tuple[CaseToItsEnd, ...]]:
    """By the name of the check, the same of those of `checks` that can be diagnosed and for which there is
    time, the quickest first. `runs` has what came of them, `seconds` is for each and `spare` for all, not
    after `latest` (monotonic).
    """
    came: dict[str, tuple[CaseToItsEnd, ...]] = {}
    latest = min(latest, time.monotonic() + spare.seconds)
    failed = [check for check in checks if runs[check.name].check.outcome in DIAGNOSED]
    for check in sorted(failed, key=lambda check: runs[check.name].check.seconds):
        whole = runs[check.name].whole
        if len(whole) < len(check.cases) and time.monotonic() >= latest:
            continue
        cases = run_to_the_end(check, worker, seconds, latest, whole)
        if cases is None:
            latest = 0.0  # there is no worker, or no time
        else:
            came[check.name] = cases
    return came


def run_case(
    check: CheckFunction,
    case: Case,
    worker: Session,
    goes_on: Callable[[str], bool] = never,
    most: float = math.inf,
) -> tuple[Exception | None, list[Record]]:
    """What ended a case of a check, None if it passed; and what came in it. `goes_on` says whether a fact
    that does not hold ends nothing; one more than `most` ends it.
    """
    rng = Rng(case.seed)
    fixtures: dict[str, Any] = {"submission": Submission(worker), "rng": rng}
    code = check.function.__code__
    wanted = set(code.co_varnames[: code.co_argcount]) - case.parameters.keys()
    with recording(goes_on, most) as records:
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
            return Outcome.TIMEOUT, wording.timed_out("stopped after", limit, error)
        case Crashed():
            return Outcome.CRASHED, wording.clean(str(error))
        case Forbidden():
            return Outcome.FORBIDDEN, wording.forbidden(error)
        case CheckFailed() | Misused():
            return Outcome.FAILED, wording.clean(str(error))
    # A single value where two are asked for, say.
    return Outcome.FAILED, wording.clean(f"its value cannot be used: {type(error).__name__}: {error}")


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
