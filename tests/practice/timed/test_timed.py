"""`drill` and `mock` as one calls them: by a script, and at a terminal."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import psutil
import pytest
from driving import PROJECT, byheart, has_ended, progress_in

from grader.curriculum.catalog import load_catalog
from grader.curriculum.workspace import Workspace
from grader.judge.verdict import Outcome
from grader.practice.exercises.levels import text_at
from grader.practice.live.events import Graded
from grader.practice.plan.schedule import Level, Rating
from grader.practice.record import clock
from grader.practice.record.progress import Progress
from grader.practice.record.reviews import NothingToUndo
from grader.practice.record.sessions import Session
from grader.practice.record.unavailable import ProgressUnavailable
from grader.practice.timed.session_lock import session_lock
from grader.practice.timed.timed_work import TimedWork

PASSED, NOT_PASSED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130
CATALOG = load_catalog()
SOFTMAX = CATALOG["softmax"]
GOLDEN = PROJECT / "tests/golden/softmax"
RIGHT = (PROJECT / "solutions/foundations/softmax.py").read_text(encoding="utf-8")
WRONG = (GOLDEN / "mistake.py").read_text(encoding="utf-8")
SYNTAX_ERROR = (GOLDEN / "syntax_error.py").read_text(encoding="utf-8")
ENDLESS = RIGHT + "\nwhile True:\n    pass\n"
MISTAKE = "You subtract log(sum(exp(x - max)))"

ENTER, Q = {"key": "enter"}, {"key": "q"}
TO_THE_END = [Q, ENTER]
"""Keys after the work: skip the questions, accept the rating."""


def scripted(root: Path, *arguments: str, steps: list[dict[str, Any]]) -> subprocess.CompletedProcess[str]:
    script = root / "script.jsonl"
    script.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
    return byheart(root, *arguments, "--answers", str(script))


def exercise(root: Path, topic: str = "softmax") -> Path:
    return root / CATALOG[topic].exercise.relative_to(PROJECT)


def progress(root: Path) -> Progress:
    return progress_in(root)


def worked(text: str, before: str) -> int:
    """The seconds that are told after some words, as "after 3:07"."""
    minutes, seconds = re.findall(re.escape(before) + r" (\d+):(\d\d)\b", text)[-1]
    return 60 * int(minutes) + int(seconds)


def last_session(root: Path, kind: str = "drill") -> Session:
    return progress(root).sessions.of(kind)[-1]


# A drill by a script


def test_a_drill_from_the_first_save_to_the_next_review(project: Path) -> None:
    steps = [{"wait": 60}, {"save": WRONG}, {"wait": 120}, {"save": RIGHT}, ENTER, ENTER, *TO_THE_END]
    done = scripted(project, "drill", "softmax", steps=steps)
    assert (done.returncode, done.stderr) == (PASSED, "")
    first, *_, last = done.stdout.split("softmax  Softmax and log-softmax\n")[1:]
    assert "Write exercises/foundations/softmax.py from memory in 8 minutes" in first
    assert "Question 1 of 3" in done.stdout and "Question 2 of 3" in done.stdout
    assert 180 <= worked(last, "Passed after") < 240
    assert "8 of 8 checks passed, 2 tries." in last
    assert MISTAKE in " ".join(last.split())
    assert "  Rated good. Next review: in " in last and "at level stub" in last
    wrong, right = progress(project).attempts.of("softmax")
    assert (wrong.mode, wrong.outcome, right.outcome) == ("drill", Outcome.FAILED, Outcome.PASSED)
    assert wrong.seconds is not None and right.seconds is not None
    assert 60 <= wrong.seconds < 120 and 180 <= right.seconds < 240  # the real ones on top
    session = last_session(project)
    assert {wrong.session, right.session} == {session.id}
    assert (session.status, session.topics, session.budget) == ("passed", ("softmax",), 480)
    (review,) = progress(project).reviews.all()
    assert (review.name, review.rating, review.level) == ("softmax", Rating.GOOD, Level.STUB)


def test_the_rating_can_be_changed_and_shows_in_the_best_time(project: Path) -> None:
    assert (
        scripted(project, "drill", "softmax", steps=[{"save": RIGHT}, Q, {"key": "2"}, ENTER]).returncode
        == PASSED
    )
    (review,) = progress(project).reviews.all()
    assert (review.rating, review.card.level) == (Rating.HARD, Level.STUB)
    done = scripted(project, "drill", "softmax", steps=[{"wait": 600}, {"save": RIGHT}])
    assert "Your best so far: 0:" in done.stdout
    assert worked(done.stdout, "Passed after") >= 600 and "(your best: 0:" in done.stdout
    assert "Rated hard." in done.stdout  # over time; accepted when the script ends


def test_hints_pauses_and_overtime(project: Path) -> None:
    steps = [
        {"wait": 30},
        {"key": "p"},
        {"wait": 5000},
        {"save": RIGHT.replace("amax", "amin")},  # while nothing is graded
        {"key": "h"},
        {"key": "p"},
        {"key": "h"},
        {"key": "h"},
        {"key": "h"},
        {"save": RIGHT},
        *TO_THE_END,
    ]
    done = scripted(project, "drill", "softmax", "--minutes", "100", steps=steps)
    assert done.returncode == PASSED
    assert "Hint 2 of 3" in done.stdout and "Hint 3 of 3" not in done.stdout
    assert 'With a hint the rating becomes "hard" at most.' in done.stdout
    assert 30 <= worked(done.stdout, "Passed after") < 5000 and "Rated hard." in done.stdout
    assert [attempt.hints for attempt in progress(project).attempts.of("softmax")][-1] == 2


def test_the_solution_ends_a_drill_as_forgotten(project: Path) -> None:
    keys = [{"key": key} for key in ("s", "x", "s", "s", "enter", "q", "enter")]
    done = scripted(project, "drill", "softmax", steps=keys)
    assert (done.returncode, RIGHT.rstrip() in done.stdout) == (NOT_PASSED, True)
    assert "Forgotten: you saw the solution, after 0:" in done.stdout
    assert "Rated again. Next review: tomorrow, at level blanks (the key lines are missing)." in done.stdout
    helps = progress(project).database.read(
        lambda connection: connection.execute("SELECT topic, level FROM helps").fetchall()
    )
    assert [tuple(row) for row in helps] == [("softmax", None)]  # no hint, but the solution
    assert last_session(project).status == "solution seen"


def test_giving_up_leaves_what_is_written(project: Path) -> None:
    done = scripted(project, "drill", "softmax", steps=[{"save": WRONG}, Q, Q, *TO_THE_END])
    assert (done.returncode, "Given up after" in done.stdout) == (NOT_PASSED, True)
    assert exercise(project).read_text(encoding="utf-8") == WRONG
    assert progress(project).reviews.all()[-1].rating is Rating.AGAIN


@pytest.mark.parametrize("level", Level)
def test_what_was_there_is_kept_and_the_exercise_blanked(project: Path, level: Level) -> None:
    exercise(project).write_text(WRONG, encoding="utf-8")
    done = scripted(project, "drill", "softmax", "--level", level, steps=[])
    assert exercise(project).read_text(encoding="utf-8") == text_at(SOFTMAX, level)
    (kept,) = progress(project).attempts.of("softmax")
    assert f"What was there is kept: make restore topic=softmax attempt={kept.id}\n" in done.stdout
    assert (kept.mode, kept.source is not None) == ("saved", True)


def test_the_level_is_that_of_the_schedule(project: Path) -> None:
    progress(project).reviews.add("softmax", Rating.AGAIN)
    scripted(project, "drill", "softmax", steps=[])
    assert exercise(project).read_text(encoding="utf-8") == text_at(SOFTMAX, Level.BLANKS)


def test_everything_is_asked_after_two_good_passes_and_never_before_the_first(project: Path) -> None:
    reviews = progress(project).reviews
    assert reviews.add("gqa", Rating.GOOD).level is Level.STUB
    assert reviews.add("gqa", Rating.EASY).level is Level.EMPTY
    scripted(project, "drill", "gqa", steps=[])  # it was never passed: rated in an older version, say
    assert exercise(project, "gqa").read_text(encoding="utf-8") == text_at(CATALOG["gqa"], Level.STUB)


def test_without_a_topic_it_takes_the_most_due(project: Path) -> None:
    done = scripted(project, "drill", steps=[])
    assert "softmax  Softmax" in done.stdout  # the first new one
    assert byheart(project, "drill", "--drop").returncode == PASSED
    with_reviews = progress(project)
    for topic, date in (("gqa", "2020-01-02"), ("rope", "2020-01-01"), ("mha", "2020-01-03")):
        with_reviews.reviews.add(topic, Rating.GOOD)
        due = f"{date}T00:00:00.000000Z"
        with_reviews.database.write(
            lambda connection, due=due, topic=topic: connection.execute(
                "UPDATE reviews SET due = ? WHERE card = ?", (due, topic)
            )
        )
    assert "rope  Rotary" in scripted(project, "drill", steps=[]).stdout


def test_nothing_is_due(project: Path) -> None:
    for topic in CATALOG.topics:
        progress(project).reviews.add(topic.id, Rating.GOOD)
    progress(project).database.write(
        lambda connection: connection.executemany(
            "INSERT INTO attempts (topic, mode, started, outcome, passed, checks, hints, solution_seen) "
            "VALUES (?, 'check', '2020-01-01T00:00:00.000000Z', 'passed', 1, 1, 0, 0)",
            [(topic.id,) for topic in CATALOG.topics],
        )
    )
    done = scripted(project, "drill", steps=[])
    assert done.returncode == PASSED
    assert done.stdout.startswith("All is done for now; ")
    assert done.stdout.endswith("To drill a topic all the same: make drill topic=softmax\n")


# A rating that was not meant


def ratings(root: Path) -> list[tuple[str, Rating]]:
    return [(review.name, review.rating) for review in progress(root).reviews.all()]


def test_the_rating_of_a_drill_is_taken_back(project: Path) -> None:
    progress(project).reviews.add("softmax", Rating.HARD)
    before = progress(project).reviews.cards()["softmax"]
    scripted(project, "drill", "softmax", steps=[{"save": RIGHT}, Q, {"key": "1"}, ENTER])
    done = byheart(project, "undo")
    assert (done.returncode, done.stderr) == (PASSED, "")
    assert re.fullmatch(
        'softmax: the rating "again" of [0-9: -]+ is taken back; it comes back tomorrow.\n', done.stdout
    )
    assert progress(project).reviews.cards()["softmax"] == before
    assert byheart(project, "undo").stdout.endswith("it has no review to come.\n")
    done = byheart(project, "undo")
    assert (done.returncode, done.stdout, done.stderr) == (NOT_PASSED, "", "Nothing has been rated yet.\n")


def test_another_rating_is_given_within_the_rules(project: Path) -> None:
    scripted(project, "drill", "softmax", steps=[{"save": RIGHT}, Q, {"key": "1"}, ENTER])
    assert byheart(project, "undo", "--rating", "good").returncode == PASSED
    assert ratings(project) == [("softmax", Rating.GOOD)]
    assert "'gud' is no rating" in byheart(project, "undo", "--rating", "gud").stderr
    scripted(project, "drill", "gqa", steps=[Q, Q, *TO_THE_END])
    refused = byheart(project, "undo", "--rating", "easy")
    assert (refused.returncode, refused.stdout) == (WRONG_USAGE, "")
    assert refused.stderr == "After how this drill went, the rating can only be again.\n"
    assert ratings(project)[-1] == ("gqa", Rating.AGAIN)


def test_the_ratings_of_an_interview_are_taken_back_together(project: Path) -> None:
    steps = [{"save": RIGHT}, {"key": "2"}, {"save": WRONG, "file": "activations"}, Q, Q, Q]
    scripted(project, "mock", *FOUNDATIONS, steps=steps)
    assert len(ratings(project)) == 2
    assert "they can only be taken back" in byheart(project, "undo", "--rating", "good").stderr
    assert byheart(project, "undo").stdout.count("is taken back; it has no review to come.") == 2
    assert (ratings(project), progress(project).reviews.cards()) == ([], {})


def test_what_was_reviewed_meanwhile_is_not_taken_back(project: Path) -> None:
    reviews = progress(project).reviews
    reviews.add("softmax", Rating.HARD)
    rated = reviews.last()
    reviews.add("softmax", Rating.EASY)
    with pytest.raises(NothingToUndo):
        reviews.undo(rated)
    assert [rating for _, rating in ratings(project)] == [Rating.HARD, Rating.EASY]


# Cut off


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
        "A drill or a mock interview is going on in another terminal. End it there first.\n"
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
        (["mock", "--chapter", "positon"], "There is no chapter 'positon'. Chapters: foundations, "),
        (["mock", "--count", "0"], "--count"),
        (["mock", "--count", "10"], "--count"),
        (
            ["mock", "--count", "5", "--chapter", "foundations"],
            "5 + 8 + 8 + 15 + 20 = 56 minutes, and there are 45",
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


# A mock interview by a script

FOUNDATIONS = ["--chapter", "foundations", "--seed", "5", "--count", "5", "--minutes", "56"]


def test_an_interview_tells_no_more_than_passed_until_the_end(project: Path) -> None:
    steps = [
        {"wait": 60},
        {"save": WRONG, "file": "softmax"},
        {"save": SYNTAX_ERROR, "file": "dropout"},
        {"wait": 100},
        {"save": RIGHT, "file": "softmax"},
        {"key": "h"},
        {"key": "s"},
        {"key": "s"},
        {"wait": 3300},
        ENTER,
        Q,
    ]
    done = scripted(project, "mock", *FOUNDATIONS, steps=steps)
    assert (done.returncode, done.stderr) == (NOT_PASSED, "")
    before, card = done.stdout.split("Score card", 1)
    assert "5 topics, 56 minutes, seed 5" in before
    rows = [line.split("  ") for line in before.splitlines() if "softmax" in line and "log-softmax" in line]
    assert [row[-1] for row in rows][:1] == ["not started"] and rows[-1][-1] == "passed"
    assert any(row[-1].startswith("not yet: ") and row[-1].endswith(" of 8 checks") for row in rows)
    for secret in (MISTAKE, "largest difference", "invalid syntax", "FAIL", "Hint"):
        assert secret not in " ".join(before.split())
    assert MISTAKE in " ".join(card.split())
    assert "The file is not Python: '(' was never closed" in card  # why the last one of dropout did not pass
    assert card.endswith("  Next: make check topic=dropout\n")
    assert "  1 of 5 passed in 56:00 of 56:00 (time over)." in card
    assert "softmax is rated good, next review: " in card and "dropout is rated again" in card
    assert "activations is rated" not in card
    rated = {review.name: review.rating for review in progress(project).reviews.all()}
    assert rated == {"softmax": Rating.GOOD, "dropout": Rating.AGAIN}
    assert [attempt.mode for attempt in progress(project).attempts.of()] == ["mock"] * 3
    listed = byheart(project, "history").stdout
    assert "1 of 5 passed in 56:00 of 56:00 (time over), seed 5" in listed


def test_all_passed_ends_an_interview(project: Path) -> None:
    steps = [
        {"copy": str(topic.solution), "file": topic.id}
        for topic in CATALOG.topics
        if topic.chapter == "losses"
    ]
    done = scripted(project, "mock", "--chapter", "losses", "--count", "4", "--minutes", "40", steps=steps)
    assert done.returncode == PASSED
    assert "4 of 4 passed in" in done.stdout and "of 40:00 (all passed)." in done.stdout


def test_an_interview_that_was_cut_off_goes_on(project: Path) -> None:
    exercise(project).write_text(WRONG, encoding="utf-8")
    cut = scripted(project, "mock", *FOUNDATIONS, steps=[{"wait": 600}, {"save": WRONG, "file": "softmax"}])
    assert cut.stdout.endswith("To go on, or drop it: make mock\n")
    running = byheart(project, "history").stdout
    assert "not finished: make mock" in running
    kept, wrong = progress(project).attempts.of("softmax")
    assert (kept.mode, wrong.mode) == ("saved", "mock")
    assert wrong.mistake is not None and wrong.mistake not in running
    exercise(project).write_text(RIGHT, encoding="utf-8")  # while nobody looked
    done = scripted(project, "mock", "--resume", steps=[{"wait": 60}, Q, Q, Q])
    assert "You go on where you were." in done.stdout
    assert 660 <= worked(done.stdout, "1 of 5 passed in") < 900 and "(ended early)." in done.stdout
    assert last_session(project, "mock").status == "ended early"


def test_check_keeps_the_secrets_of_an_interview(project: Path) -> None:
    scripted(project, "mock", *FOUNDATIONS, steps=[])
    exercise(project).write_text(WRONG, encoding="utf-8")
    for arguments in (["check", "softmax"], ["check"], ["check", "softmax", "--json"]):
        done = byheart(project, *arguments)
        assert (done.returncode, done.stderr) == (NOT_PASSED, "")
        told = " ".join(done.stdout.split())
        assert " of 8 checks passed. A mock interview asks for this, and tells why at its end" in told
        assert MISTAKE not in told and "largest difference" not in told
    assert progress(project).attempts.of("softmax")[-1].mistake is not None  # it is kept
    answer = project / "answer.py"
    answer.write_text(WRONG, encoding="utf-8")
    graded = byheart(project, "check", "softmax", "--file", str(answer)).stdout
    assert "FAIL" in graded
    exercise(project).write_text(RIGHT, encoding="utf-8")
    assert "8 of 8 checks passed" in byheart(project, "check", "softmax").stdout
    byheart(project, "mock", "--drop")
    exercise(project).write_text(WRONG, encoding="utf-8")
    assert MISTAKE in " ".join(byheart(project, "check", "softmax").stdout.split())


def test_the_same_seed_asks_the_same(project: Path) -> None:
    drawn = []
    for _ in range(2):
        scripted(project, "mock", "--seed", "77", steps=[])
        drawn.append(last_session(project, "mock").topics)
        assert byheart(project, "mock", "--drop").returncode == PASSED
    assert drawn[0] == drawn[1] and len(drawn[0]) == 3
    seeds = set()
    for _ in range(2):
        scripted(project, "mock", steps=[])
        seeds.add(last_session(project, "mock").details["seed"])
        assert byheart(project, "mock", "--drop").returncode == PASSED
    assert len(seeds) == 2


def test_no_torch_here(project: Path) -> None:
    (project / "script.jsonl").write_text('{"key": "q"}\n', encoding="utf-8")
    for command in ("drill", "mock"):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "grader", command, "--answers", "script.jsonl"],
            cwd=project,
            capture_output=True,
            text=True,
            timeout=60,
        )
        # The judge, a process of its own, is not asked for import times.
        modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        assert "grader.practice.live.background_judge" in modules
        assert modules & {"torch", "numpy", "pytest", "matplotlib"} == set()
        byheart(project, command, "--drop")


# At a terminal


ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A command in a pseudo-terminal."""

    def __init__(self, root: Path, *arguments: str, editor: str = "no-such-editor") -> None:
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "grader", *arguments],
            cwd=root,
            env={**os.environ, "TERM": "xterm-256color", "VISUAL": "", "EDITOR": editor},
            encoding="utf-8",
            dimensions=(40, 100),
        )
        self._text = ""

    def sees(self, text: str) -> None:
        """Until this is printed, after what was seen before."""
        latest = time.monotonic() + 60
        while text not in (plain := ESCAPE.sub("", self._text)):
            assert time.monotonic() < latest, f"{text!r} is not in {plain!r}"
            try:
                self._text += self.child.read_nonblocking(65536, timeout=1)
            except pexpect.TIMEOUT:
                continue
            except pexpect.EOF:
                raise AssertionError(f"{text!r} is not in {plain!r}, which ends here") from None
        self._text = plain.partition(text)[2]

    def types(self, *keys: str) -> None:
        for key in keys:
            self.child.send(key)

    def status(self) -> int:
        """Its exit status, when it has ended."""
        self.child.expect(pexpect.EOF, timeout=60)
        self.child.close()
        return int(self.child.exitstatus)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    """Those that were opened; none is left behind."""
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.child.close(force=True)


@pytest.fixture
def at_terminal(project: Path, terminals: list[Terminal]) -> Any:
    def at_terminal(*arguments: str, **more: str) -> Terminal:
        terminals.append(Terminal(project, *arguments, **more))
        return terminals[-1]

    return at_terminal


def write(path: Path, text: str) -> None:
    draft = path.with_suffix(".draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def test_a_drill_at_a_terminal(project: Path, at_terminal: Any) -> None:
    drill = at_terminal("drill", "softmax")
    drill.sees("8:00 left   Enter grade  h hint  s solution  p pause  e edit  q give up")
    drill.sees("7:58 left")  # it counts down
    write(exercise(project), WRONG)
    drill.sees("grading")
    drill.sees("correct it and save, or press h for a hint")
    drill.types("h")
    drill.sees('Take a hint? Then the rating becomes "hard" at most.   h yes   any other key no')
    drill.types("h")
    drill.sees("Hint 1 of 3")
    drill.types("p")
    drill.sees("paused: nothing is graded")
    drill.types("p")
    drill.child.setwinsize(30, 60)
    drill.sees("Hint 1 of 3")  # painted anew
    write(exercise(project), RIGHT)
    drill.sees("Passed after 0:")
    drill.sees("Say the answer aloud")
    drill.types("\r")
    drill.sees("Enter go on")
    drill.types("q")
    drill.sees("Rating: hard")
    drill.sees("1 again   2 hard   Enter accept")
    drill.types("3", "1")
    drill.sees("Rating: again")
    drill.types("2", "\r")
    drill.sees("Rated hard. Next review: tomorrow")
    assert drill.status() == PASSED


def test_ctrl_c_leaves_a_drill_to_be_resumed(project: Path, at_terminal: Any) -> None:
    drill = at_terminal("drill", "softmax")
    drill.sees("Enter grade")
    children = psutil.Process(drill.child.pid).children(recursive=True)
    drill.child.sendintr()
    drill.sees("The drill of softmax is not finished")
    assert drill.status() == INTERRUPTED
    assert psutil.wait_procs(children, timeout=10)[1] == []
    again = at_terminal("drill")
    again.sees("r resume   d drop it, what you wrote stays")
    again.types("x")
    assert again.status() == PASSED
    assert last_session(project).status == "running"
    again = at_terminal("drill")
    again.sees("r resume   d drop it")
    again.types("r")
    again.sees("You go on where you were.")
    write(exercise(project), RIGHT)
    again.sees("Passed after")
    again.child.sendintr()  # the work is done: what is proposed counts
    again.sees("Rated")
    assert again.status() == INTERRUPTED
    assert [review.rating for review in progress(project).reviews.all()] == [Rating.EASY]


def test_a_drill_that_was_killed_keeps_time_and_answer(project: Path, at_terminal: Any) -> None:
    drill = at_terminal("drill", "softmax")
    drill.sees("Enter grade")
    write(exercise(project), WRONG)
    drill.sees("correct it and save")
    children = psutil.Process(drill.child.pid).children(recursive=True)
    wait_until(lambda: last_session(project).elapsed > 5)
    drill.child.kill(signal.SIGKILL)
    drill.child.wait()
    assert psutil.wait_procs(children, timeout=20)[1] == []
    assert exercise(project).read_text(encoding="utf-8") == WRONG
    session = last_session(project)
    assert (session.status, session.elapsed > 5) == ("running", True)
    again = at_terminal("drill")
    again.sees("The drill of softmax is not finished (0:")
    again.types("d")
    again.sees("Dropped.")
    assert again.status() == PASSED
    assert exercise(project).read_text(encoding="utf-8") == WRONG


@pytest.mark.parametrize("command", ["drill", "mock"])
def test_a_closed_terminal_leaves_no_process(project: Path, at_terminal: Any, command: str) -> None:
    session = at_terminal(command, *([] if command == "drill" else FOUNDATIONS))
    session.sees("left   Enter grade")
    write(exercise(project), ENDLESS)
    session.sees("grading")
    process = psutil.Process(session.child.pid)
    wait_until(lambda: len(process.children(recursive=True)) > 1)
    everyone = [process, *process.children(recursive=True)]
    session.child.ptyproc.fileobj.close()  # the window is closed
    wait_until(lambda: has_ended(process))
    assert psutil.wait_procs(everyone[1:], timeout=20)[1] == []
    assert last_session(project, command).status == "running"
    assert exercise(project).read_text(encoding="utf-8") == ENDLESS


def wait_until(condition: Any) -> None:
    latest = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < latest
        time.sleep(0.05)


def test_a_mock_interview_at_a_terminal(project: Path, at_terminal: Any) -> None:
    mock = at_terminal("mock", *FOUNDATIONS)
    mock.sees("56:00 left   Enter grade  1-5 topic  e edit  q end")
    shown = last_session(project, "mock").topics
    for key in ("3", "2"):
        mock.types(key)
        mock.sees(f"> {key}  {shown[int(key) - 1]}")
    write(exercise(project), WRONG)
    mock.sees(f"> {shown.index('softmax') + 1}  softmax")
    mock.sees("of 8 checks")
    mock.types("q")
    mock.sees("End the interview now?   y yes   any other key no")
    mock.types("n")
    mock.sees("q end")
    mock.child.kill(signal.SIGKILL)
    mock.child.wait()
    again = at_terminal("mock")
    again.sees("r resume")
    again.types("r")
    again.sees("of 8 checks")
    write(exercise(project), RIGHT)
    again.sees("passed")
    again.types("q", "q")
    again.sees("Score card")
    again.sees("1 of 5 passed in")
    again.types("\r")
    again.sees("Enter end")
    again.types("\r")
    again.sees("softmax is rated good")
    assert again.status() == NOT_PASSED


def test_the_editor_in_the_terminal_gets_the_keys(project: Path, at_terminal: Any) -> None:
    editor = project / "editor"
    editor.write_text(
        f"#!/bin/sh\necho editing\nread line\ncp '{SOFTMAX.solution}' \"$1\"\n", encoding="utf-8"
    )
    editor.chmod(0o755)
    drill = at_terminal("drill", "softmax", editor=str(editor))
    drill.sees("Enter grade")
    drill.types("e")
    drill.sees("editing")
    wait_until(lambda: last_session(project).elapsed > 5)  # kept meanwhile
    drill.types("qqq\r")  # no keys of the drill
    drill.sees("Passed after")
    drill.types("q", "\r")
    assert drill.status() == PASSED


def test_without_an_editor_the_drill_says_so(at_terminal: Any) -> None:
    drill = at_terminal("drill", "softmax")
    drill.sees("Enter grade")
    drill.types("e")
    drill.sees("$EDITOR names an editor that is not there: no-such-editor")
    drill.types("q", "q", "q", "\r")
    assert drill.status() == NOT_PASSED
