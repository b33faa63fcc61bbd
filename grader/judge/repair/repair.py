"""An answer that fails, changed in one place: where all checks pass with that, it is all that is wrong.

Nothing is guessed: what is said has been tried. Of an answer with two mistakes nothing is found.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.judge.checks.reading import Case, CheckFile, CheckFunction
from grader.judge.checks.running import Run, run_case, run_check
from grader.judge.listener import Listener
from grader.judge.repair.change import ELSE, Change
from grader.judge.repair.changes import changes_of
from grader.judge.slips.slip import STEP
from grader.judge.verdict import DIAGNOSED, Diagnosis, Outcome
from grader.judge.workers.client import Program, Worker
from grader.kit.outcomes import Crashed, Raised, Stopped, TimedOut

MOST = 800
"""Changes that are tried. That is a bound which does not depend on how busy a machine is: two seconds,
usually."""
SECONDS = 6.0
"""For all of it, whatever else the machine does."""
PATIENCE = 10.0
"""Seconds after grading began: nobody waits any longer for it."""
HASTE = 1.5
"""Seconds for it where a mistake that explains a part waits to be told."""
CASE_SECONDS = 0.5
"""For one case with one change."""
CHECK_SECONDS = 4.0
"""For one check, where that case passes."""
MANY = 4
"""So many different changes of one line: which of them is meant, nothing tells."""
BESIDE = 100
"""Changes of that line that are tried, at most, to see whether there are so many."""
ENDED = 5
"""Changes that let the answer's process end, at most: it may be made to."""


def latest_end(start: float, known: Diagnosis | None) -> float:
    """When it is over at the latest (monotonic), by when grading began and what is known already."""
    latest = start + PATIENCE
    return latest if known is None else min(latest, time.monotonic() + HASTE)


def repaired(
    checks: CheckFile,
    runs: Mapping[str, Run],
    programs: tuple[Program, Program],
    worker: Worker,
    near: int | None,
    latest: float,
    listener: Listener,
) -> Diagnosis | None:
    """What the first of the programs, the answer, has that it should not, by the one change with which all
    checks pass; the other one is the solution. `runs` are its runs by check; it is looked for from the line
    `near` on, not after `latest` (monotonic).
    """
    program, solution = programs
    trial = _Trial(checks, runs, program, worker, min(latest, time.monotonic() + SECONDS))
    if trial.first is None:
        return None
    found: list[Change] = []
    left = MOST
    for change, source in changes_of(program.text, solution.text, near):
        if found and change.line != found[0].line:
            continue
        left -= 1
        if left < 0 or trial.ended >= ENDED or time.monotonic() > trial.latest or listener.is_in_a_hurry():
            break
        if trial.passes(source):
            left = left if found else BESIDE
            found.append(change)
            if len(found) == MANY:
                break
    return _told(found, [check.name for check in trial.failed]) if found else None


class _Trial:
    """An answer's checks, those first that fail and are run soonest. `ended`: how often its process has;
    `latest`: when it is over.
    """

    def __init__(
        self,
        checks: CheckFile,
        runs: Mapping[str, Run],
        program: Program,
        worker: Worker,
        latest: float,
    ) -> None:
        self.failed = [check for check in checks.checks if not _has_passed(runs[check.name])]
        self.ended = 0
        self.latest = latest
        self._program, self._worker = program, worker
        soonest = sorted(self.failed, key=lambda check: runs[check.name].taken[-1:])
        self._order = [*soonest, *(check for check in checks.checks if check not in self.failed)]
        self.first = _case_of(soonest, runs)

    def passes(self, source: str) -> bool:
        """Whether all checks pass with this source; the case that failed is run before any other."""
        assert self.first is not None
        check, case = self.first
        try:
            self._worker.deadline = time.monotonic() + CASE_SECONDS
            if self._worker.load(replace(self._program, text=source)).get("problems"):
                return False
        except Stopped as stop:
            self.ended += not isinstance(stop, Raised)
            return False
        error, _ = run_case(check, case, self._worker)
        self.ended += isinstance(error, Crashed | TimedOut)
        return error is None and all(map(self._is_passed, self._order))

    def _is_passed(self, check: CheckFunction) -> bool:
        return _has_passed(run_check(check, self._worker, CHECK_SECONDS, self.latest))


def _has_passed(run: Run) -> bool:
    return run.check.outcome is Outcome.PASSED


def _case_of(failed: Sequence[CheckFunction], runs: Mapping[str, Run]) -> tuple[CheckFunction, Case] | None:
    """The failing case of the first check; None where more is wrong than a line: something is not written
    yet, never ends, takes its process down or is refused, or there was no time for it.
    """
    of_failed = [runs[check.name] for check in failed]
    if any(run.gaps or run.cases == 0 or run.check.outcome not in DIAGNOSED for run in of_failed):
        return None
    return next(((check, check.cases[runs[check.name].cases - 1]) for check in failed), None)


def _told(found: Sequence[Change], failed: Sequence[str]) -> Diagnosis:
    first = found[0]
    id, says, advice = first.id, first.says, first.advice
    if len(found) == MANY:
        id, says, advice = f"{first.id.partition('-for-')[0]}-for-something-else", ELSE, STEP
    return Diagnosis(id, f"{says} {advice}".strip(), tuple(failed), line=first.line)
