"""Running one check against the submission in a worker: what came of it, and the evidence."""

import inspect
import time
from dataclasses import dataclass
from typing import Any

from grader.judge import wording
from grader.judge.checks.reading import Case, CheckFunction
from grader.judge.verdict import Check, Outcome
from grader.judge.workers.client import Session, Worker
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


@dataclass(frozen=True)
class Run:
    """One check run once: its result, and the evidence: what came before it ended, and what ended it.

    `cases`: how many were run. `unwritten`: nothing that it asks for is written yet. `stumble`: an exception
    of the check itself, which could not work with what came, or is faulty.
    """

    check: Check
    records: tuple[Record, ...] = ()
    raised: Raised | None = None
    cases: int = 0
    unwritten: bool = False
    stumble: Exception | None = None


def run_check(check: CheckFunction, worker: Worker, seconds: float, latest: float) -> Run:
    """One check: its cases until one does not pass, for `seconds` (unless the check says otherwise) and not
    after `latest` (monotonic)."""
    start = time.monotonic()
    if start >= latest:
        return Run(Check(check.name, check.title, Outcome.NOT_RUN, "not run: no time was left"))
    limit = min(check.seconds or seconds, latest - start)
    worker.deadline = start + limit
    records: list[Record] = []
    ended: tuple[Case, Exception] | None = None
    unwritten = cases = 0
    output, of_case = "", ""
    for cases, case in enumerate(check.cases, 1):  # noqa: B007  # how many, in the end
        worker.take_output()
        error = run_case(check, case, worker, records)
        output, of_case = wording.last_lines(worker.take_output()), _in_words(case)
        if error is not None:
            ended = (case, error)
        if isinstance(error, NotWritten):
            unwritten += 1  # the other cases may be about a part that is written
        elif error is not None:
            break
    outcome, message = _outcome(ended, limit)
    taken = round(time.monotonic() - start, 4)
    return Run(
        Check(check.name, check.title, outcome, message, taken, output, of_case),
        tuple(records),
        ended[1] if ended and isinstance(ended[1], Raised) else None,
        cases,
        unwritten == len(check.cases),
        ended[1] if ended and not isinstance(ended[1], Stopped | CheckFailed) else None,
    )


def run_case(check: CheckFunction, case: Case, worker: Session, records: list[Record]) -> Exception | None:
    """One case of a check: what ended it, None when it passed. Adds to the records."""
    rng = Rng(case.seed)
    fixtures: dict[str, Any] = {"submission": Submission(worker), "rng": rng}
    wanted = inspect.signature(check.function).parameters.keys() - case.parameters.keys()
    with recording() as made:
        try:
            worker.begin(rng.seed)
            check.function(**case.parameters, **{name: fixtures[name] for name in wanted})
        except Exception as error:
            return error
        finally:
            records += made
    return None


def _outcome(ended: tuple[Case, Exception] | None, limit: float) -> tuple[Outcome, str]:
    if ended is None:
        return Outcome.PASSED, ""
    case, error = ended
    outcome, message = _of_error(error, limit)
    where = _in_words(case)
    return outcome, f"with {where}: {message}" if where else message


def _of_error(error: Exception, limit: float) -> tuple[Outcome, str]:
    match error:
        case NotWritten():
            where = error.frames[-1][1] if error.frames else "this part"
            return Outcome.NOT_RUN, f"not started: {where} still raises NotImplementedError"
        case Raised():
            return Outcome.ERROR, wording.raised(error)
        case TimedOut():
            return Outcome.TIMEOUT, f"stopped after {limit:.2g} s: an endless loop?"
        case Crashed():
            return Outcome.CRASHED, wording.clean(str(error))
        case Forbidden():
            return Outcome.FORBIDDEN, wording.forbidden(error)
        case CheckFailed() | Misused():
            return Outcome.FAILED, wording.clean(str(error))
    # A single value where two are asked for, say.
    return Outcome.FAILED, wording.clean(f"what came cannot be used: {type(error).__name__}: {error}")


def _in_words(case: Case) -> str:
    """The parameters that have a short form."""
    shown = {
        name: value
        for name, value in case.parameters.items()
        if isinstance(value, bool | int | float | str | tuple | None)
    }
    return ", ".join(f"{name}={value!r}" for name, value in shown.items())
