"""A long text on a terminal, a page at a time."""

import io
import os
import shlex
import shutil
import subprocess
import sys

from rich.console import Console
from rich.text import Text


def show_paged(text: Text) -> None:
    """Show it with the learner's pager (`$PAGER`, else less, which ends at once where all fits on a screen).
    Without a terminal, or a pager, it is printed.
    """
    pager = shlex.split(os.environ.get("PAGER", "")) or ["less"]
    console = Console()
    if not (sys.stdin.isatty() and console.is_terminal) or shutil.which(pager[0]) is None:
        console.print(text, soft_wrap=True, highlight=False)  # code stays as it is
        return
    drawing = Console(
        file=io.StringIO(), force_terminal=True, no_color=console.no_color, color_system="standard"
    )
    drawing.print(text, soft_wrap=True, highlight=False)
    assert isinstance(drawing.file, io.StringIO)
    environment = {"LESS": "FRX", **os.environ}
    subprocess.run(pager, input=drawing.file.getvalue(), text=True, env=environment)
