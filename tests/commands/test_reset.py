"""`reset` and `restore`: nothing that was there is lost."""

from pathlib import Path

import pytest
from commands.answers import NOT_PASSED, PASSED, RIGHT, WRONG_USAGE, exercise
from driving import byheart, progress_in


def test_reset_keeps_what_was_there(project: Path) -> None:
    stub = exercise(project).read_bytes()
    answer = b"# mine, and no UTF-8: \xff\r\n"
    exercise(project).write_bytes(answer)
    done = byheart(project, "reset", "softmax")
    assert done.returncode == PASSED
    assert done.stdout.splitlines()[0] == "What was there is kept: make restore topic=softmax attempt=1"
    assert exercise(project).read_bytes() == stub
    restored = byheart(project, "restore", "softmax", "1")
    assert restored.stdout == "exercises/foundations/softmax.py is as it was in attempt 1.\n"
    assert exercise(project).read_bytes() == answer


def test_restore_keeps_what_is_there_first(project: Path) -> None:
    attempts = progress_in(project).attempts
    attempts.set_aside("softmax", b"first")
    attempts.set_aside("gqa", b"another topic's")
    exercise(project).write_text("second", encoding="utf-8")
    done = byheart(project, "restore", "softmax", "1")
    assert done.stdout.splitlines()[0] == "What was there is kept: make restore topic=softmax attempt=3"
    assert exercise(project).read_text(encoding="utf-8") == "first"
    assert byheart(project, "restore", "softmax", "2").returncode == WRONG_USAGE
    listed = [line.split()[0] for line in byheart(project, "history", "softmax").stdout.splitlines()[1:3]]
    assert listed == ["1", "3"]


def test_reset_where_nothing_can_be_kept_changes_nothing(project: Path) -> None:
    (project / ".practice").write_text("no folder", encoding="utf-8")
    exercise(project).write_text(RIGHT, encoding="utf-8")
    done = byheart(project, "reset", "softmax")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (NOT_PASSED, "", 1)
    assert exercise(project).read_text(encoding="utf-8") == RIGHT


@pytest.mark.parametrize("text", [None, "", "\n\n"])
def test_reset_of_nothing_saves_nothing(project: Path, text: str | None) -> None:
    stub = exercise(project).read_text(encoding="utf-8")
    exercise(project).unlink()
    if text is not None:
        exercise(project).write_text(text, encoding="utf-8")
    for _ in range(2):
        assert byheart(project, "reset", "softmax").returncode == PASSED
        assert exercise(project).read_text(encoding="utf-8") == stub
    assert not (project / ".practice").exists()


def test_reset_of_a_read_only_exercise(project: Path) -> None:
    exercise(project).write_text(RIGHT, encoding="utf-8")
    exercise(project).chmod(0o444)
    assert byheart(project, "reset", "softmax").returncode == PASSED
    assert "NotImplementedError" in exercise(project).read_text(encoding="utf-8")


def test_reset_that_is_impossible_says_so_in_a_sentence(project: Path) -> None:
    exercise(project).unlink()
    exercise(project).mkdir()
    done = byheart(project, "reset", "softmax")
    assert (done.returncode, done.stdout) == (NOT_PASSED, "")
    assert done.stderr.startswith("exercises/foundations/softmax.py cannot be reset: ")
    assert len(done.stderr.splitlines()) == 1
