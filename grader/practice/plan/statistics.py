"""What practice comes to over the weeks: the streak, what is remembered, what is hard, what comes due."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from grader.curriculum.catalog import Catalog
from grader.curriculum.topic import topic_in
from grader.judge.verdict import Outcome
from grader.practice.plan.weak_spots import WeakSpot, weak_spots
from grader.practice.record.attempts import Attempt
from grader.practice.record.progress import Progress
from grader.practice.record.reviews import Review, question_name
from grader.practice.record.sessions import RUNNING, Session
from grader.practice.schedule import Rating

WEEKS, FORECAST_DAYS, RECENT_DAYS = 12, 14, 30

_ON_THE_CLOCK = {"drill", "mock"}


@dataclass(frozen=True)
class Week:
    """The passes of a week; a topic counts once a day, so that checking it again changes nothing."""

    monday: date
    passes: int


@dataclass(frozen=True)
class Retention:
    """How many reviews of topics were not rated "again". The first review of a topic is none of them: there
    was nothing yet to be remembered.
    """

    remembered: int
    reviews: int


@dataclass(frozen=True)
class Times:
    """The seconds that a topic took each time it was passed in a drill or a mock interview, oldest first."""

    topic: str
    budget: float
    seconds: tuple[float, ...]


@dataclass(frozen=True)
class Coming:
    """What comes due on a day; what is overdue counts for today."""

    day: date
    topics: int
    questions: int


@dataclass(frozen=True)
class Statistics:
    """What practice comes to. Days are local ones; on a day of practice, something written was graded, or
    something reviewed.
    """

    today: date
    days: int
    streak: int  # up to today, or to yesterday while today is not over
    longest_streak: int
    weeks: tuple[Week, ...]  # the last WEEKS, this one at the end
    retention: Retention
    recent_retention: Retention  # of the last RECENT_DAYS days
    hardest: tuple[WeakSpot, ...]  # topics with any stumbles, the hardest first
    times: tuple[Times, ...]  # in study order
    forecast: tuple[Coming, ...]  # today and the days after it, FORECAST_DAYS in all
    drills: int
    mocks: int
    clock_seconds: float  # spent in both

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell yet."""
        return self.days == 0


def load_statistics(catalog: Catalog, progress: Progress, now: datetime) -> Statistics:
    """The statistics of a learner's progress."""
    sessions = [session for kind in ("drill", "mock") for session in progress.sessions.of(kind)]
    return statistics(catalog, progress.attempts.of(), progress.reviews.all(), sessions, now)


def statistics(
    catalog: Catalog,
    attempts: Sequence[Attempt],
    reviews: Sequence[Review],
    sessions: Sequence[Session],
    now: datetime,
) -> Statistics:
    """The statistics of attempts and reviews, both oldest first, as seen at a moment."""
    today = _day(now)
    ended = [session for session in sessions if session.status != RUNNING]
    secret = {session.id for session in sessions if session.kind == "mock" and session.status == RUNNING}
    graded = [each for each in attempts if each.outcome not in (None, Outcome.NOT_STARTED)]
    days = {_day(each.started) for each in graded} | {_day(each.card.at) for each in reviews}
    recalls = _recalls(reviews)
    recent = [each for each in recalls if each.card.at > now - timedelta(days=RECENT_DAYS)]
    return Statistics(
        today=today,
        days=len(days),
        streak=_streak(days, today) or _streak(days, today - timedelta(days=1)),
        longest_streak=max((_streak(days, day) for day in days if day + _ONE not in days), default=0),
        weeks=_weeks(graded, today),
        retention=_retention(recalls),
        recent_retention=_retention(recent),
        hardest=weak_spots(catalog, graded, reviews, secret),
        times=_times(catalog, graded),
        forecast=_forecast(catalog, reviews, today),
        drills=sum(session.kind == "drill" for session in ended),
        mocks=sum(session.kind == "mock" for session in ended),
        clock_seconds=sum(session.elapsed for session in ended),
    )


_ONE = timedelta(days=1)


def _day(moment: datetime) -> date:
    return moment.astimezone().date()


def _streak(days: Collection[date], last: date) -> int:
    """How many days in a row, up to the last one."""
    length = 0
    while last - length * _ONE in days:
        length += 1
    return length


def _weeks(graded: Iterable[Attempt], today: date) -> tuple[Week, ...]:
    passes = {(_day(each.started), each.topic) for each in graded if _is_pass(each)}
    per_week = Counter(_monday(day) for day, _ in passes)
    mondays = [_monday(today) - timedelta(weeks=ago) for ago in reversed(range(WEEKS))]
    return tuple(Week(monday, per_week[monday]) for monday in mondays)


def _is_pass(attempt: Attempt) -> bool:
    """Of a topic, not only of a part."""
    return attempt.outcome is Outcome.PASSED and topic_in(attempt.topic) == attempt.topic


def _monday(day: date) -> date:
    return day - day.weekday() * _ONE


def _recalls(reviews: Iterable[Review]) -> list[Review]:
    """The reviews of topics that had been reviewed before."""
    seen: set[str] = set()
    recalls = []
    for review in reviews:
        if _is_topic(review) and review.name in seen:
            recalls.append(review)
        seen.add(review.name)
    return recalls


def _is_topic(review: Review) -> bool:
    return "/" not in review.name


def _retention(recalls: Collection[Review]) -> Retention:
    return Retention(sum(each.rating is not Rating.AGAIN for each in recalls), len(recalls))


def _times(catalog: Catalog, graded: Iterable[Attempt]) -> tuple[Times, ...]:
    """Of each session the first pass: what is saved after it took longer, but shows nothing."""
    seconds: dict[str, dict[int, float]] = {topic.id: {} for topic in catalog.topics}
    for each in graded:
        timed = each.mode in _ON_THE_CLOCK and each.seconds is not None
        if timed and each.outcome is Outcome.PASSED and each.topic in seconds:
            seconds[each.topic].setdefault(each.session or -each.id, each.seconds or 0.0)
    return tuple(
        Times(topic.id, 60.0 * topic.minutes, tuple(seconds[topic.id].values()))
        for topic in catalog.topics
        if seconds[topic.id]
    )


def _forecast(catalog: Catalog, reviews: Iterable[Review], today: date) -> tuple[Coming, ...]:
    """Of the cards that the catalog still has."""
    cards = {each.name: each.card for each in reviews}
    due = {name: max(_day(card.due), today) for name, card in cards.items()}
    topics = Counter(due[topic.id] for topic in catalog.topics if topic.id in due)
    names = {question_name(topic, question) for topic in catalog.topics for question in topic.questions}
    questions = Counter(due[name] for name in names & due.keys())
    days = [today + ahead * _ONE for ahead in range(FORECAST_DAYS)]
    return tuple(Coming(day, topics[day], questions[day]) for day in days)
