"""`drill` as one calls it, by a script."""

from pathlib import Path

import pytest
from driving import ALL_PASSED, byheart
from practice.timed.by_script import (
    CATALOG,
    ENTER,
    MISTAKE,
    NOT_PASSED,
    PASSED,
    RIGHT,
    SOFTMAX,
    TO_THE_END,
    WRONG,
    Q,
    exercise,
    last_session,
    progress,
    scripted,
    worked,
)

from grader.judge.verdict import Outcome
from grader.practice.exercises.levels import text_at
from grader.practice.schedule import Level, Rating

"""Keys after the work: skip the questions, accept the rating."""


# A drill by a script


def test_a_drill_from_the_first_save_to_the_next_review(project: Path) -> None:
    steps = [{"wait": 60}, {"save": WRONG}, {"wait": 120}, {"save": RIGHT}, ENTER, ENTER, *TO_THE_END]
    done = scripted(project, "drill", "softmax", steps=steps)
    assert (done.returncode, done.stderr) == (PASSED, "")
    first, *_, last = done.stdout.split("softmax  Softmax and log-softmax\n")[1:]
    assert "Write exercises/foundations/softmax.py from memory in 8 minutes" in first
    assert "Question 1 of 3" in done.stdout and "Question 2 of 3" in done.stdout
    assert 180 <= worked(last, "Passed after") < 240
    assert f"{ALL_PASSED}, 2 tries." in last
    assert MISTAKE in " ".join(last.split())
    assert "  Rated good. Next review: in " in last and "at level stub" in last
    wrong, right = progress(project).attempts.of("softmax")
    assert (wrong.mode, wrong.outcome, right.outcome) == ("drill", Outcome.FAILED, Outcome.PASSED)
    assert wrong.seconds is not None and right.seconds is not None
    assert 60 <= wrong.seconds < 120 and 180 <= right.seconds < 240  # the real ones on top
    session = last_session(project)
    assert {wrong.session, right.session} == {session.id}
    assert (session.status, session.topics, session.budget) == ("passed", ("softmax",), 480)
    (review,) = progress(project).reviews.all()
    assert (review.name, review.rating, review.level) == ("softmax", Rating.GOOD, Level.STUB)


def test_the_rating_can_be_changed_and_shows_in_the_best_time(project: Path) -> None:
    assert (
        scripted(project, "drill", "softmax", steps=[{"save": RIGHT}, Q, {"key": "2"}, ENTER]).returncode
        == PASSED
    )
    (review,) = progress(project).reviews.all()
    assert (review.rating, review.card.level) == (Rating.HARD, Level.STUB)
    done = scripted(project, "drill", "softmax", steps=[{"wait": 600}, {"save": RIGHT}])
    assert "Your best so far: 0:" in done.stdout
    assert worked(done.stdout, "Passed after") >= 600 and "(your best: 0:" in done.stdout
    assert "Rated hard." in done.stdout  # over time; accepted when the script ends


def test_hints_pauses_and_overtime(project: Path) -> None:
    steps = [
        {"wait": 30},
        {"key": "p"},
        {"wait": 5000},
        {"save": RIGHT.replace("amax", "amin")},  # while nothing is graded
        {"key": "h"},
        {"key": "p"},
        {"key": "h"},
        {"key": "h"},
        {"key": "h"},
        {"save": RIGHT},
        *TO_THE_END,
    ]
    done = scripted(project, "drill", "softmax", "--minutes", "100", steps=steps)
    assert done.returncode == PASSED
    assert "Hint 2 of 3" in done.stdout and "Hint 3 of 3" not in done.stdout
    assert 'With a hint the rating becomes "hard" at most.' in done.stdout
    assert 30 <= worked(done.stdout, "Passed after") < 5000 and "Rated hard." in done.stdout
    assert [attempt.hints for attempt in progress(project).attempts.of("softmax")][-1] == 2


def test_the_solution_ends_a_drill_as_forgotten(project: Path) -> None:
    keys = [{"key": key} for key in ("s", "x", "s", "s", "enter", "q", "enter")]
    done = scripted(project, "drill", "softmax", steps=keys)
    assert (done.returncode, RIGHT.rstrip() in done.stdout) == (NOT_PASSED, True)
    assert "Forgotten: you saw the solution, after 0:" in done.stdout
    assert "Rated again. Next review: tomorrow, at level blanks (the key lines are missing)." in done.stdout
    helps = progress(project).database.read(
        lambda connection: connection.execute("SELECT topic, level FROM helps").fetchall()
    )
    assert [tuple(row) for row in helps] == [("softmax", None)]  # no hint, but the solution
    assert last_session(project).status == "solution seen"


def test_giving_up_leaves_what_is_written(project: Path) -> None:
    done = scripted(project, "drill", "softmax", steps=[{"save": WRONG}, Q, Q, *TO_THE_END])
    assert (done.returncode, "Given up after" in done.stdout) == (NOT_PASSED, True)
    assert exercise(project).read_text(encoding="utf-8") == WRONG
    assert progress(project).reviews.all()[-1].rating is Rating.AGAIN


@pytest.mark.parametrize("level", Level)
def test_what_was_there_is_kept_and_the_exercise_blanked(project: Path, level: Level) -> None:
    exercise(project).write_text(WRONG, encoding="utf-8")
    done = scripted(project, "drill", "softmax", "--level", level, steps=[])
    assert exercise(project).read_text(encoding="utf-8") == text_at(SOFTMAX, level)
    (kept,) = progress(project).attempts.of("softmax")
    assert f"What was there is kept: make restore topic=softmax attempt={kept.id}\n" in done.stdout
    assert (kept.mode, kept.source is not None) == ("saved", True)


def test_the_level_is_that_of_the_schedule(project: Path) -> None:
    progress(project).reviews.add("softmax", Rating.AGAIN)
    scripted(project, "drill", "softmax", steps=[])
    assert exercise(project).read_text(encoding="utf-8") == text_at(SOFTMAX, Level.BLANKS)


def test_everything_is_asked_after_two_good_passes_and_never_before_the_first(project: Path) -> None:
    reviews = progress(project).reviews
    assert reviews.add("gqa", Rating.GOOD).level is Level.STUB
    assert reviews.add("gqa", Rating.EASY).level is Level.EMPTY
    scripted(project, "drill", "gqa", steps=[])  # it was never passed: rated in an older version, say
    assert exercise(project, "gqa").read_text(encoding="utf-8") == text_at(CATALOG["gqa"], Level.STUB)


def test_without_a_topic_it_takes_the_most_due(project: Path) -> None:
    done = scripted(project, "drill", steps=[])
    assert "softmax  Softmax" in done.stdout  # the first new one
    assert byheart(project, "drill", "--drop").returncode == PASSED
    with_reviews = progress(project)
    for topic, date in (("gqa", "2020-01-02"), ("rope", "2020-01-01"), ("mha", "2020-01-03")):
        with_reviews.reviews.add(topic, Rating.GOOD)
        due = f"{date}T00:00:00.000000Z"
        with_reviews.database.write(
            lambda connection, due=due, topic=topic: connection.execute(
                "UPDATE reviews SET due = ? WHERE card = ?", (due, topic)
            )
        )
    assert "rope  Rotary" in scripted(project, "drill", steps=[]).stdout


def test_nothing_is_due(project: Path) -> None:
    for topic in CATALOG.topics:
        progress(project).reviews.add(topic.id, Rating.GOOD)
    progress(project).database.write(
        lambda connection: connection.executemany(
            "INSERT INTO attempts (topic, mode, started, outcome, passed, checks, hints, solution_seen) "
            "VALUES (?, 'check', '2020-01-01T00:00:00.000000Z', 'passed', 1, 1, 0, 0)",
            [(topic.id,) for topic in CATALOG.topics],
        )
    )
    done = scripted(project, "drill", steps=[])
    assert done.returncode == PASSED
    assert done.stdout.startswith("All is done for now; ")
    assert done.stdout.endswith("To drill a topic all the same: make drill topic=softmax\n")
