"""Which known mistake a failing submission makes: the one that gives the same values in the checks that
failed.

It never guesses. Finite values that differ from the expected ones and agree with the mistake's are strong
evidence: nothing else gives them. Evidence without such values (NaN everywhere, a count, an exception) counts
only when the mistake fails exactly the checks that the submission fails.
"""

import itertools
import time
from collections.abc import Sequence
from dataclasses import replace

from grader.judge.checks.reading import CheckFile, CheckFunction
from grader.judge.checks.running import Run, run_check
from grader.judge.diagnosis.evidence import is_strong, same_evidence
from grader.judge.listener import Listener
from grader.judge.verdict import Diagnosis, Outcome
from grader.judge.workers.client import Program, Worker
from grader.kit.mistakes import MisplacedMistake, Mistake
from grader.kit.outcomes import Stopped

SECONDS = 8.0
"""Time for the whole search."""
CHECK_SECONDS = 2.0
"""Time for one check of one mistake: those that never end are not named."""
PAIRS = 150
"""Pairs of mistakes that are tried, at most."""
GLANCES = 3
"""Checks by which pairs are ordered: more cost more time than they save."""

_DIAGNOSED = (Outcome.FAILED, Outcome.ERROR)


def diagnose(
    checks: CheckFile, runs: dict[str, Run], reference: Program, worker: Worker, listener: Listener
) -> Diagnosis | None:
    """The mistake in the reference whose values are those of `runs` (by check name), None when none is."""
    search = _Search(checks, runs, reference, worker, listener)
    if not search.failed:
        return None
    return search.best([(mistake,) for mistake in checks.mistakes]) or search.best(search.pairs())


class _Search:
    """The submission's runs, to compare mistaken versions of the solution with."""

    def __init__(
        self,
        checks: CheckFile,
        runs: dict[str, Run],
        reference: Program,
        worker: Worker,
        listener: Listener,
    ) -> None:
        failed = [check for check in checks.checks if runs[check.name].check.outcome in _DIAGNOSED]
        # The quickest first: most versions are told apart by it already.
        self.failed = sorted(failed, key=lambda check: runs[check.name].check.seconds)
        self._passed = [c for c in checks.checks if runs[c.name].check.outcome is Outcome.PASSED]
        self._mistakes = checks.mistakes
        self._runs = runs
        self._reference = reference
        self._worker = worker
        self._listener = listener
        self._latest = time.monotonic() + SECONDS

    def best(self, versions: Sequence[tuple[Mistake, ...]]) -> Diagnosis | None:
        """Of the versions that the submission is like, the one that fails the fewest checks of its own."""
        found: list[tuple[int, tuple[Mistake, ...]]] = []
        for version in versions:
            surplus = self._surplus(version)
            if surplus is not None:
                found.append((surplus, version))
            if surplus == 0:
                break  # there is no better one
        if not found:
            return None
        _, mistakes = min(found, key=lambda entry: entry[0])
        return Diagnosis(" + ".join(m.id for m in mistakes), "\n\n".join(m.says for m in mistakes))

    def pairs(self) -> Sequence[tuple[Mistake, ...]]:
        """Pairs of mistakes, those first of which more is seen in the first checks that failed."""
        seen = {mistake.id: self._agreeing(mistake) for mistake in self._mistakes}
        pairs = itertools.combinations(self._mistakes, 2)
        return sorted(pairs, key=lambda pair: -sum(seen[mistake.id] for mistake in pair))[:PAIRS]

    def _agreeing(self, mistake: Mistake) -> int:
        """In how many of the first failed checks the submission is like this mistake."""
        return sum(map(self._agrees, self.failed[:GLANCES])) if self._loads((mistake,)) else 0

    def _surplus(self, mistakes: tuple[Mistake, ...]) -> int | None:
        """How many checks only the mistaken version fails; None when the submission is not that version."""
        if not self._loads(mistakes) or not all(map(self._agrees, self.failed)):
            return None
        surplus = sum(self._run(check).check.outcome is not Outcome.PASSED for check in self._passed)
        strong = any(is_strong(self._runs[check.name]) for check in self.failed)
        return surplus if strong or surplus == 0 else None

    def _agrees(self, check: CheckFunction) -> bool:
        """Whether it comes to the same as with the submission. The cases that this did not get to tell
        nothing, and are left out.
        """
        run = self._runs[check.name]
        return same_evidence(run, self._run(replace(check, cases=check.cases[: run.cases])))

    def _run(self, check: CheckFunction) -> Run:
        return run_check(check, self._worker, CHECK_SECONDS, self._latest)

    def _loads(self, mistakes: tuple[Mistake, ...]) -> bool:
        """Make the solution with these mistakes the worker's program."""
        if time.monotonic() >= self._latest or self._listener.is_in_a_hurry():
            return False
        text = self._reference.text
        try:
            for mistake in mistakes:
                text = mistake.applied(text)
        except MisplacedMistake:
            return False  # both change the same place
        self._worker.deadline = self._latest
        try:
            return not self._worker.load(replace(self._reference, text=text)).get("problems")
        except Stopped:
            return False
