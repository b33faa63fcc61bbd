"""The script of a session without a person: a file of JSON Lines, one step a line.

{"save": "text"}                      write this into the exercise; then wait for the verdict
{"copy": "path"}                      the same with the content of a file
{"save": "text", "file": "gqa"}       into that topic's exercise, where there are several
{"key": "h"}                          press a key; "enter" too
{"wait": 60}                          let the session's clock go on by so many seconds
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.curriculum.exercises.files import replace_content


class ScriptError(ValueError):
    """A script that cannot be followed; the message names file and line."""


@dataclass(frozen=True)
class Press:
    """Press a key."""

    key: str


@dataclass(frozen=True)
class Wait:
    """Let time pass at once."""

    seconds: float


@dataclass(frozen=True)
class Save:
    """Write a content into an exercise."""

    content: bytes
    topic: str | None  # None: the first one
    where: str  # this step in the script, for messages

    def into(self, files: Sequence[Path]) -> None:
        """Write it, as an editor that saves at once. Raises ScriptError."""
        fitting = [path for path in files if self.topic in (None, path.stem)]
        if not fitting:
            raise ScriptError(f"{self.where}: no exercise {self.topic or ''} is open")
        replace_content(fitting[0], self.content)


Step = Press | Wait | Save


def read_script(path: Path) -> list[Step]:
    """The steps in order. Raises ScriptError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ScriptError(f"{path} cannot be read: {error}") from None
    return [_step(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]


def _step(line: str, where: str) -> Step:
    try:
        step = json.loads(line)
    except json.JSONDecodeError as error:
        raise ScriptError(f"{where}: {error}") from None
    match step:
        case {"key": str(key)} if len(step) == 1 and (key == "enter" or len(key) == 1):
            return Press(key)
        case {"wait": int() | float() as seconds} if len(step) == 1 and seconds >= 0:
            return Wait(float(seconds))
        case {"save": str(text)} if _is_save(step):
            return Save(text.encode(), step.get("file"), where)
        case {"copy": str(path)} if _is_save(step):
            try:
                return Save(Path(path).read_bytes(), step.get("file"), where)
            except OSError as error:
                raise ScriptError(f"{where}: {path} cannot be read: {error.strerror}") from None
    raise ScriptError(f"{where}: must be a save, copy, key or wait, not {line.strip()}")


def _is_save(step: dict[str, Any]) -> bool:
    return len(step) == 1 or (len(step) == 2 and isinstance(step.get("file"), str))
