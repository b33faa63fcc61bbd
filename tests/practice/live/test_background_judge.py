"""Grading in the background: what is posted of a submission, and of one that is replaced before its end."""

import queue
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from driving import CATALOG

from grader.judge.checks.reading import read_checks
from grader.judge.service.remote import RemoteJudge
from grader.practice.live.background_judge import BackgroundJudge
from grader.practice.live.events import Checked, Graded, GradingBegun, PassedOnce

TOPIC = CATALOG["gqa"]
RIGHT = TOPIC.solution.read_text(encoding="utf-8")
MISTAKE = read_checks(TOPIC).mistakes[-1]  # many others are tried before it
WRONG = MISTAKE.applied(RIGHT)
SECONDS = 60.0


class Desk:
    """A judge in the background, a file, and what is posted."""

    def __init__(self, folder: Path, in_two_steps: bool) -> None:
        self.path = folder / "gqa.py"
        self.posted: queue.Queue[object] = queue.Queue()
        self.judge = BackgroundJudge(self.posted.put, in_two_steps)

    def submit(self, text: str) -> None:
        self.path.write_text(text, encoding="utf-8")
        self.judge.submit(TOPIC, self.path)

    def next(self, kind: type) -> object:
        """The next that is posted has to be of this kind."""
        found = self.posted.get(timeout=SECONDS)
        assert isinstance(found, kind), found
        return found

    def graded(self) -> Graded:
        found = self.next(Graded)
        assert isinstance(found, Graded)
        return found


@pytest.fixture
def desk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Desk]:
    desk = Desk(tmp_path, in_two_steps=getattr(request, "param", True))
    with desk.judge:
        yield desk


def test_the_checks_come_first_then_the_mistake(desk: Desk) -> None:
    desk.submit(WRONG)
    desk.next(GradingBegun)
    checked = desk.next(Checked)
    graded = desk.graded()
    assert graded.source == WRONG.encode()
    assert graded.verdict.diagnosis is not None and graded.verdict.diagnosis.mistake == MISTAKE.id
    assert checked == Checked(desk.path, replace(graded.verdict, diagnosis=None, trail=None))
    assert desk.judge.waited is None


def test_what_passes_is_told_before_other_inputs_are_tried(desk: Desk) -> None:
    desk.submit(RIGHT)
    desk.next(GradingBegun)
    once, graded = desk.next(PassedOnce), desk.graded()
    assert isinstance(once, PassedOnce) and once.path == desk.path
    assert once.verdict.passed and once.verdict.seed is None
    assert graded.verdict.passed and graded.verdict.seed is not None


@pytest.mark.parametrize("desk", [False], indirect=True)
def test_in_one_step(desk: Desk) -> None:
    desk.submit(WRONG)
    desk.next(GradingBegun)
    assert desk.graded().verdict.diagnosis is not None


def test_what_was_shown_is_graded_though_there_is_a_newer_one(desk: Desk) -> None:
    desk.submit(WRONG)
    desk.next(GradingBegun)
    desk.next(Checked)
    desk.submit(RIGHT)
    assert desk.judge.waited is not None
    desk.next(GradingBegun)
    older = desk.graded()
    assert (older.source, older.verdict.passed) == (WRONG.encode(), False)
    desk.next(PassedOnce)
    newer = desk.graded()
    assert (newer.source, newer.verdict.passed) == (RIGHT.encode(), True)
    assert newer.started >= older.started


@pytest.mark.parametrize("desk", [False], indirect=True)
def test_in_one_step_a_newer_one_ends_the_search_for_an_older_one(desk: Desk) -> None:
    desk.submit(WRONG)
    desk.next(GradingBegun)
    while (grading := desk.judge._under_way) is None or not grading.is_checked:
        pass
    desk.submit(RIGHT)
    assert desk.graded().verdict.passed
    assert desk.posted.empty()


def test_what_was_not_shown_is_dropped(desk: Desk) -> None:
    desk.submit(f"import time\ntime.sleep(1)\n{WRONG}")
    desk.next(GradingBegun)
    while desk.path in desk.judge._waiting:  # until it is under way
        pass
    desk.submit(RIGHT)
    desk.next(PassedOnce)
    assert desk.graded().verdict.passed
    assert desk.posted.empty()


def test_a_hurry_is_about_one_verdict_only(judge: RemoteJudge, tmp_path: Path) -> None:
    path = tmp_path / "gqa.py"
    path.write_text(WRONG, encoding="utf-8")
    hurried = judge.grade("gqa", path, lambda verdict: judge.hurry())
    assert not hurried.passed
    judge.hurry()  # too late
    unhurried = judge.grade("gqa", path)
    assert unhurried.diagnosis is not None and unhurried.diagnosis.mistake == MISTAKE.id
