"""What practice comes to: the numbers, and what the terminal shows of them."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from driving import byheart, progress_in
from hypothesis import given
from hypothesis import strategies as st

from grader.curriculum.catalog import load_catalog
from grader.judge.verdict import Outcome
from grader.practice.plan.schedule import Card, Level, Rating
from grader.practice.plan.statistics import (
    FORECAST_DAYS,
    WEEKS,
    Retention,
    Statistics,
    load_statistics,
    statistics,
)
from grader.practice.record import clock
from grader.practice.record.attempts import Attempt
from grader.practice.record.reviews import Review, question_name
from grader.practice.record.sessions import RUNNING, Session
from grader.show.statistics.stats import statistics_text
from grader.show.terminal.bars import bar, columns, sparkline

CATALOG = load_catalog()
SOFTMAX = CATALOG["softmax"]
NOW = datetime(2026, 11, 20, 15, 0, tzinfo=UTC)  # a Friday
TODAY = date(2026, 11, 20)
IDS = count(1)


@pytest.fixture(autouse=True)
def utc() -> Iterator[None]:
    yield from zone("UTC")


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


# The streak


@pytest.mark.parametrize(
    "ago, streak, longest",
    [
        ([], 0, 0),
        ([0], 1, 1),
        ([0, 0, 1], 2, 2),
        ([1, 2], 2, 2),  # today is not over
        ([2, 3], 0, 2),
        ([0, 2, 3, 4], 1, 3),
    ],
)
def test_streak(ago: list[int], streak: int, longest: int) -> None:
    found = of(days(*ago))
    assert (found.streak, found.longest_streak, found.days) == (streak, longest, len(set(ago)))


@given(st.sets(st.integers(0, 40)))
def test_streaks_are_runs_of_days(ago: set[int]) -> None:
    found = of(days(*ago))
    runs = "".join("x" if day in ago else " " for day in range(41)).split()
    assert found.longest_streak == max(map(len, runs), default=0)
    assert found.streak <= found.longest_streak <= found.days == len(ago)


def test_a_day_counts_for_a_verdict_or_a_review_of_something_written() -> None:
    assert of([attempt(Outcome.FAILED)]).days == 1
    assert of(reviews=[review(question_name(SOFTMAX, SOFTMAX.questions[0]))]).days == 1
    assert of([attempt(None, mode="saved"), attempt(Outcome.NOT_STARTED)]).is_empty


@pytest.mark.parametrize("name, streak", [("UTC", 1), ("Asia/Tokyo", 2), ("America/Los_Angeles", 1)])
def test_days_are_local(name: str, streak: int) -> None:
    late, early = NOW.replace(hour=16), NOW.replace(hour=14)  # midnight in Tokyo lies between them
    for _ in zone(name):
        assert of([attempt(ago=NOW - early), attempt(ago=NOW - late)], now=late).streak == streak


# Passes per week


def test_a_topic_counts_once_a_day() -> None:
    attempts = [
        attempt(),
        attempt(),
        attempt(topic="gqa"),
        attempt(ago=timedelta(days=1)),
        attempt(Outcome.FAILED),
    ]
    weeks = of(attempts).weeks
    assert len(weeks) == WEEKS
    assert (weeks[-1].monday, weeks[-1].passes) == (date(2026, 11, 16), 3)
    assert sum(week.passes for week in weeks[:-1]) == 0


def test_weeks_begin_on_monday() -> None:
    ago = [timedelta(days=4), timedelta(days=5), timedelta(weeks=11, days=4), timedelta(weeks=11, days=5)]
    weeks = of([attempt(ago=each) for each in ago]).weeks
    assert [week.passes for week in weeks] == [1, *[0] * 9, 1, 1]


# What is remembered


def test_the_first_review_of_a_topic_is_not_remembering() -> None:
    found = of(
        reviews=[
            review(ago=timedelta(days=90)),
            review(ago=timedelta(days=60), rating=Rating.AGAIN),
            review(ago=timedelta(days=10), rating=Rating.HARD),
            review("gqa", ago=timedelta(days=1)),
            *[review("softmax/0123456789ab")] * 5,  # a question
        ]
    )
    assert found.retention == Retention(remembered=1, reviews=2)
    assert found.recent_retention == Retention(remembered=1, reviews=1)


# What is hard


def test_an_answer_is_wrong_once_however_often_it_is_graded() -> None:
    tiled = [attempt(Outcome.FAILED, topic="gqa", mistake="tiled", source="a")] * 4
    pair = [attempt(Outcome.FAILED, topic="gqa", mistake="tiled + scale", source="b")]
    others = [attempt(outcome, topic="gqa") for outcome in (Outcome.NOT_RUN, Outcome.UNREADABLE)]
    hardest = of([*tiled, *pair, *others, attempt(Outcome.ERROR)], [review("gqa", Rating.AGAIN)]).hardest
    assert [(each.topic, each.stumbles) for each in hardest] == [("gqa", 6), ("softmax", 1)]
    assert (hardest[0].wrong, hardest[0].named, hardest[0].forgotten) == (2, 3, 1)
    assert hardest[0].mistakes == ("tiled", "scale")


def test_a_mock_interview_that_goes_on_keeps_its_secrets() -> None:
    wrong = [attempt(Outcome.FAILED, mode="mock", mistake="tiled", session=7)]
    assert of(wrong, sessions=[session(7, "mock", RUNNING)]).hardest == ()
    assert of(wrong, sessions=[session(7, "mock")]).hardest[0].mistakes == ("tiled",)


# Times, sessions


def test_times_are_those_of_the_first_pass_in_a_session() -> None:
    attempts = [
        attempt(Outcome.FAILED, mode="drill", seconds=50.0, session=1),
        attempt(mode="drill", seconds=100.0, session=1),
        attempt(mode="drill", seconds=130.0, session=1),
        attempt(mode="mock", seconds=90.0, session=2),
        attempt(mode="check", seconds=None),
        attempt(mode="drill", seconds=10.0, topic="a_topic_that_is_gone"),
    ]
    (times,) = of(attempts).times
    assert (times.topic, times.budget, times.seconds) == ("softmax", 480.0, (100.0, 90.0))


def test_sessions_that_have_ended_are_counted() -> None:
    found = of(sessions=[session(1), session(2, "mock", elapsed=30.0), session(3, status=RUNNING)])
    assert (found.drills, found.mocks, found.clock_seconds) == (1, 1, 90.0)


# The forecast


def test_forecast() -> None:
    questions = [question_name(SOFTMAX, question) for question in SOFTMAX.questions]
    found = of(
        reviews=[
            review("softmax", due=timedelta(days=3)),
            review("softmax", due=timedelta(days=-5)),  # its last review counts
            review("gqa", due=timedelta(days=1)),
            review("mha", due=timedelta(days=FORECAST_DAYS)),
            review("a_topic_that_is_gone"),
            review(questions[0], due=timedelta(days=1)),
            review("softmax/an old word"),
        ]
    ).forecast
    assert [day.day - TODAY for day in found] == [timedelta(days=ahead) for ahead in range(FORECAST_DAYS)]
    assert [(day.topics, day.questions) for day in found[:3]] == [(1, 0), (1, 1), (0, 0)]
    assert sum(day.topics + day.questions for day in found) == 3


# In the terminal


FULL = statistics(
    CATALOG,
    [
        attempt(Outcome.FAILED, ago=timedelta(days=1), mistake="tiled"),
        attempt(ago=timedelta(days=1), mode="drill", seconds=300.0, session=1),
        attempt(ago=timedelta(), mode="drill", seconds=150.0, session=2),
    ],
    [review(ago=timedelta(days=1)), review(rating=Rating.AGAIN, due=timedelta(days=1))],
    [session(1, elapsed=300.0), session(2, elapsed=150.0)],
    NOW,
)


def shown(found: Statistics, width: int = 100) -> str:
    return statistics_text(found, CATALOG, width).plain


def test_every_number_is_told_in_words() -> None:
    text = shown(FULL)
    for words in (
        "Friday, 20 November 2026",
        "2 days in a row (longest: 2); practised on 2 days",
        "0 % (0 of 1) of all reviews after a topic's first; 0 % (0 of 1) in the last 30 days",
        "2 drills and 0 mock interviews: 7 min",
        "2 this week, 2 in 12 weeks",
        "topics: 0 today, 1 within 7 days; questions (make quiz): 0 today, 0 within 7 days",
        "3 = 1 wrong, 1 named, 1 forgotten\n           tiled\n",
        "last 2:30, best 2:30 of 8:00, 2 times",
    ):
        assert words in text


@pytest.mark.parametrize("width", [30, 50, 80, 100])
def test_lines_fit(width: int) -> None:
    for line in shown(FULL, width).splitlines():
        assert len(line) <= max(width, 68)
    assert max(map(len, shown(of(days(0)), width).splitlines())) <= max(width, 64)


def test_nothing_recorded_is_a_friendly_sentence() -> None:
    text = shown(of())
    assert text.startswith("Nothing is recorded yet.")
    assert text.endswith("make check topic=softmax")


def test_sections_without_anything_are_left_out() -> None:
    text = shown(of(days(0)))
    assert "Hardest" not in text and "Against the clock" not in text
    assert "it counts from a topic's second review on" in text


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=14), st.integers(1, 120))
def test_columns_show_every_number(values: list[int], width: int) -> None:
    labels = [f"d{number}" for number in range(len(values))]
    lines = columns(labels, values, width).plain.split("\n")
    assert [int(each) for line in lines[1::3] for each in line.split()] == values
    assert " ".join(lines[2::3]).split() == labels
    bars = " ".join(lines[::3]).split()
    assert len(bars) == sum(value > 0 for value in values)
    assert ("███" in bars) == (max(values) > 0)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 20))
def test_bars_are_never_too_long_and_only_nothing_is_empty(value: int, more: int, width: int) -> None:
    drawn = bar(value, value + more, width)
    assert len(drawn) <= width
    assert bool(drawn) == (value > 0)


def test_sparkline() -> None:
    assert sparkline([0.0, 7.0, 3.5]) == "▁█▅"
    assert sparkline([0.0]) == "▁"
    assert sparkline([]) == ""


# The command


def test_stats_reads_and_never_writes(project: Path) -> None:
    done = byheart(project, "stats")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Nothing is recorded yet.")
    assert not (project / ".practice").exists()
    progress_in(project).reviews.add("softmax", Rating.GOOD)
    done = byheart(project, "stats")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 day in a row" in done.stdout and "\x1b" not in done.stdout


def test_stats_of_progress_that_cannot_be_read_is_one_sentence(project: Path) -> None:
    (project / ".practice" / "progress.db").mkdir(parents=True)
    done = byheart(project, "stats")
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1


def test_many_attempts(tmp_path: Path) -> None:
    """A hundred thousand, in a time that is easily kept even on a machine that is busy."""
    progress = progress_in(tmp_path)
    topics = [topic.id for topic in CATALOG.topics]
    start = NOW - timedelta(days=1000)
    rows = [
        (
            topics[number % 33],
            clock.written(start + timedelta(minutes=14 * number)),
            "passed" if number % 3 else "failed",
        )
        for number in range(100_000)
    ]
    progress.database.write(
        lambda connection: connection.executemany(
            "INSERT INTO attempts "
            "(topic, started, outcome, mode, seconds, passed, checks, hints, solution_seen) "
            "VALUES (?, ?, ?, 'drill', 100.0, 1, 2, 0, 0)",
            rows,
        )
    )
    begun = time.process_time()
    found = load_statistics(CATALOG, progress, NOW)
    assert time.process_time() - begun < 3
    assert (found.days, found.longest_streak) == (973, 973)
