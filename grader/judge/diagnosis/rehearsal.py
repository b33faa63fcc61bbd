"""All known mistakes of a topic, made one after the other: is each rejected, and named?

The judge says so of one file after another as well. Here one worker takes one version of the solution after
the other, and each version is run once: what it gives is both what is to be named and the evidence to name it
by.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from grader.curriculum.catalog import Topic
from grader.judge.checks.beyond import CaseToItsEnd, Spare
from grader.judge.checks.reading import CheckFile, read_checks
from grader.judge.checks.running import Run, run_check, run_failed_to_the_end
from grader.judge.checks.setup import setup_for
from grader.judge.contract import required
from grader.judge.diagnosis.evidence import Evidence, EvidenceToTheEnd, evidence_of, evidence_to_the_end_of
from grader.judge.diagnosis.memory import Memory, memory_of
from grader.judge.diagnosis.naming import diagnose
from grader.judge.diagnosis.versions import CHECK_SECONDS
from grader.judge.limits import Limits
from grader.judge.listener import Listener
from grader.judge.pace import paced
from grader.judge.verdict import Outcome, Rehearsed
from grader.judge.workers.client import Program, Worker
from grader.judge.workers.starting import Starter
from grader.kit.mistakes import Mistake
from grader.kit.outcomes import Stopped

_TOGETHER_SECONDS = 2.0
"""For seeing all that is wrong in one version. Nobody waits for it, so a slow machine changes no name."""


@dataclass(frozen=True)
class _Version:
    """What one version gave."""

    mistake: Mistake
    runs: Mapping[str, Run]
    to_the_end: Mapping[str, tuple[CaseToItsEnd, ...]]
    fault: str | None = None


def rehearse(topic: Topic, starter: Starter, limits: Limits) -> Iterator[Rehearsed]:
    """Each of the topic's mistakes, in their order; one that cannot be tried is told with its fault."""
    checks = read_checks(topic)
    solution = topic.solution.read_text(encoding="utf-8")
    reference = Program(solution, str(topic.solution), topic.id, required(solution))
    setup = setup_for(topic, checks)
    with Worker(starter, setup, reference) as worker:
        yield from _rehearsed(checks, reference, worker, memory_of(topic), limits)


def _rehearsed(
    checks: CheckFile, reference: Program, worker: Worker, memory: Memory, limits: Limits
) -> Iterator[Rehearsed]:
    versions = [_run(mistake, checks, reference, worker, limits) for mistake in checks.mistakes]
    for version in versions:
        _remember(version, memory)
    for version in versions:
        rejected = {
            name: run.check.message
            for name, run in version.runs.items()
            if run.check.outcome is not Outcome.PASSED
        }
        found = None
        if rejected:
            came, seconds = (version.runs, version.to_the_end), limits.naming_seconds
            found = diagnose(checks, *came, reference, worker, memory, seconds, Listener())
        yield Rehearsed(version.mistake.id, rejected, found.mistake if found else None, version.fault)


def _run(mistake: Mistake, checks: CheckFile, reference: Program, worker: Worker, limits: Limits) -> _Version:
    worker.deadline = latest = time.monotonic() + limits.file_seconds
    try:
        text = mistake.applied(reference.text)
        problems = worker.load(replace(reference, text=text)).get("problems")
    except (ValueError, Stopped) as error:
        return _Version(mistake, {}, {}, str(error))
    if problems:
        return _Version(mistake, {}, {}, str(problems[0]))
    spare, seconds = Spare(paced(_TOGETHER_SECONDS)), paced(CHECK_SECONDS)
    runs = {check.name: run_check(check, worker, seconds, latest, spare) for check in checks.checks}
    to_the_end = run_failed_to_the_end(checks.checks, runs, worker, seconds, latest, spare)
    return _Version(mistake, runs, to_the_end, _unknown_name(runs))


def _unknown_name(runs: Mapping[str, Run]) -> str | None:
    """That the edit uses a name that is not there, if it does: it would be rejected for that alone."""
    raised = [run.raised for run in runs.values() if run.raised is not None]
    return next((f"NameError: {each.message}" for each in raised if "NameError" in each.types), None)


def _remember(version: _Version, memory: Memory) -> None:
    """Keep what it gave as evidence, where nothing is known: what is known is to agree."""
    ids = [version.mistake.id]
    for name, run in version.runs.items():
        if run.check.outcome is not Outcome.NOT_RUN and memory.get(ids, name, Evidence) is None:
            memory.put(ids, name, evidence_of(run))
    for name, cases in version.to_the_end.items():
        if memory.get(ids, name, EvidenceToTheEnd) is None:
            memory.put(ids, name, evidence_to_the_end_of(cases))
