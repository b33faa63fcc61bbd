"""`export` and `import` as one calls them."""

import json
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pexpect
import pytest
from driving import byheart, command
from practice.transfer.records import (
    attempt,
    exported,
    filled,
    review,
    session,
)

from grader.practice.transfer.format import ATTEMPT, HELP, RECORDS, REVIEW, SESSION

EMPTY = '{"byheart": 2}\n{"end": 1}\n'


# The commands


def test_export_and_import(project: Path) -> None:
    filled(project, {SESSION: [session()], ATTEMPT: [attempt(), attempt(1)], REVIEW: [review()]})
    done = byheart(project, "export", "progress.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Exported 2 attempts, 1 review, 1 session to progress.jsonl.\n"
    piped = byheart(project, "export")
    assert piped.stdout == (project / "progress.jsonl").read_text(encoding="utf-8")
    assert piped.stderr == "Exported 2 attempts, 1 review, 1 session.\n"
    shutil.rmtree(project / ".practice")
    done = byheart(project, "import", "progress.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Imported 2 attempts, 1 review, 1 session. Already there: nothing.\n"
    done = byheart(project, "import", "progress.jsonl")
    assert done.stdout == "Imported nothing. Already there: 2 attempts, 1 review, 1 session.\n"
    assert byheart(project, "export").stdout == piped.stdout


def test_import_says_that_numbers_are_new(project: Path) -> None:
    filled(project, {ATTEMPT: [attempt(0)]})
    assert byheart(project, "export", "progress.jsonl").returncode == 0
    shutil.rmtree(project / ".practice")
    filled(project, {ATTEMPT: [attempt(1)]})
    done = byheart(project, "import", "progress.jsonl")
    assert done.stdout.endswith("\nAttempts are numbered anew, in order of time: make history\n")


def test_export_of_nothing_writes_no_progress(project: Path) -> None:
    done = byheart(project, "export")
    assert (done.returncode, done.stdout, done.stderr) == (0, EMPTY, "Exported nothing.\n")
    assert not (project / ".practice").exists()


@pytest.mark.parametrize("content", [None, "nonsense", '{"byheart": 1}\nnonsense', '{"byheart": 3}'])
def test_a_refused_import_is_one_sentence(project: Path, content: str | None) -> None:
    if content is not None:
        (project / "file").write_text(content, encoding="utf-8")
    done = byheart(project, "import", "file")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("file") and len(done.stderr.splitlines()) == 1


def test_an_export_that_cannot_be_written_is_one_sentence(project: Path) -> None:
    done = byheart(project, "export", "missing/file")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "missing/file cannot be written: No such file or directory\n"


def test_export_replaces_an_older_one_at_once(project: Path) -> None:
    path = project / "progress.jsonl"
    path.write_text("old", encoding="utf-8")
    assert byheart(project, "export", "progress.jsonl").returncode == 0
    assert path.read_text(encoding="utf-8") == EMPTY
    assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600
    assert [each.name for each in project.iterdir() if each.name.startswith(".")] == []


def test_what_is_exported_can_be_read_by_anything(tmp_path: Path) -> None:
    progress = filled(
        tmp_path, {SESSION: [session()], ATTEMPT: [attempt(session=1)], HELP: [], REVIEW: [review()]}
    )
    records = [json.loads(line) for line in exported(progress, tmp_path / "file")]
    assert [next(iter(record)) for record in records] == ["byheart", SESSION, ATTEMPT, REVIEW, "end"]
    assert records[1][SESSION]["topics"] == ["softmax"] and records[1][SESSION]["details"] == {}
    assert records[2][ATTEMPT]["solution_seen"] is False and records[2][ATTEMPT]["session"] == 1


def test_the_format_knows_every_column(tmp_path: Path) -> None:
    """A column that is added to the database has to be exported, too; but not since when an exercise has been
    worked at: that goes on here.
    """
    filled(tmp_path, {})
    with closing(sqlite3.connect(tmp_path / ".practice" / "progress.db")) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert tables == {"sources", "blanks", *(f"{kind}s" for kind in RECORDS)}
        for kind, fields in RECORDS.items():
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({kind}s)")]
            assert columns == ["id", *fields]


def test_export_at_a_terminal_writes_a_new_file_each_time(project: Path) -> None:
    python, *arguments = command("export")
    for _ in range(2):
        terminal = pexpect.spawn(python, arguments, cwd=project, encoding="utf-8", timeout=60)
        said = terminal.read()
        assert "Exported nothing to byheart-" in said and '{"byheart"' not in said
        terminal.close()
        assert terminal.exitstatus == 0
    first, second = sorted(project.glob("byheart-*.jsonl"), key=lambda path: len(path.name))
    assert second.stem == f"{first.stem}-2"
    assert first.read_text(encoding="utf-8") == second.read_text(encoding="utf-8") == EMPTY
