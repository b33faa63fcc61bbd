"""Which known mistake a failing submission makes: the one that gives the same values in the checks that
failed.

It never guesses. Finite values that differ from the expected ones and agree with the mistake's are strong
evidence: nothing else gives them. Evidence without such values (NaN everywhere, a count, an exception) counts
only when the mistake fails exactly the checks that the submission fails.
"""

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace

from grader.judge.checks import CheckFile, CheckFunction
from grader.judge.client import Program, Worker
from grader.judge.evidence import is_strong, same_evidence
from grader.judge.running import Run, run_check
from grader.judge.verdict import Diagnosis, Outcome
from grader.kit.mistakes import Mistake
from grader.kit.outcomes import Stopped

SECONDS = 8.0
"""Time for the whole search."""
CHECK_SECONDS = 2.0
"""Time for one check of one mistake: those that never end are not named."""
PAIRS = 100
"""Pairs of mistakes that are tried, at most."""

_DIAGNOSED = (Outcome.FAILED, Outcome.ERROR)


def diagnose(checks: CheckFile, runs: dict[str, Run], reference: Program, worker: Worker) -> Diagnosis | None:
    """The mistake in the reference whose values are those of `runs` (by check name), None when none is."""
    search = _Search(checks, runs, worker, time.monotonic() + SECONDS)
    if not search.failed:
        return None
    for versions in (_singles(checks.mistakes, reference.text), _pairs(checks.mistakes, reference.text)):
        found = [
            (surplus, mistakes)
            for mistakes, text in versions
            if (surplus := search.surplus(replace(reference, text=text))) is not None
        ]
        if found:
            _, mistakes = min(found, key=lambda entry: entry[0])
            return Diagnosis(" + ".join(m.id for m in mistakes), "\n\n".join(m.says for m in mistakes))
    return None


Version = tuple[tuple[Mistake, ...], str]
"""Mistakes, and the text of the solution that makes them."""


def _singles(mistakes: tuple[Mistake, ...], solution: str) -> Iterator[Version]:
    return (((mistake,), mistake.applied(solution)) for mistake in mistakes)


def _pairs(mistakes: tuple[Mistake, ...], solution: str) -> Iterator[Version]:
    for first, second in itertools.islice(itertools.combinations(mistakes, 2), PAIRS):
        try:
            yield (first, second), second.applied(first.applied(solution))
        except ValueError:
            continue  # both change the same place


class _Search:
    """The submission's runs, to compare mistaken versions of the solution with."""

    def __init__(self, checks: CheckFile, runs: dict[str, Run], worker: Worker, latest: float) -> None:
        self.failed = [check for check in checks.checks if runs[check.name].check.outcome in _DIAGNOSED]
        self._passed = [c for c in checks.checks if runs[c.name].check.outcome is Outcome.PASSED]
        self._runs = runs
        self._worker = worker
        self._latest = latest

    def surplus(self, version: Program) -> int | None:
        """How many checks only the mistaken version fails; None when the submission is not that version."""
        if not self._loads(version):
            return None
        for check in self.failed:
            if not same_evidence(self._runs[check.name], self._run(check)):
                return None
        surplus = sum(self._run(check).check.outcome is not Outcome.PASSED for check in self._passed)
        strong = any(is_strong(self._runs[check.name]) for check in self.failed)
        return surplus if strong or surplus == 0 else None

    def _run(self, check: CheckFunction) -> Run:
        return run_check(check, self._worker, CHECK_SECONDS, self._latest)

    def _loads(self, version: Program) -> bool:
        if time.monotonic() >= self._latest:
            return False
        self._worker.deadline = self._latest
        try:
            return not self._worker.load(version).get("problems")
        except Stopped:
            return False
