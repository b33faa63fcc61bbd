"""Sessions in the progress."""

from dataclasses import replace

import pytest

from grader.practice.record.progress import Progress
from grader.practice.schedule import Level, Rating


def test_a_session_that_is_cut_off_can_be_found_again(progress: Progress) -> None:
    first = progress.sessions.start("drill", ("softmax",), 480.0, {"level": "stub"})
    progress.sessions.save(first.id, 12.5)
    (running,) = [progress.sessions.running("drill")]
    assert running == replace(first, elapsed=12.5)
    progress.sessions.save(first.id, 20.0, "passed", {"level": "stub", "rating": 3})
    assert progress.sessions.running("drill") is None
    assert [(each.status, each.details["rating"]) for each in progress.sessions.of("drill")] == [
        ("passed", 3)
    ]
    assert progress.sessions.of("mock") == []


def test_a_session_ends_with_all_of_its_reviews_or_goes_on(progress: Progress) -> None:
    session = progress.sessions.start("mock", ("softmax", "gqa"), 480.0, {})
    reviews = [("softmax", Rating.GOOD, Level.STUB), ("gqa", None, Level.STUB)]
    with pytest.raises(ValueError, match="Rating"):  # cut off between the two
        progress.sessions.end(session.id, 20.0, "passed", {}, reviews)  # type: ignore[arg-type]
    assert progress.sessions.running("mock") == session
    assert progress.reviews.all() == []
    cards = progress.sessions.end(session.id, 20.0, "passed", {}, reviews[:1])  # type: ignore[arg-type]
    assert progress.sessions.running("mock") is None
    assert progress.reviews.cards() == {"softmax": cards[0]}
