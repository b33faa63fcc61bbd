"""All of a learner's progress as one file of JSON Lines: see `grader.practice.transfer.format`."""

import os
import sqlite3
from collections import Counter
from pathlib import Path
from typing import BinaryIO

from grader.practice.record.database import Database
from grader.practice.transfer.format import BEGIN, END, FORMAT, RECORDS, line, record_line, source_line


class ExportFailed(Exception):
    """The file cannot be written; the message says why."""


def export_to(database: Database, path: Path) -> Counter[str]:
    """Write the file at once, and say how many records of each kind are in it. Raises ExportFailed."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        try:
            with draft.open("wb") as file:
                counts = write_export(database, file)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise ExportFailed(f"{path} cannot be written: {error.strerror}") from error
    return counts


def write_export(database: Database, file: BinaryIO) -> Counter[str]:
    """Write into an open file, and say how many records of each kind are in it. Raises ExportFailed."""

    def work(connection: sqlite3.Connection) -> Counter[str]:
        try:
            file.seek(0)  # work that meets a damaged database is done again
            file.truncate()
            return _write(connection, file)
        except OSError as error:
            raise ExportFailed(f"The export cannot be written: {error.strerror}") from error

    return database.read(work)


def _write(connection: sqlite3.Connection, file: BinaryIO) -> Counter[str]:
    file.write(line(BEGIN, FORMAT))
    lines = 1
    for row in connection.execute("SELECT hash, content FROM sources ORDER BY hash"):
        file.write(source_line(row["hash"], bytes(row["content"])))
        lines += 1
    ids = connection.execute("SELECT id FROM sessions ORDER BY id")
    numbers = {row["id"]: number for number, row in enumerate(ids, start=1)}
    counts: Counter[str] = Counter()
    for kind in RECORDS:
        for row in connection.execute(f"SELECT * FROM {kind}s ORDER BY id"):
            values = dict(row)
            if values.get("session") is not None:
                values["session"] = numbers.get(values["session"])
            file.write(record_line(kind, values))
            counts[kind] += 1
    file.write(line(END, lines + counts.total()))
    return counts
