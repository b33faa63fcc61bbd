"""Mistaken versions of a solution: what each gives in a check, remembered or found out."""

import contextlib
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from grader.judge.checks.beyond import Spare
from grader.judge.checks.reading import Case, CheckFunction
from grader.judge.checks.running import run_check, run_to_the_end
from grader.judge.diagnosis.evidence import (
    Evidence,
    EvidenceToTheEnd,
    evidence_of,
    evidence_to_the_end_of,
)
from grader.judge.diagnosis.keeping import keep_state
from grader.judge.diagnosis.memory import Memory
from grader.judge.diagnosis.rounding import Nudged
from grader.judge.listener import Listener
from grader.judge.pace import paced
from grader.judge.verdict import Outcome
from grader.judge.workers.client import Program, Worker
from grader.kit.mistakes import MisplacedMistake, Mistake
from grader.kit.outcomes import Stopped

SETS_SECONDS = 5.0
"""Time behind that of running versions for sets of what is remembered, of which there may be very many."""
CHECK_SECONDS = 4.0
"""Time for one check of one version: those that never end are not named."""


def text_of_versions(reference: Program, mistakes: Iterable[Mistake]) -> str:
    """All that may stand in some version."""
    edits = [text for each in mistakes for text in (each.replace, *(replace for _, replace in each.also))]
    return "\n".join([reference.text, *edits])


class NoTime(Exception):
    """There is no time left to find out, or nobody waits for it any more."""


class Versions:
    """The solution with one mistake, or with several whose edits do not touch one another, in `checks`.

    `worker` runs what is not in `memory`, for `work` seconds of work of this process (those of an ordinary
    machine), or until `listener` is in a hurry. Work and not time, so that as much is found on a machine that
    does other things as well; but no longer than for `seconds`.
    """

    def __init__(
        self,
        checks: Sequence[CheckFunction],
        reference: Program,
        worker: Worker,
        memory: Memory,
        work: float,
        seconds: float,
        listener: Listener,
    ) -> None:
        self._checks = checks
        self._reference = reference
        self._worker = worker
        self._memory = memory
        self._listener = listener
        self._latest = time.monotonic() + seconds
        self._most = time.process_time() + paced(work)
        self._loaded: tuple[Mistake, ...] = ()
        self._is_usable = False

    def hurry(self, seconds: float) -> None:
        """Leave no more work than that for what is not remembered."""
        self._most = min(self._most, time.process_time() + paced(seconds))

    @contextlib.contextmanager
    def at_most(self, seconds: float) -> Iterator[None]:
        """Meanwhile there is no more work than that for what is not remembered."""
        most = self._most
        self.hurry(seconds)
        try:
            yield
        finally:
            self._most = most

    def is_late(self) -> bool:
        """Whether only what is remembered can be told."""
        is_late = time.process_time() >= self._most or time.monotonic() >= self._latest
        return is_late or self._listener.is_in_a_hurry()

    def keep_to_the_time(self) -> None:
        """Raises NoTime when it is over for sets of what is remembered, too."""
        if time.monotonic() >= self._latest + SETS_SECONDS:
            raise NoTime

    def is_known(self, mistakes: Sequence[Mistake], check: CheckFunction) -> bool:
        """Whether it is remembered what the version gives in the check."""
        return self._memory.get([mistake.id for mistake in mistakes], check.name, Evidence) is not None

    def may_tell(self, mistakes: Sequence[Mistake]) -> bool:
        """Whether anything is remembered of the version, or there is time to find out."""
        return self._memory.has_any([mistake.id for mistake in mistakes]) or not self.is_late()

    def keep_state(self, mistakes: Sequence[Mistake]) -> bool:
        """Whether the version may keep something from check to check."""
        return keep_state(mistakes, self._reference.text)

    def evidence(self, mistakes: Sequence[Mistake], check: CheckFunction) -> Evidence | None:
        """What the version gives in the check; None if there is no such version: its edits are in each
        other's way, or it cannot be imported. Raises NoTime.
        """
        return self._evidence(mistakes, check, math.inf)

    def evidence_in(
        self, case: Case, mistakes: Sequence[Mistake], check: CheckFunction, most: int
    ) -> Evidence | None:
        """The same in one case of the check, which ends when more than `most` facts are recorded. Raises
        NoTime.
        """
        alone = replace(check, name=f"{check.name} {case.seed} {most}", cases=(case,))
        return self._evidence(mistakes, alone, most)

    def _evidence(self, mistakes: Sequence[Mistake], check: CheckFunction, most: float) -> Evidence | None:
        ids = [mistake.id for mistake in mistakes]
        known = self._memory.get(ids, check.name, Evidence)
        if known is None and self.keep_state(mistakes):
            self._run_in_order(mistakes)
            known = self._memory.get(ids, check.name, Evidence)
            if known is None:
                return None
        elif known is None:
            known = Evidence(Outcome.UNREADABLE)
            if self._is_ready(tuple(mistakes)):
                run = run_check(check, self._worker, paced(CHECK_SECONDS), self._latest, most=most)
                known = evidence_of(run)
            if known.outcome is not Outcome.NOT_RUN:
                self._memory.put(ids, check.name, known)
        return None if known.outcome is Outcome.UNREADABLE else known

    def nudged_evidence(self, mistake: Mistake, check: CheckFunction) -> Evidence | None:
        """The same of one mistake, with inputs a rounding off. It is not remembered: it is seldom asked for.
        Raises NoTime.
        """
        if not self._is_ready((mistake,)):
            return None
        return evidence_of(run_check(check, Nudged(self._worker), paced(CHECK_SECONDS), self._latest))

    def evidence_to_the_end(
        self, mistakes: Sequence[Mistake], check: CheckFunction
    ) -> EvidenceToTheEnd | None:
        """The same where nothing ends the check: not of what keeps state, which has more of it then. Raises
        NoTime.
        """
        self.keep_to_the_time()
        ids = [mistake.id for mistake in mistakes]
        known = self._memory.get(ids, check.name, EvidenceToTheEnd)
        if known is None:
            cases = None
            if self._is_ready(tuple(mistakes)):
                cases = run_to_the_end(check, self._worker, paced(CHECK_SECONDS), self._latest)
            known = evidence_to_the_end_of(cases or ())
            self._memory.put(ids, check.name, known)
        return known if known.cases else None

    def _run_in_order(self, mistakes: Sequence[Mistake]) -> None:
        """Remember what the version gives in all checks, run as those of a submission are. Raises NoTime."""
        ids, unreadable = [mistake.id for mistake in mistakes], Evidence(Outcome.UNREADABLE)
        self._loaded = ()  # what was loaded may keep something by now
        if not self._is_ready(tuple(mistakes)):
            for check in self._checks:
                self._memory.put(ids, check.name, unreadable)
            return
        seconds, latest = paced(CHECK_SECONDS), self._latest
        spare = Spare()
        for check in self._checks:
            run = run_check(check, self._worker, seconds, latest, spare)
            if run.check.outcome is not Outcome.NOT_RUN:
                self._memory.put(ids, check.name, evidence_of(run))

    def _is_ready(self, mistakes: tuple[Mistake, ...]) -> bool:
        """Whether the worker has this version loaded. Raises NoTime."""
        if self.is_late():
            raise NoTime
        if mistakes != self._loaded:
            self._loaded = mistakes
            self._is_usable = self._loads(mistakes)
        return self._is_usable

    def _loads(self, mistakes: tuple[Mistake, ...]) -> bool:
        """Make the solution with these mistakes the worker's program."""
        text = self._reference.text
        try:
            for mistake in mistakes:
                text = mistake.applied(text)
            self._worker.deadline = self._latest
            return not self._worker.load(replace(self._reference, text=text)).get("problems")
        except (MisplacedMistake, Stopped):
            return False
