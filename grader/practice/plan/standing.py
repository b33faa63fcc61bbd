"""Where the learner stands with each topic."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from grader.curriculum.catalog import Catalog, Topic
from grader.judge.verdict import Outcome
from grader.practice.exercises.contents import is_started
from grader.practice.record.attempts import Summary
from grader.practice.record.progress import Progress
from grader.practice.schedule import Card


class State(StrEnum):
    """How far a topic is."""

    NEW = "new"
    STARTED = "started"
    FAILING = "failing"
    PASSED = "passed"
    DUE = "due"
    SUSPENDED = "suspended"


@dataclass(frozen=True)
class Standing:
    """Where one topic stands."""

    topic: Topic
    state: State
    has_passed: bool
    is_failing: bool  # whatever the state: the last verdict was no pass
    best_seconds: float | None  # of a pass
    card: Card | None
    is_best_untimed: bool = False  # without a clock, from a blank exercise


def standings(catalog: Catalog, progress: Progress, now: datetime) -> dict[str, Standing]:
    """Of every topic, in study order."""
    summaries, cards = progress.attempts.summaries(), progress.reviews.cards()
    found = {
        topic.id: _standing(topic, summaries.get(topic.id), cards.get(topic.id), now)
        for topic in catalog.topics
    }
    for id_ in progress.choices.suspended() & found.keys():
        found[id_] = replace(found[id_], state=State.SUSPENDED)
    return found


def _standing(topic: Topic, summary: Summary | None, card: Card | None, now: datetime) -> Standing:
    return Standing(
        topic=topic,
        state=_state(topic, summary, card, now),
        has_passed=summary is not None and summary.has_passed,
        is_failing=summary is not None and summary.last is not Outcome.PASSED,
        best_seconds=summary.best_seconds if summary else None,
        card=card,
        is_best_untimed=summary is not None and summary.is_best_untimed,
    )


def _state(topic: Topic, summary: Summary | None, card: Card | None, now: datetime) -> State:
    if card is not None and card.is_due(now):
        return State.DUE
    if summary is not None:
        return State.PASSED if summary.last is Outcome.PASSED else State.FAILING
    return State.STARTED if is_started(topic) else State.NEW
