"""The stopwatch, and a drill key by key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from practice.timed.states import CATALOG, FAILED, OTHER, PASSED, UNTOUCHED, begun_drill, graded, press

from grader.judge.verdict import Verdict
from grader.practice.schedule import Rating
from grader.practice.timed import drill
from grader.practice.timed.drill import Drill
from grader.practice.timed.stopwatch import Stopwatch
from grader.show.pages import drill as drill_text

# The stopwatch

OPERATIONS = st.lists(
    st.sampled_from(["pause", "resume", "pass", "advance"]).flatmap(
        lambda name: st.tuples(st.just(name), st.floats(0, 100))
    )
)


@given(OPERATIONS, st.floats(0, 1000))
def test_a_stopwatch_counts_what_passes_while_it_runs(
    operations: list[tuple[str, float]], before: float
) -> None:
    moment, expected, runs = 0.0, before, True
    watch = Stopwatch(before, lambda: moment)
    for name, seconds in operations:
        match name:
            case "pause":
                watch.pause()
                runs = False
            case "resume":
                watch.resume()
                runs = True
            case "pass":
                moment += seconds
                expected += seconds * runs
            case "advance":
                watch.advance(seconds)
                expected += seconds * runs
        assert watch.elapsed == pytest.approx(expected)


def test_a_stopwatch_never_runs_backwards() -> None:
    moments = iter([100.0, 50.0])
    watch = Stopwatch(7.0, lambda: next(moments))
    assert watch.elapsed == 7.0


# A drill: single steps


def test_a_save_is_graded_and_a_pass_ends_the_drill() -> None:
    state, action = drill.saved(begun_drill())
    assert action is drill.Action.GRADE
    state = graded(state, FAILED, OTHER, FAILED, PASSED, seconds=300.0)
    assert (state.end, state.seconds, state.tries) == (drill.End.PASSED, 300.0, 4)
    assert [mistake.mistake for mistake in state.mistakes] == ["no-maximum", "wrong-axis"]
    assert (state.phase, state.rating) == (drill.Phase.QUESTIONS, Rating.GOOD)


@pytest.mark.parametrize(
    ("verdicts", "seconds", "rating"),
    [
        ([PASSED], 200.0, Rating.EASY),
        ([UNTOUCHED, PASSED], 200.0, Rating.EASY),  # a save of what was there is no try
        ([FAILED, PASSED], 200.0, Rating.GOOD),
        ([PASSED], 400.0, Rating.GOOD),
        ([PASSED], 480.1, Rating.HARD),
    ],
)
def test_the_rating_is_proposed_from_the_result(
    verdicts: list[Verdict], seconds: float, rating: Rating
) -> None:
    assert graded(begun_drill(), *verdicts, seconds=seconds).rating is rating


def test_a_hint_makes_it_hard_at_most() -> None:
    asked, action = drill.pressed(begun_drill(), "h", 1.0)
    assert (action, asked.hints, press(asked, "x")) == (None, 0, begun_drill())
    assert "Take a hint? Then the rating becomes" in drill_text.status_text(asked, 1.0, False, True).plain
    for yes in ("h", "y"):
        state, action = drill.pressed(asked, yes, 1.0)
        assert (action, state.hints, state.page) == (drill.Action.NOTE_HINT, 1, drill.Page.HINTS)
    assert press(state, "h").hints == 2  # paid for already
    assert graded(state, PASSED).rating is Rating.HARD


def test_after_the_last_hint_they_are_shown_again() -> None:
    state = graded(press(begun_drill(), "h", "h", "h", "h"), FAILED)
    state, action = drill.pressed(state, "h", 1.0)
    assert (action, state.hints, state.page) == (None, 3, drill.Page.HINTS)


def test_hints_stay_until_the_next_save() -> None:
    state = graded(press(begun_drill(), "h", "h"), FAILED)
    assert (state.page, state.verdict) == (drill.Page.HINTS, FAILED)
    assert "does not pass yet" in drill_text.body_text(state, CATALOG, 80, True).plain
    for after, action in (drill.saved(state), drill.pressed(state, "enter", 1.0)):
        assert (after.page, action) == (drill.Page.VERDICT, drill.Action.GRADE)
    state, _ = drill.saved(press(state, "p"))
    assert press(state, "p").page is drill.Page.VERDICT


@pytest.mark.parametrize(
    ("hints", "saw_solution", "rating"), [(2, False, Rating.HARD), (0, True, Rating.AGAIN)]
)
def test_help_taken_elsewhere_counts(hints: int, saw_solution: bool, rating: Rating) -> None:
    assert drill.graded(begun_drill(), PASSED, 10.0, hints, saw_solution).rating is rating


def test_the_solution_is_shown_when_it_is_asked_for_twice() -> None:
    state = press(begun_drill(), "s")
    assert state.end is None
    for key in ("h", "q", "enter", "e", "p"):
        assert press(state, key) == begun_drill()
    assert press(state, "y").end is drill.End.SOLUTION
    state, action = drill.pressed(state, "s", 50.0)
    assert (action, state.end, state.rating) == (drill.Action.NOTE_SOLUTION, drill.End.SOLUTION, Rating.AGAIN)
    assert state.phase is drill.Phase.READING
    assert press(state, "x", "s", "q").phase is drill.Phase.READING
    assert press(state, "enter").phase is drill.Phase.QUESTIONS


def test_what_is_saved_in_a_pause_is_graded_after_it() -> None:
    state = press(begun_drill(), "p")
    state, action = drill.saved(state)
    assert (state.phase, action) == (drill.Phase.PAUSED, None)
    assert press(state, "q", "s", "h", "enter", "4") == state
    state, action = drill.pressed(state, "p", 100.0)
    assert (state, action) == (begun_drill(), drill.Action.GRADE)
    assert drill.pressed(press(begun_drill(), "p"), "p", 100.0)[1] is None


def test_giving_up_is_forgotten() -> None:
    asked = press(begun_drill(), "q", seconds=70.0)
    assert press(asked, "enter") == begun_drill()
    assert drill_text.status_text(asked, 1.0, False, True).plain.startswith("Give up? Then the drill ends as")
    state = press(asked, "q", seconds=70.0)
    assert (state.end, state.seconds, state.rating) == (drill.End.GAVE_UP, 70.0, Rating.AGAIN)


def test_questions_are_turned_one_by_one_or_skipped() -> None:
    state = press(begun_drill(), "q", "q")
    cards = 2 * len(state.questions)
    assert [press(state, *["enter"] * count).turned for count in range(cards)] == list(range(cards))
    assert press(state, *["enter"] * (cards - 1)).phase is drill.Phase.QUESTIONS
    assert press(state, *["enter"] * cards).phase is drill.Phase.RATING
    assert press(state, "enter", "q").phase is drill.Phase.RATING
    assert press(state, "h", "s", "p", "e", "1", "x") == state


@pytest.mark.parametrize("rating", Rating)
def test_one_key_changes_the_rating(rating: Rating) -> None:
    state = press(graded(begun_drill(), PASSED), "q", "7", "x", str(int(rating)))
    assert (state.rating, state.phase) == (rating, drill.Phase.RATING)
    over = press(state, "enter")
    assert over.phase is drill.Phase.OVER
    assert press(over, "1", "q", "enter", "s", "h") == over


@pytest.mark.parametrize(
    ("state", "ratings", "line"),
    [
        (press(begun_drill(), "q", "q"), [Rating.AGAIN], "Enter end"),
        (press(begun_drill(), "s", "s", "enter"), [Rating.AGAIN], "Enter end"),
        (
            graded(press(begun_drill(), "h", "h"), PASSED),
            [Rating.AGAIN, Rating.HARD],
            "1 again   2 hard   Enter accept",
        ),
        (
            graded(begun_drill(), PASSED, seconds=900.0),
            list(Rating),
            "1 again   2 hard   3 good   4 easy   Enter accept",
        ),
    ],
)
def test_only_what_the_rules_allow_can_be_chosen(state: Drill, ratings: list[Rating], line: str) -> None:
    state = press(state, "q")
    assert (state.phase, drill_text.status_text(state, 1.0, False, True).plain) == (drill.Phase.RATING, line)
    assert {press(state, key).rating for key in "1234"} == set(ratings)
    assert state.rating in ratings
