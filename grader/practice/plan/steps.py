"""What to do now, and after that: the steps that everything which proposes something takes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from grader.curriculum.catalog import Catalog, Topic
from grader.curriculum.topic import topic_in
from grader.practice.plan.following import Followed, followed, in_its_order
from grader.practice.plan.interview import Aim, aim_at
from grader.practice.plan.standing import Standing, State, standings
from grader.practice.record.progress import Progress
from grader.practice.record.sessions import Session

TO_RATE_MINUTES = 1.0
"""What is left of a session whose work is over."""

MISSING = {"drill": "its rating is missing", "mock": "its score card is to be read"}
"""In it, by its kind."""


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
    followed: Followed | None  # the track

    @property
    def new_a_day(self) -> int:
        """Topics to begin on a day."""
        if self.aim is not None:
            return self.aim.new_a_day
        return 1 if self.followed is None else self.followed.new_a_day


def load_plan(catalog: Catalog, progress: Progress, now: datetime, track: str | None = None) -> Plan:
    """The plan at a moment, along the track of that id ("none": along none), else along the chosen one."""
    standing = standings(catalog, progress, now)
    settings = progress.choices.settings()
    day, limit = settings.interview, settings.limit
    along = followed(catalog.track(settings.track if track is None else track), standing)
    wanted = standing if along is None else along.path
    aim = None if day is None else aim_at(day, wanted, now, limit)
    left = None if limit is None else max(limit - _worked_at_today(standing, now), 0)
    cut_off = unfinished(catalog, progress)
    return Plan(
        standing=standing,
        steps=tuple(steps(standing, now, cut_off, aim, along)),
        next=next_step(standing, now, cut_off, aim, left, along),
        aim=aim,
        topics_left=left,
        followed=along,
    )


def unfinished(catalog: Catalog, progress: Progress) -> Session | None:
    """The drill or mock interview that was cut off, if one was: it still has the exercises."""
    known = {name for topic in catalog.topics for name in (topic.id, *topic.formerly)}
    running = (each for each in progress.sessions.cut_off() if known.issuperset(map(topic_in, each.topics)))
    return next(running, None)


def next_step(
    standing: Mapping[str, Standing],
    now: datetime,
    cut_off: Session | None = None,
    aim: Aim | None = None,
    topics_left: int | None = None,
    along: Followed | None = None,
) -> Step:
    """The first of the steps. `topics_left`: how many topics the learner's limit leaves for today."""
    step = next(steps(standing, now, cut_off, aim, along), None)
    if step is not None and step.topic is not None and topics_left is not None and topics_left <= 0:
        return Step(None, None, "Your limit of topics for today is reached")
    if step is not None:
        return step
    done = "All is done for now"
    if along is not None and along.is_done:
        done = f"All of the track {along.track.id} is passed, and nothing is due"
    coming = min((each for each in standing.values() if _comes(each)), key=_due, default=None)
    if coming is None:
        return Step(None, None, "Nothing is left to do")
    day = f"{_due(coming).astimezone():%A, %d %B}"
    return Step(None, None, f"{done}; the next review is {coming.topic.id}, on {day}")


def steps(
    standing: Mapping[str, Standing],
    now: datetime,
    cut_off: Session | None = None,
    aim: Aim | None = None,
    along: Followed | None = None,
) -> Iterator[Step]:
    """What there is to do: what was cut off first; then due reviews, the most overdue at the head, and those
    that are needed for an interview; then what fails or is begun; then new topics whose prerequisites are
    passed, in study order or as an interview asks for them. Along a track, all of this is of its path; what
    is due or begun of other topics comes behind it, as does what there is no time for before an interview.
    """
    if cut_off is not None:
        yield _to_go_on_with(cut_off)
    path = standing if along is None else along.path
    no_time = set() if aim is None else {topic.id for topic in aim.left_out}
    left_out = {id_: each for id_, each in path.items() if id_ in no_time}
    first = {id_: each for id_, each in path.items() if id_ not in no_time}
    yield from _reviews(first, now, aim)
    yield from _begun(first)
    yield from _new(standing, path, aim, along)
    yield from _behind(left_out, now, "there is no time for it before your interview")
    if along is not None:
        others = {id_: each for id_, each in standing.items() if id_ not in path}
        yield from _behind(others, now, f"it is not in the track {along.track.id}")


def _to_go_on_with(cut_off: Session) -> Step:
    name = "drill" if cut_off.kind == "drill" else "mock interview"
    about = f"the {name} of {', '.join(cut_off.topics)}"
    if cut_off.is_worked:
        return Step(None, None, f"{about} is over: {MISSING[cut_off.kind]}", cut_off.kind, TO_RATE_MINUTES)
    minutes = f"{cut_off.elapsed // 60:.0f} of {cut_off.budget / 60:.0f} minutes are over"
    left = max(cut_off.budget - cut_off.elapsed, 0.0) / 60
    return Step(None, None, f"{about} is not finished: {minutes}", cut_off.kind, left)


def _behind(standing: Mapping[str, Standing], now: datetime, why: str) -> Iterator[Step]:
    """What is due or begun, but comes last, and why it does."""
    for step in (*_reviews(standing, now, None), *_begun(standing)):
        yield replace(step, reason=f"{step.reason}; {why}")


def _reviews(standing: Mapping[str, Standing], now: datetime, aim: Aim | None) -> Iterator[Step]:
    for due in sorted(_in_state(standing, State.DUE), key=_due):
        days = max((now - _due(due)).days, 0)
        late = f" for {days} day{'s' * (days != 1)}" if days else ""
        yield Step(due.topic, State.DUE, f"its review is due{late}")
    for passed in sorted(filter(_comes, _in_state(standing, State.PASSED)), key=_due):
        if aim is not None and aim.is_last_call(_due(passed)):
            yield Step(passed.topic, State.DUE, "it would come back too late for your interview")


def _begun(standing: Mapping[str, Standing]) -> Iterator[Step]:
    for failing in _in_state(standing, State.FAILING):
        yield Step(failing.topic, State.FAILING, "its last check did not pass")
    for started in _in_state(standing, State.STARTED):
        yield Step(started.topic, State.STARTED, "you have begun it")


def _new(
    standing: Mapping[str, Standing], path: Mapping[str, Standing], aim: Aim | None, along: Followed | None
) -> Iterator[Step]:
    """Of the path, those whose prerequisites are passed."""
    all_new = _in_state(path, State.NEW)
    for new in all_new if aim is None else aim.in_order(all_new):
        known = [id_ for id_ in new.topic.prerequisites if standing[id_].has_passed]
        unknown = [id_ for id_ in new.topic.prerequisites if id_ not in known]
        if all(standing[id_].state is State.SUSPENDED for id_ in unknown):
            after = f", and you know {' and '.join(known)}, which it builds on" if known else ""
            yield Step(new.topic, State.NEW, f"{_why_new(new.topic, aim, along)}{after}")


def _why_new(topic: Topic, aim: Aim | None, along: Followed | None) -> str:
    if along is not None and along.track.builds_on(topic):
        return f"topics of the track {along.track.id} build on it"
    if aim is not None:
        return "your interview may ask for it"
    return "it is next in the study order" if along is None else f"it is next in the track {along.track.id}"


def _in_state(standing: Mapping[str, Standing], state: State) -> list[Standing]:
    return [each for each in standing.values() if each.state is state]


def following(
    standing: Mapping[str, Standing], topic: Topic | None, now: datetime, along: Followed | None = None
) -> Topic:
    """What to do after a topic: what is to be done now, or the next in the study order (of a track, first)
    that is not passed.
    """
    step = next_step(standing, now, along=along)
    if step.topic is not None and step.topic != topic:
        return step.topic
    order = in_its_order(None if along is None else along.track, (each.topic for each in standing.values()))
    after = order.index(topic) + 1 if topic is not None else 0
    later = [*order[after:], *order[:after]]
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
