"""The schedule: what must hold whatever the reviews."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import fsrs
import pytest
from driving import progress_in
from hypothesis import given
from hypothesis import strategies as st

from grader.practice.schedule import (
    LONGEST_DAYS,
    Card,
    Level,
    Rating,
    proposed_rating,
    retrievability,
    reviewed,
)

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
ratings = st.sampled_from(Rating)
levels = st.sampled_from(Level)
reviews = st.lists(st.tuples(ratings, levels, st.floats(0, 400)), max_size=8)


def card_after(history: list[tuple[Rating, Level, float]]) -> tuple[Card | None, datetime]:
    """The card after reviews, each so many days after the one before; and the moment of the last one."""
    card, at = None, START
    for rating, level, days in history:
        at += timedelta(days=days)
        card = reviewed(card, rating, at, level)
    return card, at


@given(reviews, levels, st.floats(0, 400))
def test_a_better_rating_never_comes_back_earlier(
    history: list[tuple[Rating, Level, float]], level: Level, days: float
) -> None:
    card, at = card_after(history)
    due = [reviewed(card, rating, at + timedelta(days=days), level).due for rating in Rating]
    assert due == sorted(due)


@given(reviews, ratings, levels, st.floats(0, 400))
def test_a_harder_level_never_counts_for_less(
    history: list[tuple[Rating, Level, float]], rating: Rating, level: Level, days: float
) -> None:
    card, at = card_after(history)
    moment = at + timedelta(days=days)
    assert reviewed(card, rating, moment, level.harder()).due >= reviewed(card, rating, moment, level).due


@given(reviews, ratings, levels, st.floats(-5, 400))
def test_whole_days_from_one_to_a_year(
    history: list[tuple[Rating, Level, float]], rating: Rating, level: Level, days: float
) -> None:
    card, at = card_after(history)
    after = reviewed(card, rating, at + timedelta(days=days), level)
    assert (
        card is None or after.at >= card.at
    )  # a clock that was set back does not reach behind the last review
    assert timedelta(days=1) <= after.due - after.at <= timedelta(days=LONGEST_DAYS)
    assert (after.due - after.at).seconds == 0
    assert 0 < retrievability(after, after.due) <= 1


@given(st.lists(st.tuples(ratings, st.integers(1, 60)), min_size=1, max_size=6))
def test_at_the_level_of_stubs_it_is_plain_fsrs(history: list[tuple[Rating, int]]) -> None:
    scheduler = fsrs.Scheduler(
        learning_steps=(), relearning_steps=(), enable_fuzzing=False, maximum_interval=365
    )
    card, own, at = fsrs.Card(card_id=1), None, START
    for rating, days in history:
        at += timedelta(days=days)
        card, _ = scheduler.review_card(card, fsrs.Rating(rating), review_datetime=at)
        own = reviewed(own, rating, at, Level.STUB)
        assert own.due == card.due


@pytest.mark.parametrize(
    ("rating", "level", "is_second", "expected"),
    [
        (Rating.AGAIN, Level.STUB, False, Level.BLANKS),
        (Rating.AGAIN, Level.BLANKS, False, Level.BLANKS),
        (Rating.AGAIN, Level.EMPTY, True, Level.STUB),
        (Rating.HARD, Level.STUB, True, Level.STUB),
        (Rating.GOOD, Level.STUB, False, Level.STUB),
        (Rating.EASY, Level.STUB, False, Level.STUB),
        (Rating.GOOD, Level.STUB, True, Level.EMPTY),
        (Rating.HARD, Level.EMPTY, True, Level.EMPTY),
        (Rating.EASY, Level.EMPTY, True, Level.EMPTY),
        (Rating.GOOD, Level.BLANKS, False, Level.STUB),
    ],
)
def test_the_level_follows_the_rating(rating: Rating, level: Level, is_second: bool, expected: Level) -> None:
    assert reviewed(None, rating, START, level, is_second).level is expected


@pytest.mark.parametrize(
    ("history", "level"),
    [
        ([Rating.GOOD], Level.STUB),
        ([Rating.GOOD, Rating.GOOD], Level.EMPTY),
        ([Rating.EASY, Rating.HARD, Rating.GOOD], Level.STUB),
        ([Rating.AGAIN, Rating.GOOD, Rating.GOOD, Rating.GOOD], Level.EMPTY),  # from blanks, then twice
        ([Rating.AGAIN, Rating.GOOD, Rating.GOOD], Level.STUB),
        ([Rating.GOOD, Rating.GOOD, Rating.AGAIN, Rating.GOOD], Level.STUB),
    ],
)
def test_everything_is_asked_after_two_good_passes(
    tmp_path: Path, history: list[Rating], level: Level
) -> None:
    reviews, at = progress_in(tmp_path).reviews, Level.STUB
    for rating in history:
        at = reviews.add("gqa", rating, at).level
    assert at is level


def test_it_is_due_on_its_day_whatever_the_hour() -> None:
    card = reviewed(None, Rating.AGAIN, START.replace(hour=12))
    local_midnight = card.due.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    assert card.is_due(local_midnight)
    assert not card.is_due(local_midnight - timedelta(seconds=1))


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ((False, 10.0, 480, 0, False, 1), Rating.AGAIN),
        ((True, 10.0, 480, 0, True, 1), Rating.AGAIN),
        ((True, 10.0, 480, 1, False, 1), Rating.HARD),
        ((True, 481.0, 480, 0, False, 1), Rating.HARD),
        ((True, 240.0, 480, 0, False, 1), Rating.EASY),
        ((True, 240.0, 480, 0, False, 2), Rating.GOOD),
        ((True, 241.0, 480, 0, False, 1), Rating.GOOD),
        ((True, None, 480, 0, False, 1), Rating.GOOD),
    ],
)
def test_the_rating_proposed(
    result: tuple[bool, float | None, float, int, bool, int], expected: Rating
) -> None:
    assert proposed_rating(*result) is expected
