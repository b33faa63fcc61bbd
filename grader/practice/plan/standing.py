"""Where the learner stands with each topic, and what to do now."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from grader.curriculum.catalog import Catalog, Topic
from grader.judge.verdict import Outcome
from grader.practice.exercises.contents import is_started
from grader.practice.plan.schedule import Card
from grader.practice.record.attempts import Summary
from grader.practice.record.progress import Progress
from grader.practice.record.sessions import Session


class State(StrEnum):
    """How far a topic is."""

    NEW = "new"
    STARTED = "started"
    FAILING = "failing"
    PASSED = "passed"
    DUE = "due"


@dataclass(frozen=True)
class Standing:
    """Where one topic stands."""

    topic: Topic
    state: State
    has_passed: bool
    is_failing: bool  # whatever the state: the last verdict was no pass
    best_seconds: float | None  # of a timed attempt that passed
    card: Card | None


@dataclass(frozen=True)
class Step:
    """What to do now, and why; no topic when all is done for now."""

    topic: Topic | None
    state: State | None
    reason: str
    unfinished: str | None = None  # "drill" or "mock": what is to be gone on with


def unfinished(catalog: Catalog, progress: Progress) -> Session | None:
    """The drill or mock interview that was cut off, if one was: it still has the exercises."""
    known = {name for topic in catalog.topics for name in (topic.id, *topic.formerly)}
    running = (progress.sessions.running(kind) for kind in ("drill", "mock"))
    return next((each for each in running if each is not None and known.issuperset(each.topics)), None)


def standings(catalog: Catalog, progress: Progress, now: datetime) -> dict[str, Standing]:
    """Of every topic, in study order."""
    summaries, cards = progress.attempts.summaries(), progress.reviews.cards()
    return {
        topic.id: _standing(topic, summaries.get(topic.id), cards.get(topic.id), now)
        for topic in catalog.topics
    }


def next_step(standing: Mapping[str, Standing], now: datetime, cut_off: Session | None = None) -> Step:
    """What was cut off first; then due reviews, the most overdue at the head; then what fails or is begun;
    then the next new topic whose prerequisites are passed.
    """
    if cut_off is not None:
        name = "drill" if cut_off.kind == "drill" else "mock interview"
        minutes = f"{cut_off.elapsed // 60:.0f} of {cut_off.budget / 60:.0f} minutes are over"
        topics = ", ".join(cut_off.topics)
        return Step(None, None, f"the {name} of {topics} is not finished: {minutes}", cut_off.kind)
    by_state = {state: [each for each in standing.values() if each.state is state] for state in State}
    due = min(by_state[State.DUE], key=_due, default=None)
    if due is not None:
        days = max((now - _due(due)).days, 0)
        late = f" for {days} day{'s' * (days != 1)}" if days else ""
        return Step(due.topic, State.DUE, f"its review is due{late}")
    for failing in by_state[State.FAILING]:
        return Step(failing.topic, State.FAILING, "its last check did not pass")
    for started in by_state[State.STARTED]:
        return Step(started.topic, State.STARTED, "you have begun it")
    for new in by_state[State.NEW]:
        known = [id_ for id_ in new.topic.prerequisites if standing[id_].has_passed]
        if len(known) == len(new.topic.prerequisites):
            after = f", and you know {' and '.join(known)}, which it builds on" if known else ""
            return Step(new.topic, State.NEW, f"it is next in the study order{after}")
    coming = min((each for each in standing.values() if each.card), key=_due, default=None)
    if coming is None:
        return Step(None, None, "Nothing is left to do")
    day = f"{_due(coming).astimezone():%A, %d %B}"
    return Step(None, None, f"All is done for now; the next review is {coming.topic.id}, on {day}")


def following(standing: Mapping[str, Standing], topic: Topic | None, now: datetime) -> Topic:
    """What to do after a topic: what is to be done now, or the next in the study order that is not passed."""
    step = next_step(standing, now)
    if step.topic is not None and step.topic != topic:
        return step.topic
    order = [each.topic for each in standing.values()]
    after = order.index(topic) + 1 if topic is not None else 0
    later = order[after:] + order[:after]
    return next((each for each in later if standing[each.id].state is not State.PASSED), later[0])


def _standing(topic: Topic, summary: Summary | None, card: Card | None, now: datetime) -> Standing:
    return Standing(
        topic=topic,
        state=_state(topic, summary, card, now),
        has_passed=summary is not None and summary.has_passed,
        is_failing=summary is not None and summary.last is not Outcome.PASSED,
        best_seconds=summary.best_seconds if summary else None,
        card=card,
    )


def _state(topic: Topic, summary: Summary | None, card: Card | None, now: datetime) -> State:
    if card is not None and card.is_due(now):
        return State.DUE
    if summary is not None:
        return State.PASSED if summary.last is Outcome.PASSED else State.FAILING
    return State.STARTED if is_started(topic) else State.NEW


def _due(standing: Standing) -> datetime:
    assert standing.card is not None
    return standing.card.due
