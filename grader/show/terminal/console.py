"""Text onto standard output: in colours on a terminal (unless NO_COLOR is set), plain elsewhere."""

import sys

from rich.console import Console
from rich.text import Text

WIDTH = 100
"""Columns where there is no terminal, and the most that are used on one."""


def width() -> int:
    """Columns to lay text out for."""
    console = Console()
    return min(console.width, WIDTH) if console.is_terminal else WIDTH


def height() -> int | None:
    """Lines that a page may have to be seen whole, the shell's prompt below it; None where there is no
    terminal.
    """
    console = Console()
    return console.height - 1 if console.is_terminal else None


def show(text: Text) -> None:
    """Print lines as they are: a command to copy is never broken, whatever the width."""
    Console(highlight=False).print(text, soft_wrap=True)


def show_meanwhile(line: str) -> None:
    """On a terminal, print a line that `erase_line` takes away again."""
    if _is_painted():
        sys.stdout.write(line)
        sys.stdout.flush()


def erase_line() -> None:
    """Take away the line that the cursor is on."""
    if _is_painted():
        sys.stdout.write("\r\x1b[K")


def _is_painted() -> bool:
    console = Console()
    return console.is_terminal and not console.is_dumb_terminal


def show_code(source: str) -> None:
    """Print Python source, highlighted on a terminal."""
    console = Console()
    if not console.is_terminal or console.no_color:
        sys.stdout.write(source)
    else:
        show(_highlighted(source))


def code_text(source: str) -> Text:
    """Python source as part of a page, highlighted on a terminal."""
    console = Console()
    return _highlighted(source) if console.is_terminal and not console.no_color else Text(source)


def _highlighted(source: str) -> Text:
    from rich.syntax import Syntax

    return Syntax("", "python", theme="ansi_dark", background_color="default").highlight(source)
