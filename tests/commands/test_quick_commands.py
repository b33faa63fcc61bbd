"""Commands that answer in a blink."""

import re
from pathlib import Path

import pexpect
import pytest
from commands.answers import NOT_PASSED, PASSED, RIGHT, WRONG_USAGE, exercise
from driving import ALL_BUT_THREE_PASSED, PROJECT, byheart, command, own_room, progress_in

from grader.curriculum.catalog import load_catalog
from grader.judge.verdict import Outcome, Verdict
from grader.practice.record import clock
from grader.practice.schedule import Level, Rating


def test_list_shows_where_one_stands(project: Path) -> None:
    exercise(project).write_text(RIGHT, encoding="utf-8")
    done = byheart(project, "list")
    topics = {topic.id for topic in load_catalog().topics}
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("  ")]
    states = {row[0]: row[-3] for row in rows if row[0] in topics}
    assert (done.returncode, states.pop("softmax")) == (PASSED, "started")
    assert set(states.values()) == {"new"} and len(states) == len(topics) - 1
    assert done.stdout.endswith("Next: softmax, because you have begun it.\n      make check topic=softmax\n")
    assert byheart(project, "next").stdout == "".join(done.stdout.splitlines(keepends=True)[-2:])
    assert not (project / ".practice").exists()


def of_chapter(chapter: str) -> list[str]:
    return [topic.id for topic in load_catalog().topics if topic.chapter == chapter]


@pytest.mark.parametrize(
    ("words", "topics"),
    [
        (["started"], ["softmax"]),
        (["losses"], of_chapter("losses")),
        (["new", "foundations"], [topic for topic in of_chapter("foundations") if topic != "softmax"]),
        (["due"], []),
        (["started", "positions", "new"], of_chapter("positions")),
    ],
)
def test_list_of_states_and_chapters(project: Path, words: list[str], topics: list[str]) -> None:
    exercise(project).write_text(RIGHT, encoding="utf-8")
    done = byheart(project, "list", *words)
    rows = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")]
    assert (done.returncode, [row for row in rows if row not in ("topic", "make")]) == (PASSED, topics)
    assert "Next: softmax" in done.stdout


def test_list_all_is_the_whole_list(project: Path) -> None:
    assert byheart(project, "list", "all").stdout == byheart(project, "list").stdout


def test_list_of_what_is_no_state_and_no_chapter() -> None:
    done = byheart(PROJECT, "list", "atention")
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert done.stderr.startswith(
        "'atention' is neither a state nor a chapter. Did you mean attention? There are: "
    )


def test_what_was_cut_off_is_listed_as_next(project: Path) -> None:
    progress_in(project).sessions.start("drill", ("gqa",), 900.0, {})
    done = byheart(project, "list")
    assert done.stdout.endswith(
        "Next: go on, because the drill of gqa is not finished: 0 of 15 minutes are over.\n      make drill\n"
    )
    assert done.stdout.endswith(byheart(project, "next").stdout)
    progress_in(project).sessions.start("mock", ("a_topic_that_is_no_more",), 900.0, {})
    assert "the drill of gqa" in byheart(project, "next").stdout


def test_check_without_anything_started(project: Path) -> None:
    done = byheart(project, "check")
    assert (done.returncode, done.stdout) == (NOT_PASSED, "")
    assert "make check topic=softmax" in done.stderr


def test_hint_gives_one_more_each_time(project: Path) -> None:
    for shown in (1, 2, 3, 3):
        done = byheart(project, "hint", "softmax")
        assert done.returncode == PASSED and f"hint {shown} of 3\n" in done.stdout
    assert done.stdout.endswith("\nNext: make solution topic=softmax\n")
    assert "hint 1 of 3" in byheart(project, "hint", "softmax", "--level", "1").stdout
    assert progress_in(project).attempts.hints_taken("softmax") == 3
    assert "hint 1 of 3" in byheart(project, "hint", "gqa").stdout


def test_hint_where_nothing_can_be_kept(project: Path) -> None:
    (project / ".practice").write_text("no folder", encoding="utf-8")
    done = byheart(project, "hint", "softmax", "--level", "2")
    assert done.returncode == PASSED and "hint 2 of 3" in done.stdout
    assert done.stderr.startswith("This hint is not recorded: ")


def test_solution_is_printed_as_it_is_and_recorded(project: Path) -> None:
    done = byheart(project, "solution", "softmax", "--yes")
    assert done.stdout == (project / "solutions/foundations/softmax.py").read_text(encoding="utf-8")
    assert progress_in(project).reviews.cards()["softmax"].level is Level.BLANKS


@pytest.mark.parametrize(("answer", "shown"), [("y", True), ("YES", True), ("", False), ("no", False)])
def test_solution_asks_first(project: Path, answer: str, shown: bool) -> None:
    terminal = pexpect.spawn(*spawned("solution", "softmax"), cwd=project, encoding="utf-8", timeout=30)
    terminal.expect_exact("Show the solution of softmax? ")
    terminal.expect_exact("[y/N] ")
    terminal.sendline(answer)
    said = terminal.read()
    terminal.close()
    assert terminal.exitstatus == (PASSED if shown else NOT_PASSED)
    assert ("def softmax" in re.sub(r"\x1b\[[0-9;]*m", "", said)) is shown
    assert ("softmax" in progress_in(project).reviews.cards()) is shown


def test_a_solution_that_costs_nothing_is_shown_without_asking(project: Path) -> None:
    progress = progress_in(project)
    right = Verdict("softmax", "", Outcome.PASSED)
    progress.attempts.record(right, "check", clock.now(), None)
    progress.reviews.add("softmax", Rating.GOOD)
    done = byheart(project, "solution", "softmax")
    assert (done.returncode, "def softmax" in done.stdout) == (PASSED, True)
    assert done.stderr == "This costs nothing: softmax is passed, and no review of it is due.\n"
    assert len(progress.reviews.all()) == 1


def test_checks_are_shown_while_the_mistake_is_looked_for(project: Path) -> None:
    wrong = PROJECT / "tests/golden/softmax/nan.py"
    command = spawned("check", "softmax", "--file", str(wrong))
    terminal = pexpect.spawn(*command, cwd=project, encoding="utf-8", timeout=30)
    terminal.expect_exact("  Looking for the mistake …")
    checks, rest = (re.sub(r"\x1b\[[0-9;]*m", "", text) for text in (terminal.before, terminal.read()))
    assert "  FAIL  " in checks and "checks passed" not in checks
    above = checks.rpartition("\x1b[K")[0].count("\n")
    assert rest.startswith(f"\r\x1b[{above}A\x1b[Jsoftmax  Softmax")  # in its place
    assert "Your values are exactly those of this mistake:" in rest
    assert ALL_BUT_THREE_PASSED in rest
    terminal.close()
    assert terminal.exitstatus == NOT_PASSED


def test_while_grading_takes_long_there_is_a_sign_of_life(project: Path) -> None:
    exercise(project).write_text(f"import time\ntime.sleep(2.5)\n{RIGHT}", encoding="utf-8")
    for arguments in (["check", "softmax"], ["check"]):
        terminal = pexpect.spawn(*spawned(*arguments), cwd=project, encoding="utf-8", timeout=30)
        terminal.expect_exact("  Grading … 1 s")
        terminal.expect_exact("\r\x1b[K  Grading … 2 s")
        assert re.search(r"\r\x1b\[J[^…]*pass[^…]*$", terminal.read())
        terminal.close()
        assert terminal.exitstatus == PASSED
    assert "…" not in byheart(project, "check", "softmax").stdout


def spawned(*arguments: str) -> tuple[str, list[str]]:
    """A command as pexpect takes it."""
    python, *others = command(*arguments)
    return python, others


def test_stubs(project: Path) -> None:
    assert byheart(project, "stubs", "--check").returncode == PASSED
    assert byheart(project, "stubs").stdout == "All is up to date.\n"
    exercise(project).unlink()
    stale = byheart(project, "stubs", "--check")
    assert (stale.returncode, stale.stdout) == (NOT_PASSED, "")
    assert "  exercises/foundations/softmax.py\n" in stale.stderr
    assert byheart(project, "stubs").stdout == "wrote exercises/foundations/softmax.py\n"


def test_new_topic(project: Path) -> None:
    for room in ("solutions", "grader/topics"):
        own_room(project / room)
    done = byheart(project, "new", "my_own_norm", "--chapter", "normalization")
    assert done.returncode == PASSED
    assert "wrote solutions/normalization/my_own_norm.py\n" in done.stdout
