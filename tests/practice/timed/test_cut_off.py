"""Drills that were cut off, and what is wrong before one begins."""

from pathlib import Path
from typing import Any

import pytest
from driving import byheart, progress_in
from practice.timed.by_script import (
    MISTAKE,
    NOT_PASSED,
    PASSED,
    RIGHT,
    SOFTMAX,
    TO_THE_END,
    WRONG,
    WRONG_USAGE,
    exercise,
    last_session,
    progress,
    scripted,
    worked,
)

from grader.curriculum.workspace import Workspace
from grader.judge.verdict import Outcome
from grader.practice.live.events import Graded
from grader.practice.record import clock
from grader.practice.record.unavailable import ProgressUnavailable
from grader.practice.schedule import Level, Rating
from grader.practice.timed.session_lock import session_lock
from grader.practice.timed.timed_work import TimedWork


def test_a_drill_that_was_cut_off_is_resumed_with_its_time(project: Path) -> None:
    cut = scripted(
        project, "drill", "softmax", steps=[{"wait": 100}, {"key": "h"}, {"key": "h"}, {"save": WRONG}]
    )
    assert cut.returncode == NOT_PASSED
    assert 100 <= worked(cut.stdout, "The drill of softmax is not finished:") < 200
    assert cut.stdout.endswith("To go on, or drop it: make drill\n")
    assert exercise(project).read_text(encoding="utf-8") == WRONG
    again = byheart(project, "drill", "gqa", keys="")
    assert (again.returncode, again.stdout) == (WRONG_USAGE, "")
    assert again.stderr.startswith("The drill of softmax is not finished (")
    assert "make drill args=--resume" in again.stderr and "make drill args=--drop" in again.stderr
    done = scripted(project, "drill", "--resume", steps=[{"wait": 100}, {"save": RIGHT}, *TO_THE_END])
    assert done.returncode == PASSED
    assert "You go on where you were." in done.stdout
    assert 200 <= worked(done.stdout, "Passed after") < 400 and "1 hint" in done.stdout
    assert MISTAKE in " ".join(done.stdout.split("You go on")[1].split())
    assert last_session(project).status == "passed"
    assert len(progress(project).sessions.of("drill")) == 1


def test_dropping_leaves_the_exercise_as_it_is(project: Path) -> None:
    scripted(project, "drill", "softmax", steps=[{"save": WRONG}])
    done = byheart(project, "drill", "--drop")
    assert (done.returncode, done.stdout) == (
        PASSED,
        "Dropped. What you wrote stays in the exercise. Next: make drill\n",
    )
    assert exercise(project).read_text(encoding="utf-8") == WRONG
    assert (last_session(project).status, progress(project).reviews.all()) == ("dropped", [])


@pytest.mark.parametrize("option", ["--resume", "--drop"])
@pytest.mark.parametrize("command", ["drill", "mock"])
def test_nothing_to_resume_or_drop(project: Path, command: str, option: str) -> None:
    done = byheart(project, command, option)
    assert (done.returncode, done.stdout, "was cut off." in done.stderr) == (WRONG_USAGE, "", True)


def test_one_at_a_time(project: Path) -> None:
    scripted(project, "mock", "--chapter", "foundations", steps=[])
    blocked = scripted(project, "drill", "softmax", steps=[])
    assert (blocked.returncode, blocked.stdout) == (NOT_PASSED, "")
    assert blocked.stderr.startswith("The mock interview of ")
    assert blocked.stderr.endswith("To go on, or drop it: make mock\n")
    assert byheart(project, "mock", "--drop").returncode == PASSED
    with session_lock(Workspace(project)):
        other = scripted(project, "drill", "softmax", steps=[])
    assert (other.returncode, other.stdout) == (NOT_PASSED, "")
    assert other.stderr == (
        "A drill or a mock interview is going on in another terminal, or on the page. End it there first.\n"
    )
    assert scripted(project, "drill", "softmax", steps=[]).stderr == ""


def test_a_drill_of_a_topic_that_is_no_more_is_dropped(project: Path) -> None:
    progress(project).sessions.start("drill", ("gone",), 60.0, {})
    assert scripted(project, "drill", "softmax", steps=[]).stderr == ""
    assert progress(project).sessions.of("drill")[0].status == "dropped"


# What is wrong before it begins


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["drill", "softmx"], "closest: softmax"),
        (["drill", "--level", "2"], "--level"),
        (["drill", "--minutes", "0"], "--minutes"),
        (["drill", "--resume", "--drop"], "say one of them"),
        (["drill", "softmax", "--answers", "no_such_file"], "no_such_file cannot be read"),
        (
            ["mock", "--chapter", "positon"],
            "There is no chapter 'positon'. Did you mean positions? Chapters: ",
        ),
        (["mock", "--count", "0"], "--count"),
        (["mock", "--count", "10"], "--count"),
        (
            ["mock", "--count", "4", "--chapter", "losses", "--minutes", "25"],
            "5 + 10 + 10 + 15 = 40 minutes, and there are 25",
        ),
    ],
)
def test_wrong_usage_changes_nothing(project: Path, arguments: list[str], told: str) -> None:
    exercise(project).write_text(WRONG, encoding="utf-8")
    done = byheart(project, *arguments)
    assert (done.returncode, done.stdout, "Traceback" in done.stderr) == (WRONG_USAGE, "", False)
    assert told in done.stderr
    assert exercise(project).read_text(encoding="utf-8") == WRONG


@pytest.mark.parametrize("command", ["drill", "mock"])
def test_progress_that_cannot_be_kept_is_told_before_anything_is_blanked(project: Path, command: str) -> None:
    exercise(project).write_text(WRONG, encoding="utf-8")
    (project / ".practice").write_text("in the way", encoding="utf-8")
    done = scripted(project, command, steps=[])
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (NOT_PASSED, "", 1)
    assert exercise(project).read_text(encoding="utf-8") == WRONG


def test_an_exercise_that_cannot_be_written(project: Path) -> None:
    exercise(project).unlink()
    exercise(project).mkdir()
    done = scripted(project, "drill", "softmax", steps=[])
    assert (done.returncode, done.stdout) == (NOT_PASSED, "")
    assert done.stderr == "exercises/foundations/softmax.py cannot be written: Is a directory.\n"
    assert progress(project).sessions.running("drill") is None


def test_a_full_disk_in_the_middle_is_told_and_the_work_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = progress_in(tmp_path)
    notes: list[str] = []
    work = TimedWork(kept, kept.sessions.start("drill", ("softmax",), 480.0, {}), notes)
    verdict = Graded(SOFTMAX.exercise, b"", _verdict(), clock.now())

    def full(*_: object) -> None:
        raise ProgressUnavailable("the disk is full.")

    monkeypatch.setattr(type(kept.database), "write", full)
    assert work.record(verdict, SOFTMAX, 1.0) is None
    assert work.end({}, "passed", 1.0, [(SOFTMAX, Rating.GOOD, Level.STUB)]) == []
    work.note_help(SOFTMAX, 1)
    work.keep_now({})
    assert notes == ["This cannot be kept: the disk is full."]


def _verdict() -> Any:
    from grader.judge.verdict import Verdict

    return Verdict("softmax", "softmax.py", Outcome.PASSED)
