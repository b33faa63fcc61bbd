"""What the learner decided: the day of an interview, topics a day, a track to follow, topics left alone."""

from dataclasses import dataclass
from datetime import date

from grader.practice.record import clock
from grader.practice.record.database import Database


@dataclass(frozen=True)
class Settings:
    """What holds for all topics."""

    interview: date | None  # the day to be ready on
    limit: int | None  # topics a day, at most
    track: str | None  # the id of the one to follow, which may be no more


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

    def settings(self) -> Settings:
        """What counts now."""
        query = "SELECT name, value FROM settings ORDER BY at, id"
        rows = self._database.read(lambda connection: connection.execute(query).fetchall())
        latest = {row["name"]: row["value"] for row in rows}
        day, topics = latest.get("interview"), latest.get("limit")
        return Settings(
            interview=None if day is None else date.fromisoformat(day),
            limit=None if topics is None else int(topics),
            track=latest.get("track"),
        )

    def aim_at(self, day: date | None) -> None:
        """Be ready on that day."""
        self._set("interview", None if day is None else day.isoformat())

    def limit_to(self, topics: int | None) -> None:
        """Work at so many topics a day, at most."""
        self._set("limit", None if topics is None else str(topics))

    def follow(self, track: str | None) -> None:
        """Follow the track of that id; None: none."""
        self._set("track", track)

    def _set(self, name: str, value: str | None) -> None:
        row = (name, clock.written(clock.now()), value)
        self._database.write(
            lambda connection: connection.execute(
                "INSERT INTO settings (name, at, value) VALUES (?, ?, ?)", row
            )
        )
