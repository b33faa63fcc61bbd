"""What may happen to the file of the progress."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import pytest
from driving import CATALOG, PROJECT, progress_in
from practice.record.attempts import RIGHT, WRONG, database, record

from grader.practice.plan.standing import State, standings
from grader.practice.record import clock
from grader.practice.record.database import MIGRATIONS
from grader.practice.record.progress import Progress
from grader.practice.record.unavailable import ProgressUnavailable
from grader.practice.schedule import Level

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
