"""The reviews of topics and questions: the last one of each is its place in the schedule. One that was taken
back counts no more.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from grader.curriculum.catalog import Question, Topic
from grader.practice.record import clock
from grader.practice.record.database import Database
from grader.practice.schedule import Card, Level, Rating, reviewed


@dataclass(frozen=True)
class Review:
    """One review of a card, and where the card stands after it."""

    name: str
    rating: Rating
    level: Level  # at which it was reviewed
    card: Card


class Reviews:
    """The reviews of a learner. A card's name is a topic's id, or `question_name`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, name: str, rating: Rating, level: Level = Level.STUB, at: datetime | None = None) -> Card:
        """Review a card, now or at that moment, and give its new place in the schedule."""
        moment = at or clock.now()
        return self._database.write(lambda connection: add_review(connection, name, rating, level, moment))

    def ahead(self, name: str, level: Level = Level.STUB) -> dict[Rating, Card]:
        """Where each rating would put a card that is reviewed now."""
        now = clock.now()
        return self._database.read(
            lambda connection: {
                rating: _card_after(connection, name, rating, level, now) for rating in Rating
            }
        )

    def cards(self) -> dict[str, Card]:
        """Every card that was ever reviewed, by name."""
        query = (
            "SELECT * FROM standing_reviews WHERE id IN (SELECT max(id) FROM standing_reviews GROUP BY card)"
        )
        rows = self._database.read(lambda connection: connection.execute(query).fetchall())
        return {row["card"]: _review(row).card for row in rows}

    def all(self) -> list[Review]:
        """Every review, oldest first."""
        query = "SELECT * FROM standing_reviews ORDER BY id"
        rows = self._database.read(lambda connection: connection.execute(query).fetchall())
        return [_review(row) for row in rows]

    def last(self) -> list[Review]:
        """What was rated last: several reviews if they were rated at once, as after a mock interview."""
        return self._database.read(_last)

    def undo(self, rated: Sequence[Review], anew: Rating | None = None) -> list[Card | None]:
        """Take these reviews back, and rate the cards anew if that is given, both or neither. Gives their
        places in the schedule, None where a card has none any more. Raises NothingToUndo if a card has a
        newer one.
        """
        now = clock.now()
        return self._database.write(
            lambda connection: [_taken_back(connection, review, anew, now) for review in rated]
        )


class NothingToUndo(Exception):
    """The card was reviewed again meanwhile."""


def _last(connection: sqlite3.Connection) -> list[Review]:
    query = (
        "SELECT * FROM standing_reviews "
        "WHERE at = (SELECT at FROM standing_reviews ORDER BY id DESC LIMIT 1) ORDER BY id"
    )
    return [_review(row) for row in connection.execute(query).fetchall()]


def _taken_back(
    connection: sqlite3.Connection, review: Review, anew: Rating | None, now: datetime
) -> Card | None:
    if _last_of(connection, review.name) != review:
        raise NothingToUndo
    connection.execute(
        "INSERT INTO undos (card, at, undone) VALUES (?, ?, ?)",
        (review.name, clock.written(review.card.at), clock.written(now)),
    )
    if anew is not None:
        return add_review(connection, review.name, anew, review.level, now)
    before = _last_of(connection, review.name)
    return before.card if before else None


def _last_of(connection: sqlite3.Connection, name: str) -> Review | None:
    query = "SELECT * FROM standing_reviews WHERE card = ? ORDER BY id DESC LIMIT 1"
    row = connection.execute(query, (name,)).fetchone()
    return _review(row) if row else None


def _card_after(
    connection: sqlite3.Connection, name: str, rating: Rating, level: Level, moment: datetime
) -> Card:
    before = _last_of(connection, name)
    is_second = before is not None and before.rating >= Rating.GOOD and before.level is not Level.BLANKS
    return reviewed(before.card if before else None, rating, moment, level, is_second)


def add_review(
    connection: sqlite3.Connection, name: str, rating: Rating, level: Level, moment: datetime
) -> Card:
    """Review a card as a part of a transaction, and give its new place in the schedule."""
    card = _card_after(connection, name, rating, level, moment)
    connection.execute(
        "INSERT INTO reviews (card, at, rating, level, next_level, stability, difficulty, due) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            name,
            clock.written(card.at),
            int(rating),
            level,
            card.level,
            card.stability,
            card.difficulty,
            clock.written(card.due),
        ),
    )
    return card


def question_name(topic: Topic, question: Question) -> str:
    """The name of a follow-up question's card: it is another card once the question is worded anew."""
    import hashlib  # 3 ms, and the list needs none

    return f"{topic.id}/{hashlib.sha256(question.question.encode()).hexdigest()[:12]}"


def _review(row: sqlite3.Row) -> Review:
    card = Card(
        at=clock.read(row["at"]),
        stability=row["stability"],
        difficulty=row["difficulty"],
        due=clock.read(row["due"]),
        level=Level(row["next_level"]),
    )
    return Review(row["card"], Rating(row["rating"]), Level(row["level"]), card)
