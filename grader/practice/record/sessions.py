"""Drills and mock interviews: which topics, against which clock, and how they ended."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from grader.practice.record import clock
from grader.practice.record.database import Database
from grader.practice.record.reviews import add_review
from grader.practice.schedule import Card, Level, Rating

RATED_AT = "rated_at"
"""In the details: the moment of the reviews that it ended with."""

RUNNING = "running"
"""The status of a session that goes on, or was cut off and can be resumed."""


@dataclass(frozen=True)
class Session:
    """A drill (of one topic) or a mock interview (of several)."""

    id: int
    kind: str  # drill or mock
    started: datetime
    topics: tuple[str, ...]  # or parts of them, such as "mla.decode"
    budget: float  # seconds
    elapsed: float  # seconds, without pauses
    status: str  # RUNNING, or how it ended
    details: dict[str, Any]  # what else it needs to be resumed and listed

    @property
    def is_worked(self) -> bool:
        """Whether the work is over: a rating is still to be given, or the score card to be read."""
        return self.details.get("end") is not None


class Sessions:
    """The sessions of a learner."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(self, kind: str, topics: tuple[str, ...], budget: float, details: dict[str, Any]) -> Session:
        """Begin a session now."""
        query = (
            "INSERT INTO sessions (kind, started, topics, budget, elapsed, status, details) "
            "VALUES (?, ?, ?, ?, 0, ?, ?) RETURNING *"
        )
        values = (
            kind,
            clock.written(clock.now()),
            json.dumps(topics),
            budget,
            RUNNING,
            json.dumps(details),
        )
        return _session(self._database.write(lambda connection: connection.execute(query, values).fetchone()))

    def save(
        self, session: int, elapsed: float, status: str = RUNNING, details: dict[str, Any] | None = None
    ) -> None:
        """Note how far it is: often, because it may be cut off. Without details, those it has stay."""
        self._database.write(lambda connection: _save(connection, session, elapsed, status, details))

    def end(
        self,
        session: int,
        elapsed: float,
        status: str,
        details: dict[str, Any],
        reviews: Sequence[tuple[str, Rating, Level]],
    ) -> list[Card]:
        """Note how it ended and review its cards (name, rating, level at which it was reviewed), both or
        neither: what was cut off before is not reviewed twice when it goes on. Gives the new places in the
        schedule.
        """
        now = clock.now()

        details = {**details, RATED_AT: clock.written(now)}

        def work(connection: sqlite3.Connection) -> list[Card]:
            _save(connection, session, elapsed, status, details)
            return [add_review(connection, *review, now) for review in reviews]

        return self._database.write(work)

    def running(self, kind: str) -> Session | None:
        """The latest one of a kind that has not ended."""
        query = "SELECT * FROM sessions WHERE kind = ? AND status = ? ORDER BY started DESC, id DESC LIMIT 1"
        row = self._database.read(lambda connection: connection.execute(query, (kind, RUNNING)).fetchone())
        return _session(row) if row else None

    def cut_off(self) -> list[Session]:
        """Those of any kind that have not ended, the latest first."""
        query = "SELECT * FROM sessions WHERE status = ? ORDER BY started DESC, id DESC"
        rows = self._database.read(lambda connection: connection.execute(query, (RUNNING,)).fetchall())
        return [_session(row) for row in rows]

    def rated_at(self, moment: datetime) -> Session | None:
        """The one that ended with reviews at that moment."""
        query = f"SELECT * FROM sessions WHERE json_extract(details, '$.{RATED_AT}') = ?"
        written = clock.written(moment)
        row = self._database.read(lambda connection: connection.execute(query, (written,)).fetchone())
        return _session(row) if row else None

    def of(self, kind: str) -> list[Session]:
        """All of a kind, oldest first."""
        query = "SELECT * FROM sessions WHERE kind = ? ORDER BY started, id"
        rows = self._database.read(lambda connection: connection.execute(query, (kind,)).fetchall())
        return [_session(row) for row in rows]


def _save(
    connection: sqlite3.Connection, session: int, elapsed: float, status: str, details: dict[str, Any] | None
) -> None:
    query = "UPDATE sessions SET elapsed = ?, status = ?, details = coalesce(?, details) WHERE id = ?"
    connection.execute(query, (elapsed, status, None if details is None else json.dumps(details), session))


def _session(row: sqlite3.Row) -> Session:
    values = dict(row)
    values["started"] = clock.read(values["started"])
    values["topics"] = tuple(json.loads(values["topics"]))
    values["details"] = json.loads(values["details"])
    return Session(**values)
