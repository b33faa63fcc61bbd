"""`undo`: a rating that was not meant."""

import re
from pathlib import Path

import pytest
from driving import byheart
from practice.timed.by_script import (
    ENTER,
    NOT_PASSED,
    PASSED,
    RIGHT,
    SEVEN,
    TO_THE_END,
    WRONG,
    WRONG_USAGE,
    Q,
    progress,
    scripted,
    with_seven_topics,
)

from grader.practice.record.reviews import NothingToUndo
from grader.practice.schedule import Rating


def ratings(root: Path) -> list[tuple[str, Rating]]:
    return [(review.name, review.rating) for review in progress(root).reviews.all()]


def test_the_rating_of_a_drill_is_taken_back(project: Path) -> None:
    progress(project).reviews.add("softmax", Rating.HARD)
    before = progress(project).reviews.cards()["softmax"]
    scripted(project, "drill", "softmax", steps=[{"save": RIGHT}, Q, {"key": "1"}, ENTER])
    done = byheart(project, "undo")
    assert (done.returncode, done.stderr) == (PASSED, "")
    assert re.fullmatch(
        'softmax: the rating "again" of [0-9: -]+ is taken back; it comes back tomorrow.\n', done.stdout
    )
    assert progress(project).reviews.cards()["softmax"] == before
    assert byheart(project, "undo").stdout.endswith("it has no review to come.\n")
    done = byheart(project, "undo")
    assert (done.returncode, done.stdout, done.stderr) == (NOT_PASSED, "", "Nothing has been rated yet.\n")


def test_another_rating_is_given_within_the_rules(project: Path) -> None:
    scripted(project, "drill", "softmax", steps=[{"save": RIGHT}, Q, {"key": "1"}, ENTER])
    assert byheart(project, "undo", "--rating", "good").returncode == PASSED
    assert ratings(project) == [("softmax", Rating.GOOD)]
    assert "'gud' is not a rating" in byheart(project, "undo", "--rating", "gud").stderr
    scripted(project, "drill", "gqa", steps=[Q, Q, *TO_THE_END])
    refused = byheart(project, "undo", "--rating", "easy")
    assert (refused.returncode, refused.stdout) == (WRONG_USAGE, "")
    assert refused.stderr == "After how this drill went, the rating can only be again.\n"
    assert ratings(project)[-1] == ("gqa", Rating.AGAIN)


def test_the_ratings_of_an_interview_are_taken_back_together(project: Path) -> None:
    steps = [{"save": RIGHT}, {"key": "2"}, {"save": WRONG, "file": "activations"}, Q, Q, Q]
    scripted(with_seven_topics(project), "mock", *SEVEN, steps=steps)
    assert len(ratings(project)) == 2
    assert "they can only be taken back" in byheart(project, "undo", "--rating", "good").stderr
    assert byheart(project, "undo").stdout.count("is taken back; it has no review to come.") == 2
    assert (ratings(project), progress(project).reviews.cards()) == ([], {})


def test_what_was_reviewed_meanwhile_is_not_taken_back(project: Path) -> None:
    reviews = progress(project).reviews
    reviews.add("softmax", Rating.HARD)
    rated = reviews.last()
    reviews.add("softmax", Rating.EASY)
    with pytest.raises(NothingToUndo):
        reviews.undo(rated)
    assert [rating for _, rating in ratings(project)] == [Rating.HARD, Rating.EASY]
