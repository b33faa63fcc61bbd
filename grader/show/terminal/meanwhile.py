"""Something to look at while one waits: on a terminal only, and gone when there is something better."""

import os
import signal
import sys
import time
from types import FrameType

from rich.console import Console
from rich.text import Text

from grader.show.terminal.console import show, width
from grader.show.terminal.wrapping import wrapped


class Meanwhile:
    """A context manager: what is being done stands there with its seconds when it takes longer than one, and
    above it, if there is any yet, a page.

    The seconds are counted by the alarm signal and not by a thread, because processes are forked meanwhile;
    so it is for the main thread.
    """

    def __init__(self, doing: str) -> None:
        console = Console()
        self._paints = console.is_terminal and not console.is_dumb_terminal
        self._doing = doing
        self._begun = 0.0
        self._rows: int | None = None  # above the line; None: nothing stands there

    def __enter__(self) -> "Meanwhile":
        if self._paints:
            self._before = signal.signal(signal.SIGALRM, self._tick)
            signal.siginterrupt(signal.SIGALRM, False)
        self.begin()
        return self

    def __exit__(self, *exception: object) -> None:
        self.erase()
        if self._paints:
            signal.signal(signal.SIGALRM, self._before)

    def begin(self) -> None:
        """Count from now on."""
        self._begun = time.monotonic()
        if self._paints:
            signal.setitimer(signal.ITIMER_REAL, 1.0, 1.0)

    def show(self, page: Text, doing: str) -> None:
        """Put a page there, as far as the screen holds it, and under it what is being done."""
        if not self._paints:
            return
        self.erase()
        self._doing = doing
        body = wrapped(page, width())
        rows = body.plain.count("\n") + 2
        if rows < Console().height:
            show(body.append("\n"))
            sys.stdout.flush()
            self._rows = rows
        self._begun = time.monotonic()
        self._line()
        self.begin()

    def erase(self) -> None:
        """Take away all that stands there."""
        if not self._paints:
            return
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        if self._rows is not None:
            up = f"\x1b[{self._rows}A" if self._rows else ""
            self._write(f"\r{up}\x1b[J")
        self._rows = None

    def _tick(self, number: int, frame: FrameType | None) -> None:
        self._line()

    def _line(self) -> None:
        seconds = int(time.monotonic() - self._begun)
        self._rows = self._rows or 0
        self._write(f"\r\x1b[K  {self._doing} …" + (f" {seconds} s" if seconds else ""))

    def _write(self, text: str) -> None:
        """Past the stream's buffer: the signal may come while that is being written to."""
        try:
            os.write(sys.stdout.fileno(), text.encode())
        except OSError:
            self._paints = False  # the terminal is gone
