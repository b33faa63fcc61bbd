"""Reading a submission's file: its text, or what is to be said where it holds no answer. Needs no judge."""

import codecs
import io
import os
import stat
import tokenize
from dataclasses import replace
from pathlib import Path

from grader.curriculum.catalog import Topic
from grader.curriculum.exercises.handed_out import is_handed_out
from grader.curriculum.exercises.stub import stub_of
from grader.judge.verdict import Outcome, Verdict

NOTHING_WRITTEN = "Nothing is written yet."
MAX_BYTES = 2**20
_SLOW = ("punycode", "idna")
"""Encodings of names: a long text in one of them takes a day to decode."""


class Unreadable(Exception):
    """The file cannot be graded; the message is a sentence for the learner."""


def answer_in(topic: Topic, path: Path) -> str | Verdict:
    """The text of the answer in the file at `path`, or the verdict where there is none: the file cannot be
    read, or is as it was handed out.
    """
    none = Verdict(topic.id, str(path), Outcome.NOT_STARTED, message=NOTHING_WRITTEN)
    try:
        text = read_source(path)
    except Unreadable as reason:
        return replace(none, outcome=Outcome.UNREADABLE, message=str(reason))
    solution = topic.solution.read_text(encoding="utf-8")
    return none if is_handed_out(text, solution, stub_of(solution), topic) else text


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
