"""Text in two places: the file on disk, which is the truth, and what is typed in the browser."""

import difflib
from dataclasses import dataclass
from enum import StrEnum, auto
from pathlib import Path

from grader.curriculum.exercises.files import replace_content


class Unreadable(Exception):
    """The file holds no text that can be edited here; the message is a sentence."""


@dataclass(frozen=True)
class FileText:
    """What a file holds: lines that end as everywhere, and how they end in the file."""

    text: str
    newline: str = "\n"
    is_there: bool = True
    """Whether there is a file: where there is none, the text is empty."""

    @classmethod
    def of(cls, path: Path) -> "FileText":
        """Of a file, if there is one. Raises Unreadable."""
        try:
            content = path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return cls("", is_there=False)
        except UnicodeDecodeError:
            raise Unreadable(f"{path.name} is not in UTF-8: edit it in your own editor.") from None
        except OSError as error:
            raise Unreadable(f"{path.name} cannot be read: {error.strerror}.") from None
        lines = content.count("\n")
        newline = "\r\n" if lines and content.count("\r\n") == lines else "\n"
        return cls(content.replace("\r\n", "\n").replace("\r", "\n"), newline)

    def write(self, path: Path, text: str) -> None:
        """Put another text into the file at once. Raises OSError."""
        replace_content(path, text.replace("\n", self.newline).encode())


def stamp(path: Path) -> tuple[int, int, int] | None:
    """What another state of the file has otherwise; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


class Settled(StrEnum):
    """How a file and what is typed come together."""

    SAME = auto()
    TYPED = auto()  # only what is typed is new
    FILE = auto()  # only the file is new
    CONFLICT = auto()  # both are


def settled(base: str, typed: str, disk: str) -> Settled:
    """`base` is what both were when they last were the same."""
    if typed == disk:
        return Settled.SAME
    if disk == base:
        return Settled.TYPED
    return Settled.FILE if typed == base else Settled.CONFLICT


def difference(disk: str, typed: str) -> list[str]:
    """Lines of a diff from the file to what is typed, without its heads."""
    lines = difflib.unified_diff(disk.splitlines(), typed.splitlines(), lineterm="", n=2)
    return [line for line in lines if not line.startswith(("---", "+++"))]
