"""Reading a submission's file: its text, or a sentence that says why there is none."""

import codecs
import io
import os
import stat
import tokenize
from pathlib import Path

MAX_BYTES = 2**20
_SLOW = ("punycode", "idna")
"""Encodings of names: a long text in one of them takes a day to decode."""


class Unreadable(Exception):
    """The file cannot be graded; the message is a sentence for the learner."""


def read_source(path: Path) -> str:
    """The text of the file as Python reads it, line ends as "\\n", without a byte order mark. Raises
    Unreadable.
    """
    return _text(read_data(path))


def read_data(path: Path) -> bytes:
    """What is in the file. Raises Unreadable, also where it is too large."""
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
    if len(data) > MAX_BYTES:
        raise Unreadable("The file is larger than 1 MiB; an answer is a page or two.")
    return data


def _text(data: bytes) -> str:
    if b"\0" in data:
        raise Unreadable(f"The file is not text: it has a NUL byte at position {data.index(0)}.")
    encoding = _encoding(data)
    try:
        text = data.decode(encoding)
        text.encode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        name = encoding.removesuffix("-sig").upper()
        raise Unreadable(
            f"The file is not {name}: line {line} has the byte 0x{data[error.start]:02x}."
        ) from None
    except (UnicodeError, LookupError) as error:
        raise Unreadable(f"The file cannot be read as {encoding}: {_reason(error)}.") from None
    if "\0" in text:
        raise Unreadable(f"The file is not text: as {encoding} it has a NUL character.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _encoding(data: bytes) -> str:
    """The encoding that Python would read the file in: its byte order mark's, its cookie's (PEP 263) or
    UTF-8.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        if "missing" in str(error):  # there is no cookie, and a byte is not UTF-8: which one, is said later
            return "utf-8"
        raise Unreadable(f"The file is not Python: {error}.") from None
    if codecs.lookup(encoding).name in _SLOW:
        raise Unreadable(f"The file is not Python: unknown encoding: {encoding}.")
    return encoding


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
