"""Attempts, and what they mean for the schedule."""

import sqlite3
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from driving import CATALOG
from practice.record.attempts import RIGHT, WRONG, database, record

from grader.judge.verdict import Outcome, Verdict
from grader.practice.plan.standing import State, standings
from grader.practice.plan.steps import next_step
from grader.practice.record import clock
from grader.practice.record.progress import Progress
from grader.practice.record.recording import record_check, record_solution
from grader.practice.schedule import Rating

SOFTMAX = CATALOG["softmax"]


# Attempts


def test_an_attempt_keeps_what_was_found_and_the_source(progress: Progress) -> None:
    attempt = record(progress, WRONG, b"\xff\x00 no text")
    assert progress.attempts.of("softmax") == [attempt]
    assert (attempt.outcome, attempt.passed, attempt.checks) == (Outcome.FAILED, 1, 2)
    assert (attempt.mode, attempt.mistake, attempt.seconds) == ("check", "no-maximum", None)
    assert attempt.source is not None
    assert progress.attempts.source(attempt.source) == b"\xff\x00 no text"


def test_the_same_source_is_stored_once(progress: Progress, tmp_path: Path) -> None:
    assert (
        record(progress, WRONG).source
        == record(progress, RIGHT).source
        != record(progress, RIGHT, b"x").source
    )
    with sqlite3.connect(database(tmp_path)) as connection:
        assert connection.execute("SELECT count(*) FROM sources").fetchone() == (2,)


def test_help_counts_until_the_next_pass(progress: Progress) -> None:
    progress.attempts.note_help("softmax", 1)
    progress.attempts.note_help("softmax", 2)
    progress.attempts.note_help("gqa", None)
    first = record(progress, WRONG)
    progress.attempts.note_help("softmax", None)
    second, third = record(progress, RIGHT), record(progress, RIGHT)
    assert [(each.hints, each.solution_seen) for each in (first, second, third)] == [
        (2, False),
        (2, True),
        (0, False),
    ]


def test_where_a_rating_would_put_a_card_is_where_it_puts_it(progress: Progress) -> None:
    progress.reviews.add("softmax", Rating.GOOD, at=clock.now() - timedelta(days=3))
    ahead = progress.reviews.ahead("softmax")
    assert [ahead[rating].due for rating in Rating] == sorted(ahead[rating].due for rating in Rating)
    card = progress.reviews.add("softmax", Rating.EASY)
    assert abs(card.due - ahead[Rating.EASY].due) < timedelta(minutes=1)
    assert card.level is ahead[Rating.EASY].level


def test_help_of_yesterday_does_not_count(progress: Progress) -> None:
    progress.attempts.note_help("softmax", None)
    tomorrow = clock.now() + timedelta(days=1)
    assert not progress.attempts.record(RIGHT, "check", tomorrow, b"").solution_seen


def test_reading_writes_nothing(progress: Progress, tmp_path: Path) -> None:
    standings(CATALOG, progress, clock.now())
    assert progress.attempts.of() == []
    assert list(tmp_path.iterdir()) == []


# From a verdict to the schedule


def test_the_first_pass_is_a_review_and_the_next_ones_are_not(progress: Progress) -> None:
    def check(verdict: Verdict) -> bool:
        return record_check(progress, SOFTMAX, verdict, "check", clock.now(), b"") is not None

    assert [check(WRONG), check(RIGHT), check(RIGHT)] == [False, True, False]


def test_a_due_topic_is_reviewed_only_by_an_answer_written_afresh(
    progress: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_check(progress, SOFTMAX, RIGHT, "check", clock.now(), b"")
    later = clock.now() + timedelta(days=30)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert record_check(progress, SOFTMAX, RIGHT, "check", later, b"") is None
    progress.attempts.set_aside("softmax", b"")
    assert record_check(progress, SOFTMAX, RIGHT, "check", later, b"") is not None


def test_a_look_at_the_solution_counts_as_forgotten_unless_it_is_passed(progress: Progress) -> None:
    record_solution(progress, SOFTMAX)
    (review,) = progress.reviews.all()
    assert (review.name, review.rating) == ("softmax", Rating.AGAIN)
    record(progress, RIGHT)
    assert record_solution(progress, SOFTMAX) is None
    assert len(progress.reviews.all()) == 1


def test_states_and_what_is_next(progress: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    def softmax(days: int = 0) -> tuple[State, str, State | None]:
        now = clock.now() + timedelta(days=days)
        standing = standings(CATALOG, progress, now)
        step = next_step(standing, now)
        return standing["softmax"].state, step.topic.id if step.topic else "", step.state

    assert softmax() == (State.NEW, "softmax", State.NEW)
    record(progress, WRONG)
    assert softmax() == (State.FAILING, "softmax", State.FAILING)
    record_check(progress, SOFTMAX, RIGHT, "check", clock.now(), b"")
    assert softmax() == (State.PASSED, "activations", State.NEW)
    assert softmax(days=40) == (State.DUE, "softmax", State.DUE)


def test_new_topics_wait_for_what_they_build_on(progress: Progress) -> None:
    now = clock.now()
    standing = standings(CATALOG, progress, now)
    waiting = next(topic for topic in CATALOG.topics if topic.prerequisites)
    for topic in CATALOG.topics:
        if topic.id != waiting.prerequisites[0] and topic is not waiting:
            standing[topic.id] = replace(standing[topic.id], state=State.PASSED, has_passed=True)
    first = next_step(standing, now)
    assert first.topic is not None and first.topic.id == waiting.prerequisites[0]
    known = replace(standing[first.topic.id], state=State.PASSED, has_passed=True)
    second = next_step({**standing, first.topic.id: known}, now)
    assert second.topic is waiting and waiting.prerequisites[0] in second.reason


# Times without a clock


def best(progress: Progress) -> tuple[float | None, bool]:
    summary = progress.attempts.summaries()["softmax"]
    return summary.best_seconds, summary.is_best_untimed


def test_a_plain_pass_counts_its_time_from_the_blank_exercise(progress: Progress) -> None:
    untouched = replace(RIGHT, outcome=Outcome.NOT_STARTED)
    record_check(progress, SOFTMAX, untouched, "check", clock.now(), b"")
    for minutes, verdict in ((2, WRONG), (5, RIGHT), (6, RIGHT)):
        moment = clock.now() + timedelta(minutes=minutes)
        record_check(progress, SOFTMAX, verdict, "check", moment, b"answer")
    seconds = [attempt.seconds for attempt in progress.attempts.of("softmax")]
    assert seconds[:2] == [None, None] and seconds[3] is None  # passed already
    assert best(progress) == (pytest.approx(300, abs=5), True)
    progress.attempts.record(RIGHT, "drill", clock.now(), b"answer", seconds=400.0)
    assert best(progress)[1]
    progress.attempts.record(RIGHT, "drill", clock.now(), b"answer", seconds=200.0)
    assert best(progress) == (200.0, False)


@pytest.mark.parametrize("hours", [None, 4, -1])
def test_a_time_that_nobody_knows_is_none(progress: Progress, hours: int | None) -> None:
    if hours is not None:
        progress.attempts.note_blank("softmax")
    record_check(progress, SOFTMAX, RIGHT, "watch", clock.now() + timedelta(hours=hours or 0), b"answer")
    assert best(progress) == (None, False)
    assert progress.attempts.of("softmax")[-1].seconds is None
