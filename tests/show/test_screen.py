"""The screen: one page at a time on a terminal, plain pages elsewhere."""

import fcntl
import io
import os
import pty
import struct
import termios
import threading
from contextlib import redirect_stdout

import pytest
from rich.text import Text

from grader.show.terminal.screen import Screen

PAGE, OTHER = Text("a page"), Text("another page")


class Terminal:
    """A pseudo-terminal that is standard output."""

    def __init__(self) -> None:
        self.ours, self.theirs = pty.openpty()
        self.resize(60)
        self.stream = os.fdopen(self.theirs, "w", closefd=False)
        self._data = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 20, columns, 0, 0))

    def _read(self) -> None:
        try:
            while part := os.read(self.ours, 65536):
                self._data += part
        except OSError:
            return  # closed at the other end

    def printed(self) -> str:
        """All that was printed, after it was closed."""
        self.stream.close()
        os.close(self.theirs)
        self._thread.join(5)
        os.close(self.ours)
        return self._data.decode().replace("\r\n", "\n")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    return Terminal()


def test_a_page_takes_the_place_of_the_one_before(terminal: Terminal) -> None:
    with redirect_stdout(terminal.stream), Screen() as screen:
        screen.show(PAGE, Text("status"))
        screen.show(OTHER, Text("status"))
    before, first, second = terminal.printed().split("\x1b[H\x1b[J")
    assert before == "\n" * 19  # what was there scrolls up
    assert (first, second) == ("a page\n\nstatus", "another page\n\nstatus\n")


def test_the_status_alone_is_written_anew(terminal: Terminal) -> None:
    with redirect_stdout(terminal.stream), Screen() as screen:
        screen.status(Text("too early"))
        screen.show(PAGE, Text("1 s"))
        screen.status(Text("1 s"))
        screen.status(Text("2 s"))
    assert terminal.printed().endswith("a page\n\n1 s\r\x1b[K2 s\n")


def test_a_word_of_the_status_has_one_line_and_a_page_has_whole_lines(terminal: Terminal) -> None:
    with redirect_stdout(terminal.stream), Screen() as screen:
        screen.show(Text("x" * 90), Text("y" * 90))
    assert terminal.printed().endswith("x" * 90 + "\n\n" + "y" * 58 + "…\n")


KEYS = Text("9:54 left   Enter grade  h hint  s solution  p pause  e edit  q give up")


def test_a_long_status_is_broken_between_its_items(terminal: Terminal) -> None:
    with redirect_stdout(terminal.stream), Screen() as screen:
        screen.show(PAGE, Text("1 s"))
        screen.status(KEYS)
        screen.status(Text("2 s"))
    rows = "9:54 left  Enter grade  h hint  s solution  p pause  e edit\nq give up"
    assert terminal.printed().endswith(f"a page\n\n1 s\r\x1b[K{rows}\x1b[1A\x1b[J\r\x1b[K2 s\n")


def test_a_long_status_takes_the_blank_row_of_a_full_page(terminal: Terminal) -> None:
    with redirect_stdout(terminal.stream), Screen() as screen:
        screen.show(Text("\n".join(["row"] * 18)), KEYS)
        screen.show(Text("\n".join(["row"] * 17)), KEYS)
    _, full, other = terminal.printed().split("\x1b[H\x1b[J")
    assert "row\n9:54" in full and "row\n\n9:54" in other


def test_after_a_new_size_all_is_painted_anew(terminal: Terminal) -> None:
    with redirect_stdout(terminal.stream), Screen() as screen:
        assert screen.width == 60
        screen.show(PAGE, Text("y" * 90))
        terminal.resize(40)
        assert screen.width == 40
        screen.repaint()
    assert terminal.printed().endswith("\x1b[H\x1b[Ja page\n\n" + "y" * 38 + "…\n")


def test_no_color_is_respected(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    with redirect_stdout(terminal.stream), Screen() as screen:
        screen.show(Text("good", style="green"), Text())
        monkeypatch.setenv("NO_COLOR", "1")
        screen.show(Text("good", style="green"), Text())
    printed = terminal.printed()
    assert printed.count("\x1b[32mgood") == 1
    assert printed.count("good") == 2


def test_a_terminal_that_is_gone_is_no_fault() -> None:
    class Gone(io.StringIO):
        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    with redirect_stdout(Gone()), Screen() as screen:
        screen.show(PAGE, Text())
        screen.status(Text("later"))


@pytest.mark.parametrize("environment", [{}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}])
def test_without_a_terminal_pages_are_printed_once_and_plainly(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with redirect_stdout(plain := io.StringIO()), Screen() as screen:
        screen.show(PAGE, Text("status"))
        screen.status(Text("later"))
        screen.repaint()
        screen.show(OTHER, Text("status"))
    assert plain.getvalue() == "a page\n\nanother page\n"
    assert screen.width == 100
