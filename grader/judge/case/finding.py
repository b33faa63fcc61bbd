"""Which case is the smallest: on the topic's ladder, or else of the checks that fail."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from grader.curriculum.catalog import Topic
from grader.judge.case.script import NotScripted, case_script
from grader.judge.checks.reading import Case, CheckFile, CheckFunction, read_checks
from grader.judge.checks.running import run_check
from grader.judge.checks.setup import setup_for
from grader.judge.contract import required
from grader.judge.limits import Limits
from grader.judge.source import Unreadable, read_source
from grader.judge.trail.calls import first_difference
from grader.judge.trail.noted.notes import NotNotes
from grader.judge.trail.rerun import Rerun, rerun
from grader.judge.verdict import Outcome
from grader.judge.workers.client import Program, Worker
from grader.judge.workers.starting import Starter
from grader.kit.outcomes import Stopped

CASES = 8
"""Failing checks of which the smallest is taken."""


def find_case(topic: Topic, path: Path, starter: Starter, limits: Limits) -> str | None:
    """The script of the smallest case in which the file fails with values, or with an exception; None where
    there is none."""
    try:
        text = read_source(path)
    except Unreadable:
        return None
    checks = read_checks(topic)
    solution = topic.solution.read_text(encoding="utf-8")
    asked = required(solution)
    programs = [
        Program(text, os.path.abspath(path), topic.id, asked),
        Program(solution, str(topic.solution), topic.id, asked),
    ]
    setup = setup_for(topic, checks)
    with Worker(starter, setup, programs[0]) as worker:
        try:
            worker.deadline = time.monotonic() + limits.check_seconds
            if "problems" not in worker.load():
                return None
        except Stopped:
            return None
        own = list(_failing(checks, worker, limits))
    with Worker(starter, setup, programs[1]) as worker:
        for check, case, theirs in own:
            try:
                right = _run(check, case, worker, limits)
            except (Stopped, NotNotes):
                continue
            last = first_difference(right.calls, theirs.calls)
            if right.error is None and last is not None:
                try:
                    return case_script(topic, path, right, theirs, last)
                except NotScripted:
                    continue
    return None


def _failing(
    checks: CheckFile, worker: Worker, limits: Limits
) -> Iterator[tuple[CheckFunction, Case, Rerun]]:
    """The first case of the ladder that fails, then those of the checks, by how much is given to them."""
    for check, case in [(checks.ladder, case) for case in checks.ladder.cases] if checks.ladder else []:
        own = _rerun(check, case, worker, limits)
        if own is not None and own.error is not None:
            yield check, case, own
            break
    found: list[tuple[CheckFunction, Case, Rerun]] = []
    for check in checks.checks:
        run = run_check(check, worker, limits.check_seconds, time.monotonic() + limits.check_seconds)
        if run.check.outcome in (Outcome.FAILED, Outcome.ERROR) and len(found) < CASES:
            case = check.cases[run.cases - 1]
            own = _rerun(check, case, worker, limits)
            if own is not None and own.error is not None:
                found.append((check, case, own))
    yield from sorted(found, key=lambda entry: _size(entry[2]))


def _rerun(check: CheckFunction, case: Case, worker: Worker, limits: Limits) -> Rerun | None:
    try:
        return _run(check, case, worker, limits)
    except (Stopped, NotNotes):
        return None


def _run(check: CheckFunction, case: Case, worker: Worker, limits: Limits) -> Rerun:
    worker.deadline = time.monotonic() + limits.check_seconds
    worker.load()
    return rerun(check, case, worker)


def _size(again: Rerun) -> int:
    """How many numbers the check gives to its calls."""
    return sum(len(note.in_order) for call in again.calls for note in call.inputs)
