"""Grading one submission: read it, load it in a worker, run the checks, name the mistake, measure the
cost.
"""

import os
import time
from dataclasses import replace
from pathlib import Path

from grader.catalog import Topic
from grader.judge import wording
from grader.judge.client import Program, Setup, Worker
from grader.judge.contract import required
from grader.judge.diagnosis import diagnose
from grader.judge.launch import Launcher
from grader.judge.limits import Limits
from grader.judge.source import Unreadable, read_source
from grader.judge.suite import Run, Suite, with_suite
from grader.judge.verdict import Check, Cost, Diagnosis, Outcome, Verdict
from grader.kit.generators import Rng
from grader.kit.handles import Measured, Submission
from grader.kit.outcomes import Crashed, Forbidden, NotWritten, Raised, Stopped, TimedOut
from grader.stub_source import stub_of


def grade(topic: Topic, path: Path, launcher: Launcher, limits: Limits) -> Verdict:
    """The verdict on the file at `path` as an answer to the topic."""
    start = time.monotonic()
    blank = Verdict(topic.id, str(path), Outcome.UNREADABLE)
    try:
        text = read_source(path)
    except Unreadable as reason:
        return replace(blank, message=str(reason), seconds=_since(start))
    solution = topic.solution.read_text(encoding="utf-8")
    if text.strip() in ("", stub_of(solution).strip()):
        return replace(blank, outcome=Outcome.NOT_STARTED, message=NOTHING_WRITTEN, seconds=_since(start))
    names = required(solution)
    program = Program(text, os.path.abspath(path), topic.id, names)
    reference = Program(solution, str(topic.solution), topic.id, names)
    verdicts: list[Verdict] = []

    def act(suite: Suite) -> None:
        verdicts.append(_Grading(topic, suite, launcher, limits, program, reference).verdict(blank))

    with_suite(topic, act)
    return replace(verdicts[0], seconds=_since(start))


NOTHING_WRITTEN = "Nothing is written yet."


class _Grading:
    """One submission, its topic's checks, and the workers that run them."""

    def __init__(
        self,
        topic: Topic,
        suite: Suite,
        launcher: Launcher,
        limits: Limits,
        program: Program,
        reference: Program,
    ) -> None:
        self._suite = suite
        self._limits = limits
        self._program = program
        self._reference = reference
        self._launcher = launcher
        self._setup = Setup(suite.forbidden, without_torch=topic.framework == "numpy")
        self._has_torch = topic.framework == "torch"

    def verdict(self, blank: Verdict) -> Verdict:
        deadline = time.monotonic() + self._limits.file_seconds
        with self._worker(self._program) as worker:
            outcome, message = self._load(worker)
            if outcome is not Outcome.PASSED:
                worker.end()
                unrun = tuple(Check(g.name, g.title, Outcome.NOT_RUN) for g in self._suite.groups)
                output = wording.last_lines(worker.output)
                return replace(blank, outcome=outcome, message=message, checks=unrun, output=output)
            runs = {
                group.name: self._suite.run(group, worker, self._limits.check_seconds, deadline)
                for group in self._suite.groups
            }
            passed = all(run.check.outcome is Outcome.PASSED for run in runs.values())
            used = self._measure(worker) if passed else None
            worker.end()
            output = wording.last_lines(worker.output)
        checks = tuple(run.check for run in runs.values())
        outcome, message = _overall(list(runs.values()))
        return replace(
            blank,
            outcome=outcome,
            message=message,
            checks=checks,
            output=output,
            diagnosis=None if passed else self._diagnosis(runs),
            cost=self._cost(used),
        )

    def _worker(self, program: Program) -> Worker:
        return Worker(self._launcher, self._setup, program)

    def _load(self, worker: Worker) -> tuple[Outcome, str | None]:
        """Import the submission: what is wrong with the file as a whole, PASSED when nothing is."""
        worker.deadline = time.monotonic() + self._limits.check_seconds
        try:
            reply = worker.load()
        except NotWritten as error:
            return Outcome.ERROR, wording.raised(error)
        except Raised as error:
            return Outcome.ERROR, f"The file cannot be imported.\n{wording.raised(error)}"
        except TimedOut:
            return (
                Outcome.TIMEOUT,
                f"Importing the file takes more than {self._limits.check_seconds:g} s: an endless loop?",
            )
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

    def _diagnosis(self, runs: dict[str, Run]) -> Diagnosis | None:
        with self._worker(self._reference) as worker:
            return diagnose(self._suite, runs, self._reference, worker)

    def _measure(self, worker: Worker) -> Measured | None:
        """What the topic's typical call costs in the worker."""
        if self._suite.workload is None or not self._has_torch:
            return None
        try:
            worker.deadline = time.monotonic() + self._limits.check_seconds
            worker.begin(0)
            return self._suite.workload(Submission(worker), Rng("workload"))
        except Stopped:
            return None

    def _cost(self, used: Measured | None) -> Cost | None:
        if used is None:
            return None
        with self._worker(self._reference) as worker:
            reference = self._measure(worker)
        if reference is None:
            raise RuntimeError("the reference cannot be measured")
        return Cost(used.matmul_flops, used.largest_tensor, reference.matmul_flops, reference.largest_tensor)


def _overall(runs: list[Run]) -> tuple[Outcome, str | None]:
    """The worst of the checks. What is not written yet lets an answer fail at best."""
    if runs and all(run.unwritten for run in runs):
        return Outcome.NOT_STARTED, NOTHING_WRITTEN
    worst = max((run.check.outcome for run in runs), key=lambda outcome: outcome.severity)
    return (Outcome.FAILED if worst is Outcome.NOT_RUN else worst), None


def _since(start: float) -> float:
    return round(time.monotonic() - start, 4)
