"""The format in which progress travels: JSON Lines. The first line tells the format, the last one how many
lines stand above it, each other one is a record.

    {"byheart": 2}
    {"source": {"hash": "…", "text": "import torch…"}}        or "base64", where it is no UTF-8
    {"session": {"kind": "drill", "started": "2026-11-20T13:11:00.000000Z", "topics": ["gqa"], …}}
    {"attempt": {"topic": "gqa", …, "source": "…", "session": 1}}     the number of a session: the first is 1
    {"help": {"topic": "gqa", "at": "…", "level": 2}}
    {"review": {"card": "gqa", …}}
    {"undo": {"card": "gqa", "at": "…", "undone": "…"}}               takes the review of that moment back
    {"setting": {"name": "limit", "at": "…", "value": "3"}}
    {"suspension": {"topic": "gqa", "at": "…", "is_suspended": true}}
    {"end": 6}

Sources and sessions stand before what refers to them. No ids of the database are in it, so what a database
gives depends on nothing but its records and their order. Format 1 had nothing below reviews.
"""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from grader.judge.verdict import Outcome
from grader.practice.record import clock
from grader.practice.schedule import Level, Rating

FORMAT = 2
SOURCE, SESSION, ATTEMPT, HELP, REVIEW = "source", "session", "attempt", "help", "review"
UNDO, SETTING, SUSPENSION = "undo", "setting", "suspension"
BEGIN, END = "byheart", "end"


@dataclass(frozen=True)
class Field:
    """A column: how its value is written in JSON, and read again. Reading raises ValueError."""

    written: Callable[[Any], Any]
    read: Callable[[Any], Any]


_MOST = 1e12


def _as_it_is(value: Any) -> Any:
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value or not value.isprintable():
        raise ValueError("must be a text, on one line")
    return value


def _moment(value: Any) -> str:
    moment = clock.read(_text(value))
    if clock.written(moment) != value or not 1970 <= moment.year < 9000:
        raise ValueError("must be a time")
    return _text(value)


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= _MOST:
        raise ValueError(f"must be a number from 0 to {_MOST:.0g}")
    return float(value) + 0.0  # no negative zero, which the database does not keep


def _positive(value: Any) -> float:
    if _number(value) == 0:
        raise ValueError("must be more than 0")
    return float(value)


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= _MOST:
        raise ValueError(f"must be a whole number from 0 to {_MOST:.0g}")
    return value


def _truth(value: Any) -> int:
    if type(value) is not bool:
        raise ValueError("must be true or false")
    return int(value)


def _topics(value: Any) -> str:
    if not isinstance(value, list):
        raise ValueError("must be a list of topics")
    return json.dumps([_text(topic) for topic in value])


def _object(value: Any) -> str:
    if not isinstance(value, dict):
        raise ValueError("must be an object")
    return json.dumps(value)


def _among(kind: type[Enum]) -> Field:
    def read(value: Any) -> Any:
        return kind(value).value

    return Field(_as_it_is, read)


def _or_null(field: Field) -> Field:
    def read(value: Any) -> Any:
        return None if value is None else field.read(value)

    return Field(_as_it_is, read)


_TEXT, _MOMENT = Field(_as_it_is, _text), Field(_as_it_is, _moment)
_NUMBER, _POSITIVE = Field(_as_it_is, _number), Field(_as_it_is, _positive)
_COUNT = Field(_as_it_is, _count)

RECORDS: Mapping[str, Mapping[str, Field]] = {
    SESSION: {
        "kind": _TEXT,
        "started": _MOMENT,
        "topics": Field(json.loads, _topics),
        "budget": _NUMBER,
        "elapsed": _NUMBER,
        "status": _TEXT,
        "details": Field(json.loads, _object),
    },
    ATTEMPT: {
        "topic": _TEXT,
        "mode": _TEXT,
        "started": _MOMENT,
        "seconds": _or_null(_NUMBER),
        "outcome": _or_null(_among(Outcome)),
        "passed": _COUNT,
        "checks": _COUNT,
        "mistake": _or_null(_TEXT),
        "hints": _COUNT,
        "solution_seen": Field(bool, _truth),
        "source": _or_null(_TEXT),
        "session": _or_null(_COUNT),
    },
    HELP: {"topic": _TEXT, "at": _MOMENT, "level": _or_null(_COUNT)},
    REVIEW: {
        "card": _TEXT,
        "at": _MOMENT,
        "rating": _among(Rating),
        "level": _among(Level),
        "next_level": _among(Level),
        "stability": _POSITIVE,
        "difficulty": _POSITIVE,
        "due": _MOMENT,
    },
    UNDO: {"card": _TEXT, "at": _MOMENT, "undone": _MOMENT},
    SETTING: {"name": _TEXT, "at": _MOMENT, "value": _or_null(_TEXT)},
    SUSPENSION: {"topic": _TEXT, "at": _MOMENT, "is_suspended": Field(bool, _truth)},
}
"""The tables (named by them with an s) and their columns, in the order of the file."""


def line(kind: str, values: Any) -> bytes:
    """One line of the file."""
    return json.dumps({kind: values}, ensure_ascii=False).encode() + b"\n"


def record_line(kind: str, row: Mapping[str, Any]) -> bytes:
    """A row of a table as a line."""
    return line(kind, {name: field.written(row[name]) for name, field in RECORDS[kind].items()})


def source_line(hash_: str, content: bytes) -> bytes:
    """A source as a line."""
    try:
        return line(SOURCE, {"hash": hash_, "text": content.decode()})
    except UnicodeDecodeError:
        return line(SOURCE, {"hash": hash_, "base64": base64.b64encode(content).decode()})


def parsed(text: bytes) -> dict[str, Any]:
    """The JSON object of a line. Raises ValueError."""
    try:
        found = json.loads(text.rstrip(b"\n"), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON ({error.msg.removesuffix(' at')} at column {error.colno})") from None
    except UnicodeDecodeError:
        raise ValueError("it is no UTF-8") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("it is no JSON object")
    return found


def record(kind: str, values: Any) -> dict[str, Any]:
    """The columns of a record. Raises ValueError, which names the one that is wrong."""
    fields = RECORDS.get(kind)
    if fields is None:
        raise ValueError(f"{kind[:20]!r} is not a kind of record")
    if not isinstance(values, dict) or values.keys() != fields.keys():
        raise ValueError(f"the fields of a {kind} must be {', '.join(fields)}")
    columns = {}
    for name, field in fields.items():
        try:
            columns[name] = field.read(values[name])
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return columns


def source(values: Any) -> tuple[str, bytes]:
    """The hash and the content of a source. Raises ValueError."""
    match values:
        case {"hash": str(hash_), "text": str(text), **others} if not others:
            content = text.encode()
        case {"hash": str(hash_), "base64": str(text), **others} if not others:
            content = base64.b64decode(text, validate=True)
        case _:
            raise ValueError("the fields of a source must be hash and text, or hash and base64")
    if not re.fullmatch("[0-9a-f]{64}", hash_) or hashlib.sha256(content).hexdigest() != hash_:
        raise ValueError("hash: must be the SHA-256 of the content")
    return hash_, content


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")
