"""What a worker has noted of a call, read with care: a submission may have had its hands in it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.judge.trail.noted.note import Note
from grader.worker.tracing.notes import MAX_ELEMENTS, MAX_NAMES, MAX_NOTES, MAX_SCALARS, MAX_TOTAL, UNKNOWN

MAX_LINES = 100_000
MAX_WORD = 200
MAX_DIMENSIONS = 64


class NotNotes(ValueError):
    """What came is not what `grader.worker.tracing.notes.Notes.report` gives."""


@dataclass(frozen=True)
class Name:
    """A name in the file, the note of the value that it got, the line that gave it, and how many notes there
    were by then.
    """

    name: str
    note: int
    line: int
    after: int


@dataclass(frozen=True)
class Mark:
    """The end of a request: how many notes and names there were, and whether none is missing."""

    notes: int
    names: int
    complete: bool


@dataclass(frozen=True)
class Notes:
    """All that was noted in a case."""

    notes: tuple[Note, ...]
    names: tuple[Name, ...]
    marks: tuple[Mark, ...]
    scalars: tuple[tuple[str, float, int], ...] = ()  # plain numbers: name, value, line


def read_notes(report: Any) -> Notes:
    """The notes in a worker's report. Raises NotNotes."""
    if not isinstance(report, Mapping):
        raise NotNotes("no report")
    lines, sizes, shapes, kinds, parents, drawn, made_by, names, marks, scalars = (
        _list(report.get(key), most)
        for key, most in (
            ("lines", MAX_NOTES),
            ("sizes", MAX_NOTES),
            ("shapes", MAX_NOTES),
            ("kinds", MAX_NOTES),
            ("parents", MAX_NOTES),
            ("drawn", MAX_NOTES),
            ("made_by", MAX_NOTES),
            ("names", MAX_NAMES),
            ("marks", MAX_LINES),
            ("scalars", MAX_SCALARS),
        )
    )
    if any(len(column) != len(lines) for column in (sizes, shapes, kinds, parents, drawn, made_by)):
        raise NotNotes("lists of different lengths")
    values = report.get("values")
    if not isinstance(values, np.ndarray) or values.dtype != np.float64 or values.ndim != 1:
        raise NotNotes("no numbers")
    notes: list[Note] = []
    end = 0
    for number, size in enumerate(sizes):
        start, end = end, end + max(_whole(size, UNKNOWN, MAX_ELEMENTS * 2), 0)
        own = tuple(_whole(parent, 0, number - 1) for parent in _list(parents[number], MAX_NOTES))
        line = _whole(lines[number], UNKNOWN, MAX_LINES)
        is_drawn = drawn[number] is True or any(notes[parent].drawn for parent in own)
        notes.append(
            Note(
                number,
                None if line == UNKNOWN else line,
                tuple(_whole(n, 0, 2**62) for n in _list(shapes[number], MAX_DIMENSIONS)),
                _word(kinds[number]),
                None if size == UNKNOWN else values[start:end],
                own,
                is_drawn,
                _word(made_by[number]).strip("_"),
            )
        )
    if end != len(values) or end > MAX_TOTAL:
        raise NotNotes("more or fewer numbers than announced")
    return Notes(
        tuple(notes),
        tuple(_name(entry, len(notes)) for entry in names),
        tuple(_mark(entry, len(notes), len(names)) for entry in marks),
        tuple(_scalar(entry) for entry in scalars),
    )


def _name(entry: Any, notes: int) -> Name:
    name, note, line, after = _list(entry, 4, 4)
    return Name(_word(name), _whole(note, 0, notes - 1), _whole(line, 0, MAX_LINES), _whole(after, 0, notes))


def _mark(entry: Any, notes: int, names: int) -> Mark:
    made, named, complete = _list(entry, 3, 3)
    return Mark(_whole(made, 0, notes), _whole(named, 0, names), complete is True)


def _scalar(entry: Any) -> tuple[str, float, int]:
    name, value, line = _list(entry, 3, 3)
    if type(value) is not float or not math.isfinite(value):
        raise NotNotes("not a number")
    return _word(name), value, _whole(line, 0, MAX_LINES)


def _list(value: Any, most: int, least: int = 0) -> list[Any]:
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise NotNotes("not a list of that length")
    return value


def _whole(value: Any, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise NotNotes("not a whole number in its range")
    return value


def _word(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_WORD or not value.isprintable():
        raise NotNotes("not a word")
    return value
