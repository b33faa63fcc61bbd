"""Grading one submission: read it, load it in a worker, run the checks, name the mistake, measure the
cost.
"""

import contextlib
import os
import time
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from grader.curriculum.catalog import Topic
from grader.curriculum.exercises.blanks import MISSING, blanks_of
from grader.curriculum.exercises.empty import HEADING, empty_of
from grader.curriculum.exercises.stub import stub_of
from grader.judge import wording
from grader.judge.checks.reading import CheckFile, read_checks
from grader.judge.checks.running import Run, run_check
from grader.judge.contract import required
from grader.judge.diagnosis.naming import diagnose
from grader.judge.limits import Limits
from grader.judge.listener import Listener
from grader.judge.source import Unreadable, read_source
from grader.judge.trail.trail import find_trail
from grader.judge.verdict import Check, Cost, Diagnosis, Outcome, Trail, Verdict
from grader.judge.workers.client import Program, Setup, Worker
from grader.judge.workers.launch import Launcher
from grader.kit.generators import Rng
from grader.kit.handles import Measured, Submission
from grader.kit.outcomes import Crashed, Forbidden, Raised, Stopped, TimedOut
from grader.worker.answering.loading import Signatures

NOTHING_WRITTEN = "Nothing is written yet."


def grade(
    topic: Topic, path: Path, launcher: Launcher, limits: Limits, listener: Listener | None = None
) -> Verdict:
    """The verdict on the file at `path` as an answer to the topic."""
    start = time.monotonic()
    return _timed(_graded(topic, path, launcher, limits, listener or Listener(), start), start)


def _timed(verdict: Verdict, start: float) -> Verdict:
    return replace(verdict, seconds=round(time.monotonic() - start, 4))


def _graded(
    topic: Topic, path: Path, launcher: Launcher, limits: Limits, listener: Listener, start: float
) -> Verdict:
    verdict = Verdict(topic.id, str(path), Outcome.NOT_STARTED, message=NOTHING_WRITTEN)
    try:
        text = read_source(path)
    except Unreadable as reason:
        return replace(verdict, outcome=Outcome.UNREADABLE, message=str(reason))
    solution = topic.solution.read_text(encoding="utf-8")
    stub, names = _made_of(solution)
    if text.strip() in ("", stub.strip()) or _is_untouched(text, solution, topic.blanks):
        return verdict
    program = Program(text, os.path.abspath(path), topic.id, names)
    reference = Program(solution, str(topic.solution), topic.id, names)
    grading = _Grading(topic, launcher, limits, program, reference)
    verdict = grading.checked(verdict)
    if grading.is_wrong:
        listener.checked(_timed(verdict, start))
        verdict = replace(verdict, trail=grading.trail(listener))
        if limits.diagnose:
            verdict = replace(verdict, diagnosis=grading.diagnosis(listener))
    return verdict


@lru_cache(maxsize=256)
def _made_of(solution: str) -> tuple[str, Signatures]:
    """The stub of a solution, and what it asks for."""
    return stub_of(solution), required(solution)


def _is_untouched(text: str, solution: str, blanks: tuple[str, ...]) -> bool:
    """Whether this is the exercise at another level of recall, as it was handed out."""
    return (MISSING in text and text.strip() == blanks_of(solution, blanks).strip()) or (
        HEADING in text and text.strip() == empty_of(solution).strip()
    )


class _Grading:
    """One submission, its topic's checks, and the workers that run them."""

    def __init__(
        self, topic: Topic, launcher: Launcher, limits: Limits, program: Program, reference: Program
    ) -> None:
        self._checks: CheckFile = read_checks(topic)
        self._limits = limits
        self._program = program
        self._reference = reference
        self._launcher = launcher
        self._setup = Setup(self._checks.forbidden, without_torch=topic.framework == "numpy")
        self._runs: dict[str, Run] = {}

    @property
    def is_wrong(self) -> bool:
        """Whether there is more to be said of what the checks found."""
        return any(run.check.outcome is not Outcome.PASSED for run in self._runs.values())

    def checked(self, verdict: Verdict) -> Verdict:
        """The verdict with all that was found but for the mistake."""
        latest = time.monotonic() + self._limits.file_seconds
        with self._worker(self._program) as worker:
            outcome, message = self._load(worker)
            runs = self._runs
            if outcome is Outcome.PASSED:
                for check in self._checks.checks:
                    runs[check.name] = run_check(check, worker, self._limits.check_seconds, latest)
                outcome, message = _overall(list(runs.values()))
            used = self._measured(worker) if outcome is Outcome.PASSED else None
            worker.end()
            output = wording.last_lines(worker.output)
        return replace(
            verdict,
            outcome=outcome,
            message=message,
            checks=tuple(
                runs[check.name].check if runs else Check(check.name, check.title, Outcome.NOT_RUN)
                for check in self._checks.checks
            ),
            output=output,
            cost=self._cost(used) if used is not None else None,
        )

    def _load(self, worker: Worker) -> tuple[Outcome, str | None]:
        """Import the submission: what is wrong with the file as a whole, PASSED when nothing is."""
        seconds = self._limits.check_seconds
        worker.deadline = time.monotonic() + seconds
        try:
            reply = worker.load()
        except Raised as error:
            return Outcome.ERROR, f"The file cannot be imported.\n{wording.raised(error)}"
        except TimedOut:
            return Outcome.TIMEOUT, f"Importing the file takes more than {seconds:g} s: an endless loop?"
        except Crashed as error:
            return Outcome.CRASHED, f"While the file was imported: {wording.clean(str(error))}"
        except Forbidden as error:
            return Outcome.FORBIDDEN, wording.forbidden(error)
        if "syntax" in reply:
            return Outcome.UNREADABLE, wording.syntax(reply["syntax"])
        if reply.get("empty"):
            return Outcome.NOT_STARTED, NOTHING_WRITTEN
        if reply.get("problems"):
            return Outcome.ERROR, "\n".join(wording.problem(fault) for fault in reply["problems"])
        return Outcome.PASSED, None

    def diagnosis(self, listener: Listener) -> Diagnosis | None:
        """The mistake that the checks show, if it is a known one."""
        with self._worker(self._reference) as worker:
            for check in self._checks.checks:
                stumble = self._runs[check.name].stumble
                if stumble is not None:
                    again = run_check(check, worker, self._limits.check_seconds, float("inf"))
                    if again.stumble is not None:
                        raise stumble  # over the reference too: a fault of ours
            return diagnose(self._checks, self._runs, self._reference, worker, listener)

    def trail(self, listener: Listener) -> Trail | None:
        """How far the values are right, where they can be followed."""
        if listener.is_in_a_hurry():
            return None
        # It is not worth a verdict, whatever an answer has done to what was noted.
        with contextlib.suppress(Exception):
            return find_trail(self._checks, self._runs, (self._program, self._reference), self._worker)
        return None

    def _worker(self, program: Program) -> Worker:
        return Worker(self._launcher, self._setup, program)

    def _measured(self, worker: Worker) -> Measured | None:
        """What the topic's typical call costs in the worker."""
        if self._checks.workload is None:
            return None
        try:
            worker.deadline = time.monotonic() + self._limits.check_seconds
            worker.begin(0)
            return self._checks.workload(Submission(worker), Rng("workload"))
        except Stopped:
            return None

    def _cost(self, used: Measured) -> Cost:
        reference = _REFERENCE_COSTS.get(self._reference)
        if reference is None:
            with self._worker(self._reference) as worker:
                reference = self._measured(worker)
            if reference is None:
                raise RuntimeError("the reference cannot be measured")
            _REFERENCE_COSTS[self._reference] = reference
        return Cost(used.matmul_flops, used.largest_tensor, reference.matmul_flops, reference.largest_tensor)


_REFERENCE_COSTS: dict[Program, Measured] = {}
"""What the references cost: that does not change while a judge lives."""


def _overall(runs: list[Run]) -> tuple[Outcome, str | None]:
    """The worst of the checks. What is not written yet lets an answer fail at best."""
    if all(run.unwritten for run in runs):
        return Outcome.NOT_STARTED, NOTHING_WRITTEN
    worst = max((run.check.outcome for run in runs), key=lambda outcome: outcome.severity)
    return (Outcome.FAILED if worst is Outcome.NOT_RUN else worst), None
