"""Reading a submission's file: its text, or a sentence that says why there is none."""

import os
import stat
from pathlib import Path

MAX_BYTES = 2**20


class Unreadable(Exception):
    """The file cannot be graded; the message is a sentence for the learner."""


def read_source(path: Path) -> str:
    """The text of the file, line ends as "\\n" and without a byte order mark. Raises Unreadable."""
    try:
        kind = os.stat(path).st_mode
    except FileNotFoundError:
        text = "The file is a link that leads nowhere." if path.is_symlink() else "There is no such file."
        raise Unreadable(text) from None
    except (OSError, ValueError) as error:
        raise Unreadable(f"The file cannot be opened: {_reason(error)}.") from None
    if stat.S_ISDIR(kind):
        raise Unreadable("This is a folder; a submission is one Python file.")
    if not stat.S_ISREG(kind):
        raise Unreadable("This is not a regular file (a pipe or a device, perhaps).")
    try:
        # Without blocking: what was a file a moment ago may have become a pipe.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"The file cannot be read: {_reason(error)}.") from None
    return _text(data)


def _text(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise Unreadable("The file is larger than 1 MiB; an answer is a page or two.")
    if b"\0" in data:
        raise Unreadable(f"The file is not text: it has a NUL byte at position {data.index(0)}.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            f"The file is not UTF-8: line {line} has the byte 0x{data[error.start]:02x}."
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
