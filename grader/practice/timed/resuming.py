"""Drills and mock interviews as the database keeps them, so that one that was cut off can go on."""

from dataclasses import replace
from typing import Any

from grader.curriculum.catalog import Catalog
from grader.judge.verdict import Outcome
from grader.practice.record import named_mistakes as named
from grader.practice.record.sessions import Session
from grader.practice.schedule import Level, Rating, allowed_ratings
from grader.practice.timed import drill, mock
from grader.practice.timed.drill import Drill
from grader.practice.timed.follow_ups import follow_ups
from grader.practice.timed.mock import Mock, Result

QUESTIONS = 3
"""Asked after a drill."""


def drill_details(drill: Drill) -> dict[str, Any]:
    """What else than topic, budget and time is kept of a drill."""
    return {
        "level": drill.level,
        "tries": drill.tries,
        "mistakes": named.written(drill.mistakes),
        "hints": drill.hints,
        "saw_solution": drill.saw_solution,
        "end": drill.end,
    }


def resumed_drill(session: Session, catalog: Catalog, best: float | None) -> Drill:
    """A drill as it was when it was cut off. Raises `grader.curriculum.catalog.UnknownTopic`."""
    topic, details = catalog[session.topics[0]], session.details
    state = Drill(
        topic,
        Level(details["level"]),
        session.budget,
        best,
        follow_ups(topic, QUESTIONS, session.id),
        tries=details["tries"],
        mistakes=named.read(details["mistakes"]),
        hints=details["hints"],
        saw_solution=details["saw_solution"],
    )
    return state if details["end"] is None else drill.ended(state, drill.End(details["end"]), session.elapsed)


def ratings_of(session: Session) -> tuple[Rating, ...]:
    """Those that may be chosen for a drill that has ended."""
    details = session.details
    return allowed_ratings(details["end"] == drill.End.PASSED, details["hints"], details["saw_solution"])


def mock_details(mock: Mock) -> dict[str, Any]:
    """What else than topics, budget and time is kept of a mock interview."""
    return {
        "seed": mock.seed,
        "shown": mock.shown,
        "credited": mock.credited,
        "end": mock.end,
        "results": [_written(result) for result in mock.results],
    }


def resumed_mock(session: Session, catalog: Catalog) -> Mock:
    """A mock interview as it was when it was cut off. Raises `grader.curriculum.catalog.UnknownTopic`."""
    topics = tuple(catalog.asked(name) for name in session.topics)
    details = session.details
    state = replace(
        mock.begun(topics, session.budget, details["seed"]),
        results=results(session),
        shown=details["shown"],
        credited=details["credited"],
    )
    return state if details["end"] is None else mock.ended(state, mock.End(details["end"]), session.elapsed)


def results(session: Session) -> tuple[Result, ...]:
    """How the topics of a mock interview came out, or stand."""
    return tuple(_read(row) for row in session.details["results"])


def _written(result: Result) -> dict[str, Any]:
    return {**vars(result), "mistakes": named.written(result.mistakes)}


def _read(row: dict[str, Any]) -> Result:
    outcome = None if row["outcome"] is None else Outcome(row["outcome"])
    why = None if row.get("why") is None else tuple(row["why"])
    return Result(**{**row, "outcome": outcome, "mistakes": named.read(row["mistakes"]), "why": why})
