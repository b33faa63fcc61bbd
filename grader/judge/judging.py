"""Grading one submission: load it in a worker, run the checks, name the mistake, measure the cost."""

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from grader.curriculum.catalog import Topic
from grader.judge.checks.beyond import CaseToItsEnd, Spare
from grader.judge.checks.parts import standing_of_parts
from grader.judge.checks.reading import CheckFile, read_checks
from grader.judge.checks.running import Run, run_check, run_failed_to_the_end, told
from grader.judge.checks.second_round import try_again
from grader.judge.checks.setup import setup_for
from grader.judge.contract import required
from grader.judge.costs import compared, measured, reference_measured
from grader.judge.findings import wording
from grader.judge.importing import imported
from grader.judge.limits import Limits
from grader.judge.listener import Listener
from grader.judge.pace import crowding
from grader.judge.source import NOTHING_WRITTEN, answer_in
from grader.judge.suspicions import suspicions_of
from grader.judge.verdict import Check, Outcome, Verdict
from grader.judge.workers.client import Program, Worker
from grader.judge.workers.starting import Starter
from grader.kit.measured import Measured


def grade(
    topic: Topic,
    path: Path,
    starter: Starter,
    limits: Limits,
    listener: Listener | None = None,
    seed: int | None = None,
) -> Verdict:
    """The verdict on the file at `path` as an answer to the topic. `seed` is that of the second round, by
    default a new one.
    """
    start = time.monotonic()
    limits = limits.among_others(crowding())
    if seed is None:
        seed = int.from_bytes(os.urandom(4), "little")
    else:
        limits = replace(limits, further_seconds=math.inf)  # what failed with it is found again
    return _timed(_graded(topic, path, starter, limits, listener or Listener(), seed, start), start)


def _timed(verdict: Verdict, start: float) -> Verdict:
    return replace(verdict, seconds=round(time.monotonic() - start, 4))


def _graded(
    topic: Topic, path: Path, starter: Starter, limits: Limits, listener: Listener, seed: int, start: float
) -> Verdict:
    text = answer_in(topic, path)
    if isinstance(text, Verdict):
        return text
    solution = topic.solution.read_text(encoding="utf-8")
    names = required(solution)
    verdict = Verdict(topic.id, str(path), Outcome.NOT_STARTED, message=NOTHING_WRITTEN)
    program = Program(text, os.path.abspath(path), topic.id, names)
    reference = Program(solution, str(topic.solution), topic.id, names)
    with _Grading(topic, starter, limits, program, reference) as grading:
        verdict = grading.checked(verdict, seed, lambda once: listener.passed_once(_timed(once, start)))
        if grading.is_wrong:
            listener.checked(_timed(verdict, start))
            verdict = grading.explained(verdict, start, listener)
    return verdict


class _Grading:
    """One submission, its topic's checks, and the workers that run them. A context manager: the submission's
    worker lives until it is left, or another one begins.
    """

    def __init__(
        self, topic: Topic, starter: Starter, limits: Limits, program: Program, reference: Program
    ) -> None:
        self._topic = topic
        self._checks: CheckFile = read_checks(topic)
        self._limits = limits
        self._program = program
        self._reference = reference
        self._starter = starter
        self._setup = setup_for(topic, self._checks)
        self._answer = self._worker(program)
        self._spare = Spare() if limits.diagnose else None
        self._runs: dict[str, Run] = {}
        self._to_the_end: Mapping[str, tuple[CaseToItsEnd, ...]] = {}

    def __enter__(self) -> "_Grading":
        return self

    def __exit__(self, *exception: object) -> None:
        self._answer.end()

    @property
    def is_wrong(self) -> bool:
        """Whether there is more to be said of what the checks found."""
        return any(run.check.outcome is not Outcome.PASSED for run in self._runs.values())

    def checked(self, verdict: Verdict, seed: int, passed_once: Callable[[Verdict], None]) -> Verdict:
        """The verdict but for the mistake; what passed once is told before the second round, with `seed`."""
        begun = time.monotonic()
        verdict = self._loaded(verdict)
        if verdict.passed:
            verdict = self._first_round(verdict, begun)
        latest = self._latest(begun)
        if verdict.passed and self._limits.again:
            passed_once(verdict)
            verdict = self._second_round(verdict, seed, latest)
        used: Measured | None = None
        if verdict.passed:
            used = measured(self._checks, self._answer, self._limits.check_seconds)
            verdict = self._ended(verdict)
        elif self._runs:
            verdict = replace(verdict, parts=self._parts(latest))
        verdict = replace(verdict, output=wording.last_lines(self._answer.output))
        if self.is_wrong and self._spare is not None:
            self._to_the_end = self._run_to_the_end(latest, self._spare)
        return self._with_cost(verdict, used) if used is not None and verdict.passed else verdict

    def _loaded(self, verdict: Verdict) -> Verdict:
        """Passed so far if the file can be imported and has all that it should."""
        came = imported(self._answer, self._program.text, self._limits.check_seconds)
        checks = tuple(Check(check.name, check.title, Outcome.NOT_RUN) for check in self._checks.checks)
        if came[0] in (Outcome.PASSED, Outcome.FORBIDDEN):  # it is Python, and a worker has read it
            verdict = replace(verdict, suspicions=suspicions_of(self._program.text))
        return _standing(replace(verdict, checks=checks), *came)

    def _latest(self, begun: float) -> float:
        has_hung = any(run.check.outcome is Outcome.TIMEOUT for run in self._runs.values())
        return self._limits.latest(begun, has_hung)

    def _first_round(self, verdict: Verdict, begun: float) -> Verdict:
        seconds, runs = self._limits.check_seconds, self._runs
        for check in self._checks.checks:
            runs[check.name] = run_check(check, self._answer, seconds, self._latest(begun), self._spare)
        came = [run.check for run in runs.values()]
        outputs = wording.shared([check.output for check in came])
        checks = tuple(replace(check, output=text) for check, text in zip(came, outputs, strict=True))
        return _standing(replace(verdict, checks=checks), *_overall(list(runs.values())))

    def _second_round(self, verdict: Verdict, seed: int, latest: float) -> Verdict:
        again = try_again(self._checks.checks, self._runs, self._answer, seed, self._limits, latest)
        verdict = replace(verdict, seed=seed, tried_again=again.tried)
        failed = again.failed
        if failed is None:
            return verdict
        checks = tuple(failed if check.name == failed.name else check for check in verdict.checks)
        return replace(verdict, outcome=failed.outcome, checks=checks)

    def _ended(self, verdict: Verdict) -> Verdict:
        """The verdict when the worker of an answer that passed has ended: it may have been refused something
        meanwhile."""
        self._answer.end()
        refusal = self._answer.refusal
        return verdict if refusal is None else _standing(verdict, *told(refusal, 0.0))

    def _with_cost(self, verdict: Verdict, used: Measured) -> Verdict:
        reference = reference_measured(
            self._checks, self._reference, self._bare_worker, self._limits.check_seconds
        )
        cost, wrong = compared(used, reference)
        return replace(verdict, cost=cost) if cost else _standing(verdict, Outcome.FAILED, wrong)

    def _run_to_the_end(self, latest: float, spare: Spare) -> Mapping[str, tuple[CaseToItsEnd, ...]]:
        seconds = self._limits.check_seconds
        return run_failed_to_the_end(self._checks.checks, self._runs, self._answer, seconds, latest, spare)

    def explained(self, verdict: Verdict, start: float, listener: Listener) -> Verdict:
        """The verdict on a wrong answer, with what is wrong. `start`: when grading began (monotonic)."""
        # Whoever grades a right answer has no need of this, and loading it takes a while.
        from grader.judge.explaining.explaining import Failing, explained

        programs = self._program, self._reference
        failing = Failing(
            self._topic, self._checks, self._runs, self._to_the_end, programs, self._answer, self._worker
        )
        return explained(verdict, failing, self._limits, start, listener)

    def _parts(self, latest: float) -> dict[str, str]:
        checks, required = self._checks.checks, self._program.required
        return standing_of_parts(required, checks, self._runs, self._answer, latest)

    def _worker(self, program: Program) -> Worker:
        return Worker(self._starter, self._setup, program)

    def _bare_worker(self, program: Program) -> Worker:
        """One in which nothing is forbidden, which takes a while: for a program of ours."""
        return Worker(self._starter, replace(self._setup, forbid=()), program)


def _standing(verdict: Verdict, outcome: Outcome, message: str | None) -> Verdict:
    """The verdict with this outcome, and what there is to say of the file as a whole."""
    message = None if message is None else wording.bounded(message, wording.FILE_BYTES)
    return replace(verdict, outcome=outcome, message=message)


def _overall(runs: list[Run]) -> tuple[Outcome, str | None]:
    """The worst of the checks. What is not written yet lets an answer fail at best."""
    if all(run.unwritten for run in runs):
        return Outcome.NOT_STARTED, NOTHING_WRITTEN
    worst = max((run.check.outcome for run in runs), key=lambda outcome: outcome.severity)
    return (Outcome.FAILED if worst is Outcome.NOT_RUN else worst), None
