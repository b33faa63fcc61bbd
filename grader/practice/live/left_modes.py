"""The terminal's modes as they were before keys were read, kept on disk: whoever is killed cannot put them
back, so the next command in that terminal does.
"""

import contextlib
import json
import os
import termios
from pathlib import Path
from typing import Any

from grader.curriculum.workspace import current_workspace


def keep(terminal: int, modes: list[Any]) -> None:
    """Write them down while this process reads keys."""
    *flags, characters = modes
    texts = [each.decode("latin-1") if isinstance(each, bytes) else each for each in characters]
    with contextlib.suppress(OSError):
        file = _file(terminal)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"pid": os.getpid(), "modes": [*flags, texts]}), encoding="utf-8")


def forget(terminal: int) -> None:
    """They are put back."""
    with contextlib.suppress(OSError):
        _file(terminal).unlink(missing_ok=True)


def put_back(terminal: int = 0) -> None:
    """Put back what a process that is gone has left behind in this terminal, if one has."""
    if not os.isatty(terminal):
        return
    with contextlib.suppress(OSError, ValueError, KeyError, termios.error):
        file = _file(terminal)
        kept = json.loads(file.read_text(encoding="utf-8"))
        import psutil  # it takes a while, and mostly there is nothing to put back

        if psutil.pid_exists(kept["pid"]):
            return
        *flags, texts = kept["modes"]
        characters = [each.encode("latin-1") if isinstance(each, str) else each for each in texts]
        termios.tcsetattr(terminal, termios.TCSANOW, [*flags, characters])
        file.unlink(missing_ok=True)


def _file(terminal: int) -> Path:
    name = os.ttyname(terminal).strip("/").replace("/", "-")
    return current_workspace().practice / f"modes-of-{name}.json"
