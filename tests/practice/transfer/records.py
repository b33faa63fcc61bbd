"""Records as they stand in an export."""

import hashlib
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from driving import progress_in
from hypothesis import strategies as st

from grader.practice.record import clock
from grader.practice.record.progress import Progress
from grader.practice.transfer.exporting import export_to
from grader.practice.transfer.importing import Imported, import_from

Rows = dict[str, list[dict[str, Any]]]
START = datetime(2026, 11, 20, 12, 0, tzinfo=clock.EARLIEST.tzinfo)


def filled(root: Path, rows: Rows, sources: list[bytes] | None = None) -> Progress:
    """Progress with these rows, in their order. The session of an attempt is a number, the first is 1."""
    progress = progress_in(root)

    def work(connection: sqlite3.Connection) -> None:
        for content in sources or []:
            connection.execute("INSERT OR IGNORE INTO sources VALUES (?, ?)", (hash_of(content), content))
        for kind, records in rows.items():
            for record in records:
                names = ", ".join(record)
                marks = ", ".join("?" * len(record))
                connection.execute(f"INSERT INTO {kind}s ({names}) VALUES ({marks})", tuple(record.values()))

    progress.database.write(work)
    return progress


def hash_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def at(minutes: float) -> str:
    return clock.written(START + timedelta(minutes=minutes))


def attempt(minutes: float = 0, topic: str = "softmax", **more: Any) -> dict[str, Any]:
    return {
        "topic": topic,
        "mode": "check",
        "started": at(minutes),
        "seconds": None,
        "outcome": "passed",
        "passed": 1,
        "checks": 2,
        "mistake": None,
        "hints": 0,
        "solution_seen": 0,
        "source": None,
        "session": None,
        **more,
    }


def review(minutes: float = 0, card: str = "softmax", rating: int = 3) -> dict[str, Any]:
    return {
        "card": card,
        "at": at(minutes),
        "rating": rating,
        "level": "stub",
        "next_level": "empty",
        "stability": 2.5,
        "difficulty": 5.0,
        "due": at(minutes + 3000),
    }


def session(minutes: float = 0, status: str = "passed", elapsed: float = 5.0) -> dict[str, Any]:
    return {
        "kind": "drill",
        "started": at(minutes),
        "topics": '["softmax"]',
        "budget": 480.0,
        "elapsed": elapsed,
        "status": status,
        "details": "{}",
    }


def exported(progress: Progress, path: Path) -> list[str]:
    export_to(progress.database, path)
    return path.read_text(encoding="utf-8").splitlines()


def imported(progress: Progress, path: Path) -> Imported:
    return import_from(progress.database, path)


contents = st.lists(st.binary(max_size=20) | st.text(max_size=20).map(str.encode), max_size=4)
