"""`quiz` as one calls it, by a script and at a terminal."""

import json
import os
import re
import signal
import sys
import termios
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pexpect
import psutil
import pytest
from driving import byheart, command
from practice.plan.cards import NAMES, SOFTMAX, TOPICS, rated

from grader.practice.schedule import Rating


def script(root: Path, *keys: str) -> str:
    (root / "keys").write_text("".join(json.dumps({"key": key}) + "\n" for key in keys), encoding="utf-8")
    return "keys"


def test_keys_from_a_file(project: Path) -> None:
    done = byheart(project, "quiz", "softmax", "--answers", script(project, "enter", "3", " ", "1", "q"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\n2 questions: 1 again, 1 good. 2 questions left for today: make quiz\n")
    assert rated(project) == [(NAMES[0], Rating.GOOD), (NAMES[1], Rating.AGAIN)]


def test_a_rating_taken_back_is_as_if_it_had_not_been(project: Path) -> None:
    keys = script(project, "enter", "3", "enter", "1", "u", "4", "u", "2", "q")
    assert byheart(project, "quiz", "softmax", "--answers", keys).returncode == 0
    assert rated(project) == [(NAMES[0], Rating.GOOD), (NAMES[1], Rating.HARD)]
    done = byheart(project, "undo", "--rating", "easy")
    assert done.stdout.startswith(f"softmax, {SOFTMAX.questions[1].question}: the rating")
    assert rated(project) == [(NAMES[0], Rating.GOOD), (NAMES[1], Rating.EASY)]


def test_the_whole_deck(project: Path) -> None:
    done = byheart(project, "quiz", "softmax", "--answers", script(project, *["enter", "4"] * 9))
    assert done.stdout.endswith("\n4 questions: 4 easy. Done for today. The next: 4 questions, in 8 days.\n")
    done = byheart(project, "quiz", "softmax")
    assert done.stdout == "Done for today. The next: 4 questions, in 8 days.\n"


def test_without_a_terminal_it_is_read_and_nothing_is_rated(project: Path) -> None:
    done = byheart(project, "quiz", "--chapter", "losses")
    assert (done.returncode, done.stderr) == (0, "")
    words = " ".join(done.stdout.split())
    for topic in islice((topic for topic in TOPICS if topic.chapter == "losses"), 4):
        for question in topic.questions:
            assert question.question in words and " ".join(question.answer.split()) in words
    assert done.stdout.endswith("\nTo answer and rate them, use a terminal: make quiz\n")
    assert not (project / ".practice").exists()


@pytest.mark.parametrize(
    "arguments, told",
    [
        (["softmx"], "closest: softmax"),
        (["--chapter", "nothing"], "There is no chapter 'nothing'. Chapters: foundations, "),
        (["softmax", "--chapter", "losses"], "not both"),
        (["--answers", "missing"], "missing cannot be read"),
        (["--answers", "wrong"], "wrong, line 1"),
    ],
)
def test_wrong_usage(project: Path, arguments: list[str], told: str) -> None:
    (project / "wrong").write_text("nonsense", encoding="utf-8")
    done = byheart(project, "quiz", *arguments)
    assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr
    assert not (project / ".practice").exists()


# In a terminal


@pytest.fixture
def terminal(project: Path) -> Iterator[pexpect.spawn]:
    variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    process = pexpect.spawn(
        sys.executable,
        ["-m", "grader", "quiz", "softmax"],
        cwd=str(project),
        env={**variables, "TERM": "xterm-256color"},
        encoding="utf-8",
        timeout=30,
        dimensions=(40, 100),
    )
    yield process
    process.close(force=True)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def see(terminal: pexpect.spawn, text: str) -> str:
    """Wait until that is shown, and give what was shown before."""
    terminal.expect_exact(text)
    return plain(terminal.before or "")


def is_line_mode(terminal: pexpect.spawn) -> bool:
    modes = termios.tcgetattr(terminal.child_fd)[3]
    return bool(modes & termios.ICANON) and bool(modes & termios.ECHO)


def test_single_keys(terminal: pexpect.spawn, project: Path) -> None:
    see(terminal, "question 1 of 4, new")
    see(terminal, "Say the answer aloud, then Enter   q quit")
    assert not is_line_mode(terminal)
    terminal.send(" ")
    assert "gives the same result" in " ".join(see(terminal, "1 again (tomorrow)").split())
    terminal.send("3")
    see(terminal, "question 2 of 4, new")
    assert rated(project) == [(NAMES[0], Rating.GOOD)]  # at once
    terminal.send("\r2q")
    see(terminal, "2 questions: 1 hard, 1 good. 2 questions left for today: make quiz")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 0
    assert len(rated(project)) == 2


def test_the_next_command_puts_right_what_one_that_was_killed_left(project: Path) -> None:
    python, *arguments = command("quiz", "softmax")
    shell = pexpect.spawn("sh", cwd=project, env={**os.environ, "PS1": "$ "}, encoding="utf-8", timeout=60)
    shell.sendline(f"{python} {' '.join(arguments)}")
    shell.expect_exact("Say the answer aloud")
    assert not is_line_mode(shell)
    (quiz,) = psutil.Process(shell.pid).children()
    quiz.kill()
    shell.expect_exact("Killed")
    assert not is_line_mode(shell)
    shell.sendline(f"{python} {' '.join(command('next')[1:])}")
    shell.expect_exact("Next: softmax")
    assert is_line_mode(shell) and not list((project / ".practice").glob("modes-*"))
    shell.close()


def test_a_resized_terminal_is_painted_anew(terminal: pexpect.spawn) -> None:
    see(terminal, "q quit")
    terminal.send("\r")
    see(terminal, "q quit")
    terminal.setwinsize(40, 50)
    shown = see(terminal, "q quit")
    assert max(map(len, shown.splitlines())) <= 50
    assert "question 1 of 4" in shown


def test_ctrl_c_keeps_what_was_rated(terminal: pexpect.spawn, project: Path) -> None:
    see(terminal, "q quit")
    terminal.send("\r3")
    see(terminal, "question 2 of 4")
    terminal.sendintr()
    see(terminal, "interrupted")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert (terminal.exitstatus, rated(project)) == (130, [(NAMES[0], Rating.GOOD)])


def test_a_closed_terminal_ends_it(terminal: pexpect.spawn, project: Path) -> None:
    see(terminal, "q quit")
    terminal.send("\r3")
    see(terminal, "question 2 of 4")
    terminal.kill(signal.SIGHUP)
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 0
    assert rated(project) == [(NAMES[0], Rating.GOOD)]
