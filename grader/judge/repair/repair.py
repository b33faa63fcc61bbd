"""An answer that fails, changed in one place: where all checks pass with that, it is all that is wrong.

Nothing is guessed: what is said has been tried. Of an answer with two mistakes nothing is found. How far it
came is remembered, so that the same answer is not tried in the same ways twice.
"""

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import msgpack

from grader.judge.checks.reading import Case, CheckFile, CheckFunction
from grader.judge.checks.running import Run, run_case, run_check
from grader.judge.diagnosis.memory import Memory
from grader.judge.limits import Limits
from grader.judge.listener import Listener
from grader.judge.pace import paced
from grader.judge.repair.change import ELSE, Change
from grader.judge.repair.changes import changes_of
from grader.judge.slips.slip import STEP
from grader.judge.verdict import DIAGNOSED, Diagnosis, Outcome
from grader.judge.workers.client import Program, Worker
from grader.kit.outcomes import Crashed, Raised, Stopped, TimedOut

MOST = 800
"""Changes that are tried. That is a bound which does not depend on how busy a machine is: two seconds,
usually."""
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


def latest_end(start: float, known: Diagnosis | None, limits: Limits) -> float:
    """When it is over at the latest (monotonic), by when grading began, and what is known already."""
    seconds = limits.repair_seconds if known is None else min(limits.repair_seconds, HASTE)
    return min(start + paced(limits.patience), time.monotonic() + paced(seconds))


def repaired(
    checks: CheckFile,
    runs: Mapping[str, Run],
    programs: tuple[Program, Program],
    worker: Worker,
    near: int | None,
    latest: float,
    memory: Memory,
    listener: Listener,
) -> Diagnosis | None:
    """What the first of the programs, the answer, has that it should not, by the one change with which all
    checks pass; the other one is the solution. `runs` are its runs by check; it is looked for from the line
    `near` on, not after `latest` (monotonic).
    """
    program, solution = programs
    trial = _Trial(checks, runs, program, worker, latest)
    if trial.first is None:
        return None
    key = f"{hashlib.blake2b(program.text.encode(), digest_size=16).hexdigest()} from {near}"
    so_far = before = _recalled(memory.note(key))
    if before.tried < MOST and before.told is None:
        changes = islice(changes_of(program.text, solution.text, near), before.tried, None)
        so_far = _gone_on(before.tried, changes, trial, listener)
    if so_far != before:
        memory.put_note(key, msgpack.packb(so_far))
        memory.save()
    if so_far.told is None:
        return None
    return Diagnosis(*so_far.told[:2], tuple(check.name for check in trial.failed), line=so_far.told[2])


class _SoFar(NamedTuple):
    """How many changes of an answer were tried, and the id, message and line of what was found: then, or when
    there are no others, that is the end of it.
    """

    tried: int = 0
    told: tuple[str, str, int] | None = None


def _recalled(note: bytes | None) -> _SoFar:
    if note is None:
        return _SoFar()
    tried, told = msgpack.unpackb(note)
    return _SoFar(tried, told and tuple(told))


def _gone_on(
    tried: int, changes: Iterator[tuple[Change, str]], trial: "_Trial", listener: Listener
) -> _SoFar:
    """How far it comes now, after so many."""
    found: list[Change] = []
    left = MOST - tried
    for change, source in changes:
        if found and change.line != found[0].line:
            continue
        if left == 0 or time.monotonic() > trial.latest or listener.is_in_a_hurry():
            break
        if trial.ended >= ENDED:
            return _SoFar(MOST)
        passes = trial.passes(source)
        if not passes and time.monotonic() > trial.latest:
            break  # there may have been no time for a check
        tried, left = tried + 1, left - 1
        if passes:
            left = left if found else BESIDE
            found.append(change)
            if len(found) == MANY:
                break
    else:
        tried = MOST
    return _SoFar(tried, _told(found) if found else None)


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
            self._worker.deadline = time.monotonic() + paced(CASE_SECONDS)
            if self._worker.load(replace(self._program, text=source)).get("problems"):
                return False
        except Stopped as stop:
            self.ended += not isinstance(stop, Raised)
            return False
        error, _ = run_case(check, case, self._worker)
        self.ended += isinstance(error, Crashed | TimedOut)
        return error is None and all(map(self._is_passed, self._order))

    def _is_passed(self, check: CheckFunction) -> bool:
        return _has_passed(run_check(check, self._worker, paced(CHECK_SECONDS), self.latest))


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


def _told(found: Sequence[Change]) -> tuple[str, str, int]:
    first = found[0]
    id, says, advice = first.id, first.says, first.advice
    if len(found) == MANY:
        id, says, advice = f"{first.id.partition('-for-')[0]}-for-something-else", ELSE, STEP
    return id, f"{says} {advice}".strip(), first.line
