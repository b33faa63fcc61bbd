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


def show(text: Text) -> None:
    """Print lines as they are: a command to copy is never broken, whatever the width."""
    Console(highlight=False).print(text, soft_wrap=True)


def show_code(source: str) -> None:
    """Print Python source, highlighted on a terminal."""
    console = Console()
    if not console.is_terminal or console.no_color:
        sys.stdout.write(source)
        return
    from rich.syntax import Syntax

    show(Syntax(source, "python", theme="ansi_dark", background_color="default").highlight(source))
