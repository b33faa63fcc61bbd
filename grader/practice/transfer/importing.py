"""Merging an exported file into the progress that is there: see `grader.practice.transfer.format`.

What is there already changes nothing. A record is the same if all of its fields are, apart from numbers of
sessions; a session, if it is of the same kind and began at the same moment, because it goes on.
"""

import contextlib
import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from grader.practice.command_line import newer_version
from grader.practice.record.database import Database
from grader.practice.record.renaming import renamed_row
from grader.practice.record.sessions import RUNNING
from grader.practice.transfer.format import (
    ATTEMPT,
    BEGIN,
    END,
    FORMAT,
    RECORDS,
    SESSION,
    SOURCE,
    parsed,
    record,
    source,
)
from grader.practice.transfer.ordering import last_rows, tables_put_in_order

LONGEST_LINE = 2**25
"""Bytes. The largest source that is kept, written with escapes only, is a fifth of it."""

_NO_NAMES: Mapping[str, str] = {}


class ImportRefused(ValueError):
    """Nothing was imported; the message is a sentence that says why."""


@dataclass(frozen=True)
class Imported:
    """How many records of each kind were new, and how many were there already."""

    new: Counter[str]
    known: Counter[str]
    renumbered: bool  # attempts got other numbers, to stay in order of time


def import_from(database: Database, path: Path, names: Mapping[str, str] = _NO_NAMES) -> Imported:
    """Merge all of the file, or nothing of it. `names` are those of today, by former ones. Raises
    ImportRefused.
    """
    with _opened(path):
        pass  # what is no export does not even make a database

    def work(connection: sqlite3.Connection) -> Imported:
        with _opened(path) as file:
            return _merge(connection, file, path, names)

    return database.write(work)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """The file after its first line."""
    try:
        with path.open("rb") as file:
            _check_format(file, path)
            yield file
    except OSError as error:
        raise ImportRefused(f"{path} cannot be read: {error.strerror}.") from None


def _check_format(file: BinaryIO, path: Path) -> None:
    try:
        number = parsed(file.readline(LONGEST_LINE)).get(BEGIN)
    except ValueError:
        number = None
    if type(number) is not int or number < 1:
        raise ImportRefused(f"{path} is no export of byheart: its first line does not say so.")
    if number > FORMAT:
        raise ImportRefused(
            f"{path} was written by a newer byheart (format {number}, this one knows {FORMAT}). "
            f"Bring this one up to date: {newer_version()}"
        )


def _merge(connection: sqlite3.Connection, file: BinaryIO, path: Path, names: Mapping[str, str]) -> Imported:
    last = last_rows(connection)
    merge = Merge(connection, names)
    has_ended = False
    for number, text in enumerate(_lines(file), start=2):
        try:
            found = parsed(text)
            if has_ended:
                raise ValueError("it stands below the end")
            if END in found:
                _check_end(found, number - 1)
                has_ended = True
            else:
                merge.add(found)
        except ValueError as error:
            raise ImportRefused(f"{path}, line {number}: {error}. Nothing is imported.") from None
    if not has_ended:
        raise ImportRefused(f"{path} is cut off: its last line does not say that it is. Nothing is imported.")
    moved = tables_put_in_order(connection, last)
    return Imported(merge.new, merge.known, "attempts" in moved)


def _check_end(found: dict[str, Any], lines: int) -> None:
    """Whether the last line tells of the lines that stand above it. Raises ValueError."""
    if found != {END: lines}:
        raise ValueError(
            f"there are {lines} lines above it, and it says something else: the file was changed"
        )


def _lines(file: BinaryIO) -> Iterator[bytes]:
    while text := file.readline(LONGEST_LINE):
        yield text


class Merge:
    """Adds records to a database: those of a file, in their order."""

    def __init__(self, connection: sqlite3.Connection, names: Mapping[str, str]) -> None:
        self.new: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self._connection = connection
        self._names = names
        self._sessions: list[int] = []  # their ids in the database, in the order of the file
        self._there = {
            kind: Counter(_identity(kind, row) for row in connection.execute(f"SELECT * FROM {kind}s"))
            for kind in RECORDS
            if kind != SESSION
        }
        # Looked up here, because the database would read all of a source to compare its hash.
        self._sources = {None, *(row["hash"] for row in connection.execute("SELECT hash FROM sources"))}
        self._sessions_there: dict[bytes, list[int]] = {}
        for row in connection.execute("SELECT * FROM sessions ORDER BY id DESC"):
            self._sessions_there.setdefault(_identity(SESSION, row), []).append(row["id"])

    def add(self, line: dict[str, Any]) -> None:
        """Add the record of one line, unless it is there already. Raises ValueError."""
        if len(line) != 1:
            raise ValueError("it must hold one record")
        ((kind, values),) = line.items()
        if kind == SOURCE:
            self._add_source(*source(values))
            return
        columns = renamed_row(record(kind, values), self._names)
        if kind == SESSION:
            self._add_session(columns)
            return
        if kind == ATTEMPT:
            columns["session"] = self._session(columns["session"])
        identity = _identity(kind, columns)
        if self._there[kind][identity]:
            self._there[kind][identity] -= 1
            self.known[kind] += 1
            return
        if kind == ATTEMPT and columns["source"] not in self._sources:
            raise ValueError(f"source: there is no source {columns['source'][:12]}… above")
        self._insert(kind, columns)
        self.new[kind] += 1

    def _add_source(self, hash_: str, content: bytes) -> None:
        if hash_ not in self._sources:
            self._connection.execute("INSERT INTO sources VALUES (?, ?)", (hash_, content))
            self._sources.add(hash_)

    def _add_session(self, columns: dict[str, Any]) -> None:
        """One that goes on here, but has ended there, ends."""
        there = self._sessions_there.get(_identity(SESSION, columns))
        if not there:
            self._sessions.append(self._insert(SESSION, columns))
            self.new[SESSION] += 1
            return
        id_ = there.pop()
        self._sessions.append(id_)
        self.known[SESSION] += 1
        if columns["status"] != RUNNING:
            self._connection.execute(
                "UPDATE sessions SET elapsed = ?, status = ?, details = ? WHERE id = ? AND status = ?",
                (columns["elapsed"], columns["status"], columns["details"], id_, RUNNING),
            )

    def _session(self, number: int | None) -> int | None:
        if number is None:
            return None
        if not 1 <= number <= len(self._sessions):
            raise ValueError(f"session: there is no session {number} above")
        return self._sessions[number - 1]

    def _insert(self, kind: str, columns: dict[str, Any]) -> int:
        names, values = ", ".join(columns), ", ".join("?" * len(columns))
        query = f"INSERT INTO {kind}s ({names}) VALUES ({values})"
        id_ = self._connection.execute(query, tuple(columns.values())).lastrowid
        assert id_ is not None
        return id_


def _identity(kind: str, row: Any) -> bytes:
    """What tells a record from others, in a few bytes: there may be very many."""
    names = ("kind", "started") if kind == SESSION else [name for name in RECORDS[kind] if name != "session"]
    return hashlib.blake2b(repr([row[name] for name in names]).encode(), digest_size=16).digest()
