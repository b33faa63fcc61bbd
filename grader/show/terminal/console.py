"""Text onto standard output: in colours on a terminal (unless NO_COLOR is set), plain elsewhere."""

import os
import stat
import sys
from typing import TextIO

from rich.console import Console
from rich.text import Text

from grader.show.terminal.wrapping import wrapped, wrapped_words

WIDTH = 100
"""Columns where there is no terminal, and the most that are used on one."""


def width() -> int:
    """Columns to lay text out for: those of the terminal, also where a pager shows it there."""
    return _columns(sys.stdout) or (_columns(sys.stderr) if _is_pipe(sys.stdout) else None) or WIDTH


def height() -> int | None:
    """Lines that a page may have to be seen whole, the shell's prompt below it; None where there is no
    terminal.
    """
    console = Console()
    return console.height - 1 if console.is_terminal else None


def show(text: Text) -> None:
    """Print lines, broken between words where they are too long; a command to copy is never broken."""
    _print(wrapped(text, width()))


def say(sentence: str) -> None:
    """Print a plain sentence (or several lines), broken as `show` does it; whole where there is no
    terminal.
    """
    _say(sentence, sys.stdout)


def tell(sentence: str) -> None:
    """The same on standard error."""
    _say(sentence, sys.stderr)


def show_code(source: str) -> None:
    """Print Python source as it is, highlighted on a terminal."""
    console = Console()
    if not console.is_terminal or console.no_color:
        sys.stdout.write(source)
    else:
        _print(_highlighted(source))


def code_text(source: str) -> Text:
    """Python source as part of a page, highlighted on a terminal."""
    console = Console()
    return _highlighted(source) if console.is_terminal and not console.no_color else Text(source)


def _say(sentence: str, stream: TextIO) -> None:
    columns = _columns(stream)
    print(sentence if columns is None else wrapped_words(sentence, columns), file=stream)


def _columns(stream: TextIO) -> int | None:
    """Of the terminal that it is; None where it is none."""
    return min(Console(file=stream).width, WIDTH) if stream.isatty() else None


def _is_pipe(stream: TextIO) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):  # nothing of the system's
        return False


def _print(text: Text) -> None:
    Console(highlight=False).print(text, soft_wrap=True)


def _highlighted(source: str) -> Text:
    from rich.syntax import Syntax

    return Syntax("", "python", theme="ansi_dark", background_color="default").highlight(source)
