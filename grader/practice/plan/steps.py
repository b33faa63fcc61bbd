"""What to do now, and after that: the steps that everything which proposes something takes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from grader.curriculum.catalog import Catalog, Topic
from grader.practice.plan.interview import Aim, aim_at
from grader.practice.plan.standing import Standing, State, standings
from grader.practice.record.progress import Progress
from grader.practice.record.sessions import Session


@dataclass(frozen=True)
class Step:
    """What to do now, and why; no topic when all is done for now."""

    topic: Topic | None
    state: State | None
    reason: str
    unfinished: str | None = None  # "drill" or "mock": what is to be gone on with
    minutes_left: float = 0.0  # of that


@dataclass(frozen=True)
class Plan:
    """Where the learner stands, and all that there is to do."""

    standing: Mapping[str, Standing]
    steps: tuple[Step, ...]
    next: Step
    aim: Aim | None  # for an interview
    topics_left: int | None  # of today's, where they are limited


def load_plan(catalog: Catalog, progress: Progress, now: datetime) -> Plan:
    """The plan at a moment."""
    standing = standings(catalog, progress, now)
    settings = progress.choices.settings()
    day, limit = settings.interview, settings.limit
    aim = None if day is None else aim_at(day, standing, now, limit)
    left = None if limit is None else max(limit - _worked_at_today(standing, now), 0)
    cut_off = unfinished(catalog, progress)
    return Plan(
        standing=standing,
        steps=tuple(steps(standing, now, cut_off, aim)),
        next=next_step(standing, now, cut_off, aim, left),
        aim=aim,
        topics_left=left,
    )


def unfinished(catalog: Catalog, progress: Progress) -> Session | None:
    """The drill or mock interview that was cut off, if one was: it still has the exercises."""
    known = {name for topic in catalog.topics for name in (topic.id, *topic.formerly)}
    running = (each for each in progress.sessions.cut_off() if known.issuperset(each.topics))
    return next(running, None)


def next_step(
    standing: Mapping[str, Standing],
    now: datetime,
    cut_off: Session | None = None,
    aim: Aim | None = None,
    topics_left: int | None = None,
) -> Step:
    """The first of the steps. `topics_left`: how many topics the learner's limit leaves for today."""
    step = next(steps(standing, now, cut_off, aim), None)
    if step is not None and step.topic is not None and topics_left is not None and topics_left <= 0:
        return Step(None, None, "Your limit of topics for today is reached")
    if step is not None:
        return step
    coming = min((each for each in standing.values() if _comes(each)), key=_due, default=None)
    if coming is None:
        return Step(None, None, "Nothing is left to do")
    day = f"{_due(coming).astimezone():%A, %d %B}"
    return Step(None, None, f"All is done for now; the next review is {coming.topic.id}, on {day}")


def steps(
    standing: Mapping[str, Standing], now: datetime, cut_off: Session | None = None, aim: Aim | None = None
) -> Iterator[Step]:
    """What there is to do: what was cut off first; then due reviews, the most overdue at the head, and those
    that are needed for an interview; then what fails or is begun; then new topics whose prerequisites are
    passed, in study order or as an interview asks for them.
    """
    if cut_off is not None:
        name = "drill" if cut_off.kind == "drill" else "mock interview"
        minutes = f"{cut_off.elapsed // 60:.0f} of {cut_off.budget / 60:.0f} minutes are over"
        topics = ", ".join(cut_off.topics)
        left = max(cut_off.budget - cut_off.elapsed, 0.0) / 60
        yield Step(None, None, f"the {name} of {topics} is not finished: {minutes}", cut_off.kind, left)
    by_state = {state: [each for each in standing.values() if each.state is state] for state in State}
    for due in sorted(by_state[State.DUE], key=_due):
        days = max((now - _due(due)).days, 0)
        late = f" for {days} day{'s' * (days != 1)}" if days else ""
        yield Step(due.topic, State.DUE, f"its review is due{late}")
    for passed in sorted(filter(_comes, by_state[State.PASSED]), key=_due):
        if aim is not None and aim.is_last_call(_due(passed)):
            yield Step(passed.topic, State.DUE, "it would come back too late for your interview")
    for failing in by_state[State.FAILING]:
        yield Step(failing.topic, State.FAILING, "its last check did not pass")
    for started in by_state[State.STARTED]:
        yield Step(started.topic, State.STARTED, "you have begun it")
    for new in by_state[State.NEW] if aim is None else aim.in_order(by_state[State.NEW]):
        known = [id_ for id_ in new.topic.prerequisites if standing[id_].has_passed]
        unknown = [id_ for id_ in new.topic.prerequisites if id_ not in known]
        if all(standing[id_].state is State.SUSPENDED for id_ in unknown):
            after = f", and you know {' and '.join(known)}, which it builds on" if known else ""
            why = "it is next in the study order" if aim is None else "your interview may ask for it"
            yield Step(new.topic, State.NEW, f"{why}{after}")


def following(standing: Mapping[str, Standing], topic: Topic | None, now: datetime) -> Topic:
    """What to do after a topic: what is to be done now, or the next in the study order that is not passed."""
    step = next_step(standing, now)
    if step.topic is not None and step.topic != topic:
        return step.topic
    order = [each.topic for each in standing.values()]
    after = order.index(topic) + 1 if topic is not None else 0
    later = order[after:] + order[:after]
    done = (State.PASSED, State.SUSPENDED)
    return next((each for each in later if standing[each.id].state not in done), later[0])


def _comes(standing: Standing) -> bool:
    return standing.card is not None and standing.state is not State.SUSPENDED


def _due(standing: Standing) -> datetime:
    assert standing.card is not None
    return standing.card.due


def _worked_at_today(standing: Mapping[str, Standing], now: datetime) -> int:
    """Topics that were reviewed today."""
    today = now.astimezone().date()
    return sum(
        each.card is not None and each.card.at.astimezone().date() == today for each in standing.values()
    )
