"""What the learner decided: the day of an interview, how many topics a day, which topics are left alone."""

import sqlite3
from datetime import date

from grader.practice.record import clock
from grader.practice.record.database import Database


class Choices:
    """The choices of a learner; each counts until another one is made."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def suspend(self, topic: str, is_suspended: bool = True) -> None:
        """Leave a topic alone from now on, or (False) no more."""
        row = (topic, clock.written(clock.now()), is_suspended)
        self._database.write(
            lambda connection: connection.execute(
                "INSERT INTO suspensions (topic, at, is_suspended) VALUES (?, ?, ?)", row
            )
        )

    def suspended(self) -> set[str]:
        """The topics that are left alone."""
        query = "SELECT topic, is_suspended FROM suspensions ORDER BY at, id"
        rows = self._database.read(lambda connection: connection.execute(query).fetchall())
        latest = {row["topic"]: row["is_suspended"] for row in rows}
        return {topic for topic, is_suspended in latest.items() if is_suspended}

    @property
    def interview(self) -> date | None:
        """The day to be ready on."""
        value = self._value("interview")
        return None if value is None else date.fromisoformat(value)

    @interview.setter
    def interview(self, day: date | None) -> None:
        self._set("interview", None if day is None else day.isoformat())

    @property
    def limit(self) -> int | None:
        """Topics a day, at most."""
        value = self._value("limit")
        return None if value is None else int(value)

    @limit.setter
    def limit(self, topics: int | None) -> None:
        self._set("limit", None if topics is None else str(topics))

    def _value(self, name: str) -> str | None:
        def work(connection: sqlite3.Connection) -> str | None:
            query = "SELECT value FROM settings WHERE name = ? ORDER BY at DESC, id DESC LIMIT 1"
            row = connection.execute(query, (name,)).fetchone()
            return None if row is None else row["value"]

        return self._database.read(work)

    def _set(self, name: str, value: str | None) -> None:
        row = (name, clock.written(clock.now()), value)
        self._database.write(
            lambda connection: connection.execute(
                "INSERT INTO settings (name, at, value) VALUES (?, ?, ?)", row
            )
        )
