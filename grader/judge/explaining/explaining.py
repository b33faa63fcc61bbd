"""What is wrong with an answer that fails: how far it is right, the mistakes that it makes, and where."""

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from grader.curriculum.catalog import Topic
from grader.judge.checks.beyond import CaseToItsEnd
from grader.judge.checks.reading import CheckFile
from grader.judge.checks.running import Run, run_check
from grader.judge.diagnosis.likeness import likely_first
from grader.judge.diagnosis.memory import memory_of
from grader.judge.diagnosis.naming import diagnose
from grader.judge.explaining.place import REACHES, Place, place_of
from grader.judge.limits import Limits
from grader.judge.listener import Listener
from grader.judge.repair.repair import latest_end, repaired
from grader.judge.slips.slips import slips_of
from grader.judge.trail.trail import Followed
from grader.judge.verdict import Diagnosis, Trail, Verdict, ids_of
from grader.judge.workers.client import Program, Worker
from grader.judge.workers.starting import WorkerFault


@dataclass(frozen=True)
class Failing:
    """A submission that fails some of its topic's checks: what came of each (by name), also when run on past
    what is wrong; the `programs`, it and the solution; the worker that it was run in, and what gives others.
    """

    topic: Topic
    checks: CheckFile
    runs: Mapping[str, Run]
    to_the_end: Mapping[str, tuple[CaseToItsEnd, ...]]
    programs: tuple[Program, Program]
    answer: Worker
    worker: Callable[[Program], Worker]


def explained(
    verdict: Verdict, failing: Failing, limits: Limits, start: float, listener: Listener
) -> Verdict:
    """The verdict with its trail and its diagnosis, as far as the limits ask for them, and somebody waits."""
    followed = _followed(failing) if limits.trail and not listener.is_in_a_hurry() else None
    trail = None
    if followed is not None:
        with contextlib.suppress(Exception):  # not worth a verdict, whatever an answer has done to its notes
            trail = followed.trail()
    verdict = replace(verdict, trail=trail)
    if not limits.diagnose or listener.is_in_a_hurry():
        return verdict
    known = _known_mistake(failing, limits, listener)
    if known is None or known.unexplained:
        known = _repaired(failing, limits, trail, known, start, listener) or known
    if known is None:
        return verdict
    if known.line is not None:  # the trail leads to the line that is known to be wrong
        trail = None if trail is None else replace(trail, line=known.line, onward=False)
    elif trail is None and followed is not None and not listener.is_in_a_hurry():
        known = _placed(known, failing, followed)
    return replace(verdict, diagnosis=known, trail=trail)


def _followed(failing: Failing) -> Followed:
    if failing.answer.refusal is not None:
        failing.answer.end()
    return Followed(
        failing.checks,
        failing.runs,
        failing.programs,
        failing.answer,
        lambda: failing.worker(failing.programs[1]),
        memory_of(failing.topic),
    )


def _known_mistake(failing: Failing, limits: Limits, listener: Listener) -> Diagnosis | None:
    """The mistake that the checks show, if it is a known one."""
    answer, reference = failing.programs
    failing.answer.end()
    with failing.worker(reference) as worker:
        for check in failing.checks.checks:
            stumble = failing.runs[check.name].stumble
            if stumble is not None:
                again = run_check(check, worker, limits.check_seconds, float("inf"))
                if again.stumble is not None:
                    raise stumble  # over the reference too: a fault of ours
        mistakes = likely_first(failing.checks.mistakes, answer.text, reference.text)
        checks, memory = replace(failing.checks, mistakes=mistakes), memory_of(failing.topic)
        runs, to_the_end, seconds = failing.runs, failing.to_the_end, limits.naming_seconds
        try:
            return diagnose(checks, runs, to_the_end, reference, worker, memory, seconds, listener)
        except WorkerFault:
            raise
        except Exception:
            # What came may be such that no two of it can be compared. That costs the name of the mistake.
            return None


def _repaired(
    failing: Failing,
    limits: Limits,
    trail: Trail | None,
    known: Diagnosis | None,
    start: float,
    listener: Listener,
) -> Diagnosis | None:
    """The line with a change of which all checks pass, looked for from where the trail ends."""
    near = None if trail is None else trail.line
    latest = latest_end(start, known, limits)
    memory, programs = memory_of(failing.topic), failing.programs
    with failing.worker(programs[0]) as worker:
        try:
            return repaired(failing.checks, failing.runs, programs, worker, near, latest, memory, listener)
        except WorkerFault:
            raise
        except Exception:
            # A source may be such that it cannot be taken apart. That costs the line.
            return None


def _placed(known: Diagnosis, failing: Failing, followed: Followed) -> Diagnosis:
    """The diagnosis with the place of its mistake in the answer: of several, the one that is known best."""
    mistakes = {each.id: each for each in failing.checks.mistakes}
    explained = known.explains or tuple(failing.runs)
    found: list[Place] = []
    for id in ids_of(known.mistake):
        if id not in mistakes:  # a slip
            mistakes = {each.id: each for each in slips_of(failing.programs[1].text)} | mistakes
        place = None
        if id in mistakes:
            with contextlib.suppress(Exception):  # as above
                memory = memory_of(failing.topic)
                place = place_of(mistakes[id], explained, followed, failing.worker, memory)
        if place is not None:
            found.append(place)
    best = min(found, key=lambda place: REACHES.index(place.reach), default=None)
    return known if best is None else replace(known, look=best.line, reach=best.reach)
