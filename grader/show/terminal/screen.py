"""One page at a time on a terminal, with a line under it that changes (several, where it is long); plain text
elsewhere.
"""

import io
import os
import sys

from rich.console import Console
from rich.text import Text

from grader.show.terminal.console import WIDTH, width
from grader.show.terminal.wrapping import wrapped, wrapped_items

_CLEAR = "\x1b[H\x1b[J"
_REWRITE = "\r\x1b[K"


class Screen:
    """A context manager for whoever paints on standard output.

    Painted is on the usual screen, not on a second one: what was there before scrolls up and can be scrolled
    back to, and so can a page that is too long; the last page is still there in the end. Cursor and modes
    are never changed. Where standard output is no terminal, each page is printed once, and no status.
    """

    def __init__(self) -> None:
        """`paints`: whether there is a terminal to paint on."""
        self.paints = sys.stdout.isatty() and not Console().is_dumb_terminal
        self._body: Text | None = None
        self._status = Text()
        self._rows = 1  # of the status that is painted

    @property
    def width(self) -> int:
        """Columns to lay a page out for, right now."""
        return min(_size().columns, WIDTH) if self.paints else width()

    def show(self, body: Text, status: Text) -> None:
        """Make this the page, and the line under it."""
        first, self._body, self._status = self._body is None, body, status
        if self.paints:
            before = "\n" * (_size().lines - 1) if first else ""
            page, below = self._rendered(wrapped(body, self.width)), self._status_rows()
            needed = page.count("\n") + 1 + self._rows
            gap = "\n\n" if self._rows == 1 or needed < _size().lines else "\n"
            self._write(f"{before}{_CLEAR}{page}{gap}{below}")
        else:
            self._write(("" if first else "\n") + self._rendered(body) + "\n")

    def status(self, text: Text) -> None:
        """Make this the line under the page."""
        if text == self._status:
            return
        self._status = text
        if self.paints and self._body is not None:
            up = f"\x1b[{self._rows - 1}A\x1b[J" if self._rows > 1 else ""
            self._write(f"{up}{_REWRITE}{self._status_rows()}")

    def repaint(self) -> None:
        """Paint page and status anew: the terminal was resized, or something else was on it."""
        if self.paints and self._body is not None:
            self.show(self._body, self._status)

    def __enter__(self) -> "Screen":
        return self

    def __exit__(self, *exception: object) -> None:
        if self.paints and self._body is not None:
            self._write("\n")

    def _status_rows(self) -> str:
        """The status, wrapped; what has no blank in it is cut."""
        room = max(_size().columns - 1, 1)
        rows = [
            row if row.cell_len <= room else row[: room - 1].append("…")
            for row in wrapped_items(self._status, room).split("\n")
        ]
        self._rows = len(rows) or 1
        return self._rendered(Text("\n").join(rows))

    def _rendered(self, text: Text) -> str:
        """With colours where they are wanted."""
        console = Console(file=io.StringIO(), force_terminal=self.paints or None, highlight=False)
        console.print(text, soft_wrap=True, end="")
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()

    def _write(self, text: str) -> None:
        """At once, so that nothing flickers."""
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError:
            if not self.paints:
                raise
            self.paints = False  # the terminal is gone


def _size() -> os.terminal_size:
    """Of the terminal that is standard output; pseudo-terminals do not always have one."""
    try:
        size = os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        size = os.terminal_size((0, 0))
    return os.terminal_size((size.columns or 80, size.lines or 24))
