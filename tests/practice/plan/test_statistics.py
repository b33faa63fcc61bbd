"""What the statistics count."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from practice.plan.histories import CATALOG, NOW, attempt, days, of, review, session, zone

from grader.judge.verdict import Outcome
from grader.practice.plan.statistics import (
    FORECAST_DAYS,
    WEEKS,
    Retention,
)
from grader.practice.record.reviews import question_name
from grader.practice.record.sessions import RUNNING
from grader.practice.schedule import Rating

SOFTMAX = CATALOG["softmax"]
TODAY = date(2026, 11, 20)


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
