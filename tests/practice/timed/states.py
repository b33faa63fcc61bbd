"""Drills and their verdicts, step by step."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from driving import CATALOG

from grader.judge.verdict import Check, Diagnosis, Outcome, Verdict
from grader.practice.record.sessions import RUNNING, Session
from grader.practice.schedule import Level
from grader.practice.timed import drill, mock
from grader.practice.timed.drill import Drill
from grader.practice.timed.follow_ups import follow_ups
from grader.practice.timed.mock import Mock
from grader.practice.timed.resuming import QUESTIONS

SOFTMAX, GQA, ROPE = CATALOG["softmax"], CATALOG["gqa"], CATALOG["rope"]
NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
PASSED = Verdict("softmax", "softmax.py", Outcome.PASSED, (Check("a", "A", Outcome.PASSED),) * 2)
FAILED = Verdict(
    "softmax",
    "softmax.py",
    Outcome.FAILED,
    (Check("a", "A", Outcome.PASSED), Check("b", "B", Outcome.FAILED, "off by one")),
    Diagnosis("no-maximum", "You forget the maximum."),
)
OTHER = replace(FAILED, diagnosis=Diagnosis("wrong-axis", "You sum over the wrong axis."))
UNTOUCHED = replace(FAILED, outcome=Outcome.NOT_STARTED, diagnosis=None)
UNREADABLE = Verdict("softmax", "softmax.py", Outcome.UNREADABLE, message="It does not parse.")
VERDICTS = [PASSED, FAILED, OTHER, UNTOUCHED, UNREADABLE]


def begun_drill(**more: Any) -> Drill:
    return Drill(SOFTMAX, Level.STUB, 480.0, None, follow_ups(SOFTMAX, QUESTIONS, 1), **more)


def graded(state: Drill, *verdicts: Verdict, seconds: float = 100.0) -> Drill:
    for verdict in verdicts:
        state = drill.graded(state, verdict, seconds, 0, False)
    return state


def press(state: Drill, *keys: str, seconds: float = 100.0) -> Drill:
    for key in keys:
        state, _ = drill.pressed(state, key, seconds)
    return state


def session(kind: str, topics: Sequence[str], budget: float, details: dict[str, Any]) -> Session:
    kept = json.loads(json.dumps(details))
    return Session(1, kind, NOW, tuple(topics), budget, 50.0, RUNNING, kept)


# A mock interview


def begun_mock(*, budget: float = 2700.0) -> Mock:
    return mock.begun((SOFTMAX, GQA, ROPE), budget, 5)


def act(state: Mock, *steps: tuple[float, int | str | Verdict]) -> Mock:
    """After saves (the number of a topic), keys, and verdicts on the topic shown, each at its second."""
    for seconds, what in steps:
        match what:
            case int(number):
                state, _ = mock.saved(state, number, seconds)
            case str(key):
                state, _ = mock.pressed(state, key, seconds)
            case verdict:
                state = mock.graded(state, state.shown, verdict, seconds, 0, False)
    return state
