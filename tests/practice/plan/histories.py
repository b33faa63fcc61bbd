"""Attempts, reviews and sessions of some days."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count

from driving import CATALOG

from grader.judge.verdict import Outcome
from grader.practice.plan.statistics import (
    Statistics,
    statistics,
)
from grader.practice.record.attempts import Attempt
from grader.practice.record.reviews import Review
from grader.practice.record.sessions import Session
from grader.practice.schedule import Card, Level, Rating

NOW = datetime(2026, 11, 20, 15, 0, tzinfo=UTC)  # a Friday
IDS = count(1)


def zone(name: str) -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = name
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def attempt(
    outcome: Outcome | None = Outcome.PASSED,
    ago: timedelta = timedelta(),
    topic: str = "softmax",
    mode: str = "check",
    seconds: float | None = None,
    mistake: str | None = None,
    source: str | None = None,
    session: int | None = None,
) -> Attempt:
    number = next(IDS)
    return Attempt(
        number,
        topic,
        mode,
        NOW - ago,
        seconds,
        outcome,
        1,
        2,
        mistake,
        0,
        False,
        source or f"{number}",
        session,
    )


def review(
    name: str = "softmax",
    rating: Rating = Rating.GOOD,
    ago: timedelta = timedelta(),
    due: timedelta = timedelta(),
) -> Review:
    card = Card(NOW - ago, 3.0, 5.0, NOW + due, Level.STUB)
    return Review(name, rating, Level.STUB, card)


def session(number: int, kind: str = "drill", status: str = "passed", elapsed: float = 60.0) -> Session:
    return Session(number, kind, NOW, ("softmax",), 480.0, elapsed, status, {})


def of(
    attempts: list[Attempt] | None = None,
    reviews: list[Review] | None = None,
    sessions: list[Session] | None = None,
    now: datetime = NOW,
) -> Statistics:
    return statistics(CATALOG, attempts or [], reviews or [], sessions or [], now)


def days(*ago: int) -> list[Attempt]:
    return [attempt(ago=timedelta(days=each)) for each in ago]
