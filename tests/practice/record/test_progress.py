"""What is kept of a learner's work, and that nothing makes it go away."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from driving import PROJECT, progress_in

from grader.curriculum.catalog import load_catalog
from grader.judge.verdict import Check, Diagnosis, Outcome, Verdict
from grader.practice.plan.schedule import Level, Rating
from grader.practice.plan.standing import State, standings
from grader.practice.plan.steps import next_step
from grader.practice.record import clock
from grader.practice.record.attempts import Attempt
from grader.practice.record.database import MIGRATIONS
from grader.practice.record.progress import Progress
from grader.practice.record.recording import record_check, record_solution
from grader.practice.record.unavailable import ProgressUnavailable

CATALOG = load_catalog()
SOFTMAX = CATALOG["softmax"]
RIGHT = Verdict("softmax", "softmax.py", Outcome.PASSED, (Check("a", "A", Outcome.PASSED),))
WRONG = replace(
    RIGHT,
    outcome=Outcome.FAILED,
    checks=(*RIGHT.checks, Check("b", "B", Outcome.FAILED)),
    diagnosis=Diagnosis("no-maximum", "You forget it."),
)


@pytest.fixture
def progress(tmp_path: Path) -> Progress:
    return progress_in(tmp_path)


def database(root: Path) -> Path:
    return root / ".practice" / "progress.db"


def record(progress: Progress, verdict: Verdict, source: bytes = b"answer") -> Attempt:
    return progress.attempts.record(verdict, "check", clock.now(), source)


# Attempts


def test_an_attempt_keeps_what_was_found_and_the_source(progress: Progress) -> None:
    attempt = record(progress, WRONG, b"\xff\x00 no text")
    assert progress.attempts.of("softmax") == [attempt]
    assert (attempt.outcome, attempt.passed, attempt.checks) == (Outcome.FAILED, 1, 2)
    assert (attempt.mode, attempt.mistake, attempt.seconds) == ("check", "no-maximum", None)
    assert attempt.source is not None
    assert progress.attempts.source(attempt.source) == b"\xff\x00 no text"


def test_the_same_source_is_stored_once(progress: Progress, tmp_path: Path) -> None:
    assert (
        record(progress, WRONG).source
        == record(progress, RIGHT).source
        != record(progress, RIGHT, b"x").source
    )
    with sqlite3.connect(database(tmp_path)) as connection:
        assert connection.execute("SELECT count(*) FROM sources").fetchone() == (2,)


def test_help_counts_until_the_next_pass(progress: Progress) -> None:
    progress.attempts.note_help("softmax", 1)
    progress.attempts.note_help("softmax", 2)
    progress.attempts.note_help("gqa", None)
    first = record(progress, WRONG)
    progress.attempts.note_help("softmax", None)
    second, third = record(progress, RIGHT), record(progress, RIGHT)
    assert [(each.hints, each.solution_seen) for each in (first, second, third)] == [
        (2, False),
        (2, True),
        (0, False),
    ]


def test_help_of_yesterday_does_not_count(progress: Progress) -> None:
    progress.attempts.note_help("softmax", None)
    tomorrow = clock.now() + timedelta(days=1)
    assert not progress.attempts.record(RIGHT, "check", tomorrow, b"").solution_seen


def test_reading_writes_nothing(progress: Progress, tmp_path: Path) -> None:
    standings(CATALOG, progress, clock.now())
    assert progress.attempts.of() == []
    assert list(tmp_path.iterdir()) == []


# From a verdict to the schedule


def test_the_first_pass_is_a_review_and_the_next_ones_are_not(progress: Progress) -> None:
    def check(verdict: Verdict) -> bool:
        return record_check(progress, SOFTMAX, verdict, "check", clock.now(), b"").card is not None

    assert [check(WRONG), check(RIGHT), check(RIGHT)] == [False, True, False]


def test_a_due_topic_is_reviewed_only_by_an_answer_written_afresh(
    progress: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_check(progress, SOFTMAX, RIGHT, "check", clock.now(), b"")
    later = clock.now() + timedelta(days=30)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert record_check(progress, SOFTMAX, RIGHT, "check", later, b"").card is None
    progress.attempts.set_aside("softmax", b"")
    assert record_check(progress, SOFTMAX, RIGHT, "check", later, b"").card is not None


def test_a_look_at_the_solution_counts_as_forgotten_unless_it_is_passed(progress: Progress) -> None:
    record_solution(progress, SOFTMAX)
    (review,) = progress.reviews.all()
    assert (review.name, review.rating) == ("softmax", Rating.AGAIN)
    record(progress, RIGHT)
    assert record_solution(progress, SOFTMAX) is None
    assert len(progress.reviews.all()) == 1


def test_states_and_what_is_next(progress: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    def softmax(days: int = 0) -> tuple[State, str, State | None]:
        now = clock.now() + timedelta(days=days)
        standing = standings(CATALOG, progress, now)
        step = next_step(standing, now)
        return standing["softmax"].state, step.topic.id if step.topic else "", step.state

    assert softmax() == (State.NEW, "softmax", State.NEW)
    record(progress, WRONG)
    assert softmax() == (State.FAILING, "softmax", State.FAILING)
    record_check(progress, SOFTMAX, RIGHT, "check", clock.now(), b"")
    assert softmax() == (State.PASSED, "activations", State.NEW)
    assert softmax(days=40) == (State.DUE, "softmax", State.DUE)


def test_new_topics_wait_for_what_they_build_on(progress: Progress) -> None:
    now = clock.now()
    standing = standings(CATALOG, progress, now)
    waiting = next(topic for topic in CATALOG.topics if topic.prerequisites)
    for topic in CATALOG.topics:
        if topic.id != waiting.prerequisites[0] and topic is not waiting:
            standing[topic.id] = replace(standing[topic.id], state=State.PASSED, has_passed=True)
    first = next_step(standing, now)
    assert first.topic is not None and first.topic.id == waiting.prerequisites[0]
    known = replace(standing[first.topic.id], state=State.PASSED, has_passed=True)
    second = next_step({**standing, first.topic.id: known}, now)
    assert second.topic is waiting and waiting.prerequisites[0] in second.reason


# Times without a clock


def best(progress: Progress) -> tuple[float | None, bool]:
    summary = progress.attempts.summaries()["softmax"]
    return summary.best_seconds, summary.is_best_untimed


def test_a_plain_pass_counts_its_time_from_the_blank_exercise(progress: Progress) -> None:
    untouched = replace(RIGHT, outcome=Outcome.NOT_STARTED)
    record_check(progress, SOFTMAX, untouched, "check", clock.now(), b"")
    for minutes, verdict in ((2, WRONG), (5, RIGHT), (6, RIGHT)):
        moment = clock.now() + timedelta(minutes=minutes)
        record_check(progress, SOFTMAX, verdict, "check", moment, b"answer")
    seconds = [attempt.seconds for attempt in progress.attempts.of("softmax")]
    assert seconds[:2] == [None, None] and seconds[3] is None  # passed already
    assert best(progress) == (pytest.approx(300, abs=5), True)
    progress.attempts.record(RIGHT, "drill", clock.now(), b"answer", seconds=400.0)
    assert best(progress)[1]
    progress.attempts.record(RIGHT, "drill", clock.now(), b"answer", seconds=200.0)
    assert best(progress) == (200.0, False)


@pytest.mark.parametrize("hours", [None, 4, -1])
def test_a_time_that_nobody_knows_is_none(progress: Progress, hours: int | None) -> None:
    if hours is not None:
        progress.attempts.note_blank("softmax")
    record_check(progress, SOFTMAX, RIGHT, "watch", clock.now() + timedelta(hours=hours or 0), b"answer")
    assert best(progress) == (None, False)
    assert progress.attempts.of("softmax")[-1].seconds is None


# What may happen to a file

WRITER = """
import sys
from pathlib import Path
from grader.curriculum.workspace import Workspace
from grader.judge.verdict import Outcome, Verdict
from grader.practice.record import clock
from grader.practice.record.progress import open_progress
progress = open_progress(Workspace(Path(sys.argv[1])))
verdict = Verdict("softmax", "softmax.py", Outcome.FAILED)
for number in range(int(sys.argv[2])):
    progress.attempts.record(verdict, sys.argv[3], clock.now(), f"{sys.argv[3]} {number}".encode())
    print(number, flush=True)
"""


def writer(root: Path, count: int, name: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, str(root), str(count), name]
    return subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)


def test_writers_at_once_lose_nothing(progress: Progress, tmp_path: Path) -> None:
    writers = [writer(tmp_path, 50, f"mode {number}") for number in range(4)]
    assert [process.wait(timeout=60) for process in writers] == [0, 0, 0, 0]
    modes = [attempt.mode for attempt in progress.attempts.of()]
    assert {mode: modes.count(mode) for mode in modes} == {f"mode {number}": 50 for number in range(4)}
    for process in writers:
        process.communicate()


def test_a_writer_killed_in_the_middle_leaves_whole_attempts(progress: Progress, tmp_path: Path) -> None:
    told = 0
    for _ in range(5):
        process = writer(tmp_path, 10**6, "check")
        assert process.stdout is not None
        for _ in range(20):
            process.stdout.readline()
        time.sleep(0.003)
        process.send_signal(signal.SIGKILL)
        told += 20 + len(process.communicate()[0].splitlines())
    attempts = progress.attempts.of()
    assert told <= len(attempts) <= told + 5  # one may be kept of which it could not tell any more
    for attempt in attempts:
        assert attempt.source is not None and progress.attempts.source(attempt.source)
    with sqlite3.connect(database(tmp_path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize("damage", ["other", "header", "pages", "empty"])
def test_a_damaged_file_is_set_aside_and_work_goes_on(tmp_path: Path, damage: str) -> None:
    told: list[str] = []
    progress = progress_in(tmp_path, told=told.append)
    for number in range(200):
        record(progress, WRONG, f"{number}".encode() * 100)
    path = database(tmp_path)
    content = path.read_bytes()
    damaged = {
        "other": b"not a database at all, " * 100,
        "header": b"\0" * 100 + content[100:],
        "pages": content[:4096] + os.urandom(len(content) - 4096),
        "empty": b"",
    }[damage]
    path.write_bytes(damaged)
    attempt = record(progress, RIGHT)
    assert progress.attempts.of() == [attempt]
    aside = [each for each in path.parent.iterdir() if "damaged" in each.name]
    if damage == "empty":
        assert (told, aside) == ([], [])
    else:
        assert [each.read_bytes() for each in aside if each.suffix == ".db"] == [damaged]
        assert len(told) == 1 and str(path) in told[0] and aside[0].name in told[0]


def test_a_damaged_file_does_not_keep_from_reading(tmp_path: Path) -> None:
    told: list[str] = []
    progress = progress_in(tmp_path, told=told.append)
    database(tmp_path).parent.mkdir()
    database(tmp_path).write_bytes(b"nonsense" * 1000)
    assert standings(CATALOG, progress, clock.now())["softmax"].state is State.NEW
    assert len(told) == 1


def test_an_older_schema_is_brought_up_to_date(progress: Progress, tmp_path: Path) -> None:
    database(tmp_path).parent.mkdir()
    with closing(sqlite3.connect(database(tmp_path))) as connection:
        connection.executescript(f"{MIGRATIONS[0]}; PRAGMA user_version = 1")
        connection.execute(
            "INSERT INTO reviews VALUES (1, 'gqa', '2026-01-02T03:04:05.000000Z', 3, 'stub', 'empty', 2, 5, "
            "'2026-01-04T03:04:05.000000Z')"
        )
        connection.commit()
    assert progress.reviews.cards()["gqa"].level is Level.EMPTY
    progress.reviews.undo(progress.reviews.last())
    assert progress.reviews.cards() == {}


def test_a_newer_schema_is_refused(progress: Progress, tmp_path: Path) -> None:
    record(progress, RIGHT)
    with sqlite3.connect(database(tmp_path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    before = database(tmp_path).read_bytes()
    for use in (lambda: progress.attempts.of(), lambda: record(progress, WRONG)):
        with pytest.raises(ProgressUnavailable, match=r"newer byheart.*make update"):
            use()
    assert database(tmp_path).read_bytes() == before


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / ".practice").write_text("a file in its place")
    progress = progress_in(tmp_path)
    assert progress.attempts.of() == []
    with pytest.raises(ProgressUnavailable, match="cannot be used"):
        record(progress, RIGHT)


def test_a_read_only_folder_can_be_read() -> None:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are closed to other users
        check_reading_without_writing(Path(folder))


def check_reading_without_writing(root: Path) -> None:
    attempt = record(progress_in(root), RIGHT)
    database(root).chmod(0o444)
    database(root).parent.chmod(0o555)
    root.chmod(0o755)
    script = (
        "import os, sys, urllib.parse\n"  # what a path needs as an address cannot be read below
        "from grader.curriculum.workspace import Workspace\n"
        "from grader.practice.record.progress import open_progress\n"
        "from grader.practice.record.unavailable import ProgressUnavailable\n"
        "from pathlib import Path\n"
        "os.getuid() or os.setuid(65534)\n"  # root may write anywhere
        "progress = open_progress(Workspace(Path('.')))\n"
        "print([attempt.id for attempt in progress.attempts.of()])\n"
        "try:\n    progress.attempts.note_help('softmax', 1)\n"
        "except ProgressUnavailable as problem:\n    print(problem)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    read, refused = done.stdout.splitlines()
    assert json.loads(read) == [attempt.id]
    assert "cannot be used: " in refused and "readonly" in refused


def test_a_full_disk_is_a_sentence(progress: Progress, tmp_path: Path) -> None:
    record(progress, RIGHT)
    with sqlite3.connect(database(tmp_path)) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    script = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({pages * 4096 + 4096},) * 2)\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n" + WRITER
    )
    command = [sys.executable, "-c", script, str(tmp_path), "1000", "check"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=60)
    assert "ProgressUnavailable" in done.stderr.splitlines()[-1]
    written = len(done.stdout.splitlines())
    assert len(progress.attempts.of()) == 1 + written
    with sqlite3.connect(database(tmp_path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


# Sessions


def test_a_session_that_is_cut_off_can_be_found_again(progress: Progress) -> None:
    first = progress.sessions.start("drill", ("softmax",), 480.0, {"level": "stub"})
    progress.sessions.save(first.id, 12.5)
    (running,) = [progress.sessions.running("drill")]
    assert running == replace(first, elapsed=12.5)
    progress.sessions.save(first.id, 20.0, "passed", {"level": "stub", "rating": 3})
    assert progress.sessions.running("drill") is None
    assert [(each.status, each.details["rating"]) for each in progress.sessions.of("drill")] == [
        ("passed", 3)
    ]
    assert progress.sessions.of("mock") == []


def test_a_session_ends_with_all_of_its_reviews_or_goes_on(progress: Progress) -> None:
    session = progress.sessions.start("mock", ("softmax", "gqa"), 480.0, {})
    reviews = [("softmax", Rating.GOOD, Level.STUB), ("gqa", None, Level.STUB)]
    with pytest.raises(ValueError, match="Rating"):  # cut off between the two
        progress.sessions.end(session.id, 20.0, "passed", {}, reviews)  # type: ignore[arg-type]
    assert progress.sessions.running("mock") == session
    assert progress.reviews.all() == []
    cards = progress.sessions.end(session.id, 20.0, "passed", {}, reviews[:1])  # type: ignore[arg-type]
    assert progress.sessions.running("mock") is None
    assert progress.reviews.cards() == {"softmax": cards[0]}
