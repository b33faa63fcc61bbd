"""`drill` and `mock` at a terminal."""

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import psutil
import pytest
from driving import OF_ALL, has_ended
from practice.timed.by_script import (
    INTERRUPTED,
    NOT_PASSED,
    PASSED,
    RIGHT,
    SEVEN,
    SOFTMAX,
    WRONG,
    exercise,
    last_session,
    progress,
    with_seven_topics,
)

from grader.practice.schedule import Rating

ENDLESS = RIGHT + "\nwhile True:\n    pass\n"


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
    with_seven_topics(project)
    session = at_terminal(command, *([] if command == "drill" else SEVEN))
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
    with_seven_topics(project)
    mock = at_terminal("mock", *SEVEN)
    mock.sees("74:00 left   Enter grade  1-7 topic  e edit  q end")
    shown = last_session(project, "mock").topics
    for key in ("3", "2"):
        mock.types(key)
        mock.sees(f"> {key}  {shown[int(key) - 1]}")
    write(exercise(project), WRONG)
    mock.sees(f"> {shown.index('softmax') + 1}  softmax")
    mock.sees(OF_ALL)
    mock.types("q")
    mock.sees("End the interview now?   y yes   any other key no")
    mock.types("n")
    mock.sees("q end")
    mock.child.kill(signal.SIGKILL)
    mock.child.wait()
    again = at_terminal("mock")
    again.sees("r resume")
    again.types("r")
    again.sees(OF_ALL)
    write(exercise(project), RIGHT)
    again.sees("passed")
    again.types("q", "q")
    again.sees("Score card")
    again.sees("1 of 7 passed in")
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
