"""Every command on terminals of three widths: no row is too long, and no word is cut."""

import json
import os
import re
import shlex
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pexpect
import pytest
from driving import CATALOG, TESTS, command, progress_in

from grader.curriculum.catalog import Topic
from grader.judge.verdict import Check, Diagnosis, Outcome, Verdict
from grader.practice.schedule import Level, Rating
from grader.show.pages.hint import hint_text

WIDTHS, WIDE = [60, 80, 100], 1000
TOPICS = CATALOG.topics
GOLDEN = TESTS / "golden" / "softmax"
SIMPLE = [
    ["--help"],
    ["check", "--help"],
    ["drill", "--help"],
    ["list"],
    ["next"],
    ["hint", "gqa", "--level", "2"],
    ["hint", "kv_cache", "--level", "3"],
    ["history"],
    ["history", "gqa"],
    ["stats"],
    ["report"],
    ["restore", "softmax", "1"],
    ["restore", "softmax", "1000000"],
    ["reset", "softmax"],
    ["export", "progress.jsonl"],
    ["import", "progress.jsonl"],
    ["import", "missing.jsonl"],
    ["update"],
    ["stubs"],
    ["stubs", "--check"],
    ["new", "softmax", "--chapter", "foundations"],
    ["hint", "self_atention_v3"],
    ["quiz", "--chapter", "nothing"],
    ["drill", "softmax", "--resume"],
    ["check", "softmax", "--file", "missing.py"],
    ["compare", "mlp_torch"],
]
WITH_A_PAST = [  # what they show depends on what was done before
    ["quiz", "softmax", "--answers", "quiz.jsonl"],
    ["check"],
    ["check", "softmax", "--file", str(GOLDEN / "exception.py"), "--verbose"],
    ["watch", "softmax", "--answers", "watch.jsonl"],
    ["drill", "softmax", "--answers", "drill.jsonl"],
    ["mock", "--count", "2", "--seed", "7", "--answers", "mock.jsonl"],
]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
WRONG = (GOLDEN / "mistake.py").read_text(encoding="utf-8")


@pytest.fixture
def lived(project: Path) -> Path:
    """A project in which somebody has practised."""
    progress = progress_in(project)
    checks = tuple(Check(f"test_{number}", "a check", Outcome.FAILED) for number in range(7))
    diagnosis = Diagnosis("logsumexp-without-maximum + sum-is-detached", "The one.\n\nThe other.")
    wrong = Verdict("softmax", "", Outcome.FAILED, checks, diagnosis)
    for day in range(9):
        begun = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=day)
        for topic, mode in (("softmax", "check"), ("self_attention_v3", "notebook"), ("gqa", "drill")):
            verdict = Verdict(topic, "", Outcome.PASSED, checks) if day % 3 == 2 else wrong
            progress.attempts.record(verdict, mode, begun, b"an answer", seconds=60.0 * day)
            progress.attempts.note_help(topic, 1 + day % 3)
    for topic in ("self_attention_v3", "gqa"):
        progress.reviews.add(topic, Rating.GOOD, Level.STUB)
    for name, steps in {
        "watch": [{"save": WRONG}, {"key": "h"}, {"key": "v"}, {"key": "l"}, {"key": "n"}],
        "drill": [{"save": WRONG}, {"key": "h"}, {"key": "h"}, {"key": "q"}, *[{"key": "enter"}] * 8],
        "mock": [{"key": "q"}, {"key": "y"}, {"key": "enter"}, {"key": "enter"}],
        "quiz": [{"key": "enter"}, {"key": "3"}, {"key": "q"}],
    }.items():
        (project / f"{name}.jsonl").write_text("".join(f"{json.dumps(step)}\n" for step in steps))
    shutil.copy(GOLDEN / "prints.py", project / "exercises/foundations/softmax.py")
    return project


def rows(text: str) -> list[str]:
    """What stood in the lines of a terminal, one after the other."""
    text = re.sub(r"\x1b\[\d*A|\x1b\[[HJK]", "\n", text.replace("\r\n", "\n"))
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "\n").split("\n")


def too_long(lines: list[str], width: int) -> list[str]:
    """Rows that have no room, though they could be broken. (A command is not to be.)"""
    return [line for line in lines if len(line) > width and " " in line.strip()]


def cut(lines: list[str], whole: list[str]) -> set[str]:
    """Words that are none where all have room. (Numbers may differ; the help shortens lines by words.)"""
    known = {form for line in whole for word in line.split() for form in (word, word.rstrip(",:"))}
    words = {word.removesuffix("…") for line in lines for word in line.split() if not word.endswith("...")}
    return {word for word in words - known if word and not re.search(r"\d", word)}


def on_terminal(root: Path, width: int, *arguments: str, pager: str = "") -> list[str]:
    terminal = pexpect.spawn(
        "sh",
        ["-c", f"{shlex.join(command(*arguments))} {pager}"],
        cwd=str(root),
        env={**ENVIRONMENT, "TERM": "xterm-256color"},
        encoding="utf-8",
        timeout=60,
        dimensions=(24, width),
    )
    printed = terminal.read()
    terminal.close()
    return rows(printed)


@pytest.mark.parametrize("arguments", [*SIMPLE, *WITH_A_PAST], ids=" ".join)
def test_a_command_fits(lived: Path, tmp_path_factory: pytest.TempPathFactory, arguments: list[str]) -> None:
    printed, root = {}, lived
    for width in (WIDE, *WIDTHS):
        if arguments in WITH_A_PAST:
            root = tmp_path_factory.mktemp("narrow")
            shutil.copytree(lived, root, symlinks=True, dirs_exist_ok=True)
        printed[width] = on_terminal(root, width, *arguments)
    assert any(printed[WIDE])
    for width in WIDTHS:
        assert too_long(printed[width], width) == []
        # What is left out where there is less room has a line of its own, and so has the sign of life.
        rows = [row for row in printed[width] if not re.search(r" more like these$|^  \w+ … \d+ s$", row)]
        rows = [re.sub(r"\bgrading … \d+ s\b", "grading …", row) for row in rows]  # that of watch has not
        assert cut(rows, printed[WIDE]) == set()


@pytest.mark.parametrize("pager", ["| cat", "> list; cat list"])
def test_a_pager_has_as_much_room_as_the_terminal_and_a_file_has_its_own(project: Path, pager: str) -> None:
    fits = too_long(on_terminal(project, 60, "list", pager=pager), 60) == []
    assert fits == (pager == "| cat")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.id)
def test_a_hint_fits(topic: Topic, width: int) -> None:
    for level in (1, 2, 3):
        lines = hint_text(topic, level, width).split("\n")
        assert too_long(lines, width) == []
        assert cut(lines, hint_text(topic, level, 10_000).split("\n")) == set()


def test_what_is_looked_for_is_seen() -> None:
    assert too_long(["a row that is", "one-long-word-alone"], 12) == ["a row that is"]
    assert cut(["hundred neigh", "bouring"], ["a hundred neighbouring"]) == {"neigh", "bouring"}
