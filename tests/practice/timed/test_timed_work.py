"""Drills and mock interviews without files, clock and terminal: what follows from what, and how it reads."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from grader.curriculum.catalog import load_catalog
from grader.judge.verdict import Check, Diagnosis, Outcome, Verdict
from grader.practice.plan.schedule import Card, Level, Rating, reviewed
from grader.practice.plan.standing import Standing, State
from grader.practice.record.sessions import RUNNING, Session
from grader.practice.timed import drill, mock
from grader.practice.timed.drill import Drill
from grader.practice.timed.follow_ups import follow_ups
from grader.practice.timed.mock import Mock
from grader.practice.timed.resuming import QUESTIONS, drill_details, mock_details, resumed_drill, resumed_mock
from grader.practice.timed.stopwatch import Stopwatch
from grader.practice.timed.topic_choice import FLOOR, DoesNotFit, drawn, of_chapter, weakness, weight
from grader.show.pages import drill as drill_text
from grader.show.pages import mock as mock_text

CATALOG = load_catalog()
SOFTMAX, GQA, ROPE = CATALOG["softmax"], CATALOG["gqa"], CATALOG["rope"]
NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)

PASSED = Verdict("softmax", "softmax.py", Outcome.PASSED, (Check("a", "A", Outcome.PASSED),) * 2)
FAILED = Verdict(
    "softmax",
    "softmax.py",
    Outcome.FAILED,
    (Check("a", "A", Outcome.PASSED), Check("b", "B", Outcome.FAILED, "off by one")),
    Diagnosis("no-maximum", "You forget the maximum."),
)
OTHER = replace(FAILED, diagnosis=Diagnosis("wrong-axis", "You sum over the wrong axis."))
UNTOUCHED = replace(FAILED, outcome=Outcome.NOT_STARTED, diagnosis=None)
UNREADABLE = Verdict("softmax", "softmax.py", Outcome.UNREADABLE, message="It does not parse.")
VERDICTS = [PASSED, FAILED, OTHER, UNTOUCHED, UNREADABLE]


def begun_drill(**more: Any) -> Drill:
    return Drill(SOFTMAX, Level.STUB, 480.0, None, follow_ups(SOFTMAX, QUESTIONS, 1), **more)


def graded(state: Drill, *verdicts: Verdict, seconds: float = 100.0) -> Drill:
    for verdict in verdicts:
        state = drill.graded(state, verdict, seconds, 0, False)
    return state


def press(state: Drill, *keys: str, seconds: float = 100.0) -> Drill:
    for key in keys:
        state, _ = drill.pressed(state, key, seconds)
    return state


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


# A drill: whatever happens

KEYS = st.sampled_from(["enter", "h", "s", "p", "e", "q", "y", "1", "2", "3", "4", "x"])
EVENTS = st.lists(st.one_of(KEYS, st.just("save"), st.sampled_from(VERDICTS)), max_size=40)


@given(EVENTS)
def test_whatever_happens_a_drill_makes_sense(events: list[str | Verdict]) -> None:
    state = begun_drill()
    for second, event in enumerate(events):
        before, action = state, None
        match event:
            case "save":
                state, action = drill.saved(state)
            case str(key):
                state, action = drill.pressed(state, key, float(second))
            case verdict:
                state = drill.graded(state, verdict, float(second), 0, False)
        assert action is None or before.phase is drill.Phase.WORKING or event == "p"
        assert (state.end is None) is (state.rating is None)
        assert state.rating is None or state.rating in state.ratings
        assert (state.end is None) is (state.phase in (drill.Phase.WORKING, drill.Phase.PAUSED))
        assert 0 <= state.hints <= len(SOFTMAX.hints)
        if before.end is not None:
            assert (state.end, state.seconds, state.tries) == (before.end, before.seconds, before.tries)
        assert drill_text.body_text(state, CATALOG, 80, True).plain
        assert "\n" not in drill_text.status_text(state, float(second), False, True).plain


@given(EVENTS)
def test_a_drill_that_is_cut_off_goes_on_as_it_was(events: list[str | Verdict]) -> None:
    state = begun_drill()
    for event in events:
        match event:
            case str(key) if key != "save":
                state, _ = drill.pressed(state, key, 50.0)
            case Verdict():
                state = drill.graded(state, event, 50.0, 0, False)
    again = resumed_drill(session("drill", ["softmax"], 480.0, drill_details(state)), CATALOG, None)
    for name in (
        "topic",
        "level",
        "budget",
        "questions",
        "tries",
        "mistakes",
        "hints",
        "saw_solution",
        "end",
    ):
        assert getattr(again, name) == getattr(state, name)
    if state.end is not None and state.phase is not drill.Phase.OVER:
        assert again.rating == drill.ended(state, state.end, 50.0).rating


def session(kind: str, topics: Sequence[str], budget: float, details: dict[str, Any]) -> Session:
    kept = json.loads(json.dumps(details))
    return Session(1, kind, NOW, tuple(topics), budget, 50.0, RUNNING, kept)


# A mock interview


def begun_mock(*, budget: float = 2700.0) -> Mock:
    return mock.begun((SOFTMAX, GQA, ROPE), budget, 5)


def act(state: Mock, *steps: tuple[float, int | str | Verdict]) -> Mock:
    """After saves (the number of a topic), keys, and verdicts on the topic shown, each at its second."""
    for seconds, what in steps:
        match what:
            case int(number):
                state, _ = mock.saved(state, number, seconds)
            case str(key):
                state, _ = mock.pressed(state, key, seconds)
            case verdict:
                state = mock.graded(state, state.shown, verdict, seconds, 0, False)
    return state


def test_a_save_counts_the_time_for_its_topic_until_it_passes() -> None:
    state = act(begun_mock(), (60, 0), (61, FAILED), (100, 1), (130, 0), (131, PASSED))
    assert [result.seconds for result in state.results] == [90, 40, 0]
    assert (state.results[0].has_passed, state.results[0].tries) == (True, 2)
    assert state.shown == 1  # the next one that has not passed
    state = act(state, (200, "3"), (250, "1"), (300, "2"))
    assert [result.seconds for result in state.results] == [90, 110, 50]


def test_what_has_passed_is_not_graded_again() -> None:
    state = act(begun_mock(), (60, 0), (61, PASSED))
    state, action = mock.saved(state, 0, 70.0)
    assert (action, state.pending) == (None, frozenset())
    assert mock.graded(state, 0, FAILED, 71.0, 0, False).results == state.results


def test_it_ends_when_all_have_passed() -> None:
    state = act(begun_mock(), (1, 0), (2, PASSED), (3, 1), (4, PASSED), (5, 2), (6, PASSED))
    assert (state.end, state.phase, state.seconds) == (mock.End.PASSED, mock.Phase.CARD, 6)


def test_q_ends_it_after_asking() -> None:
    state = act(begun_mock(), (10, "q"))
    assert state.end is None
    assert act(state, (11, "x")) == begun_mock()
    state = act(state, (20, "q"))
    assert (state.end, state.phase, state.seconds) == (mock.End.EARLY, mock.Phase.CARD, 20)
    assert act(state, (21, "enter")).phase is mock.Phase.ANSWERS
    assert act(state, (21, "enter"), (22, "enter")).phase is mock.Phase.OVER
    assert act(state, (21, "q")).phase is mock.Phase.OVER


def test_time_is_over_but_what_was_saved_in_time_is_graded() -> None:
    state = mock.ticked(act(begun_mock(budget=100.0), (99, 0)), 99.9)
    assert state.phase is mock.Phase.WORKING
    state = mock.ticked(state, 100.5)
    assert (state.phase, state.end, state.seconds) == (mock.Phase.CLOSING, mock.End.TIME, 100)
    assert act(state, (101, 1)).pending == {0}
    state = mock.graded(state, 0, PASSED, 102.0, 0, False)
    assert (state.phase, state.results[0].has_passed) == (mock.Phase.CARD, True)


@pytest.mark.parametrize(
    ("verdicts", "seconds", "rating"),
    [
        ([], 50.0, None),
        ([UNTOUCHED], 50.0, None),
        ([FAILED], 50.0, Rating.AGAIN),
        ([UNREADABLE], 50.0, Rating.AGAIN),
        ([PASSED], 50.0, Rating.GOOD),  # never easy: it was under pressure, but one of several
        ([FAILED, PASSED], 500.0, Rating.HARD),
    ],
)
def test_only_what_was_worked_at_is_rated(
    verdicts: list[Verdict], seconds: float, rating: Rating | None
) -> None:
    state = act(begun_mock(), (seconds, 0), *((seconds, verdict) for verdict in verdicts))
    assert mock.rating(SOFTMAX, state.results[0]) is rating


def test_the_solution_seen_elsewhere_counts() -> None:
    state = mock.graded(act(begun_mock(), (5, 0)), 0, PASSED, 6.0, 0, True)
    assert mock.rating(SOFTMAX, state.results[0]) is Rating.AGAIN


MOCK_EVENTS = st.lists(
    st.tuples(
        st.floats(0, 60),
        st.one_of(
            st.integers(0, 2),
            st.sampled_from(["1", "2", "3", "9", "q", "x", "enter", "e"]),
            st.sampled_from(VERDICTS),
        ),
    ),
    max_size=40,
)


@given(MOCK_EVENTS)
def test_whatever_happens_an_interview_makes_sense(
    events: list[tuple[float, int | str | Verdict]],
) -> None:
    state, seconds = begun_mock(budget=600.0), 0.0
    for later, what in events:
        before, seconds = state, seconds + later
        state = mock.ticked(act(state, (seconds, what)), seconds)
        assert sum(result.seconds for result in state.results) <= seconds + 1e-6
        assert (state.end is None) is (state.phase is mock.Phase.WORKING)
        for old, new in zip(before.results, state.results, strict=True):
            assert new == old or not old.has_passed
        if seconds >= 600.0:
            assert state.phase is not mock.Phase.WORKING and state.seconds <= 600.0
        if state.phase in (mock.Phase.WORKING, mock.Phase.CLOSING):
            page = mock_text.body_text(state, 80).plain
            assert "You forget" not in page and "off by one" not in page and "parse" not in page
        assert "\n" not in mock_text.status_text(state, seconds, True).plain
        kept = session("mock", ["softmax", "gqa", "rope"], 600.0, mock_details(state))
        again = resumed_mock(kept, CATALOG)
        assert again.seed == state.seed and again.shown == state.shown
        if state.end is None:
            assert (again.results, again.credited) == (state.results, state.credited)


# Drawing


def standings(**cards: Card) -> dict[str, Standing]:
    return {
        topic.id: Standing(
            topic,
            State.PASSED if topic.id in cards else State.NEW,
            topic.id in cards,
            False,
            None,
            cards.get(topic.id),
        )
        for topic in CATALOG.topics
    }


@given(st.integers(), st.integers(1, 9), st.integers(0, 200))
def test_topics_are_drawn_once_each_the_same_by_the_same_seed_and_fit(
    seed: int, count: int, spare: int
) -> None:
    shortest = sum(sorted(topic.minutes for topic in CATALOG.topics)[:count])
    topics = drawn(standings(), count, seed, NOW, shortest + spare)
    assert len(topics) == len(set(topics)) == count
    assert sum(topic.minutes for topic in topics) <= shortest + spare
    assert topics == drawn(standings(), count, seed, NOW, shortest + spare)


@pytest.mark.parametrize(
    ("chapter", "count", "minutes", "told"),
    [
        ("losses", 5, 600, "5 topics cannot be asked: there are 4."),
        (
            "losses",
            3,
            20,
            "3 topics need at least 5 + 10 + 10 = 25 minutes, and there are 20: at most 2 fit. "
            "Say count=2, or minutes=25.",
        ),
        (
            "losses",
            1,
            4,
            "1 topic needs at least 5 minutes, and there are 4: none fits. Say minutes=5.",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_the_arithmetic(
    chapter: str, count: int, minutes: int, told: str
) -> None:
    with pytest.raises(DoesNotFit) as refusal:
        drawn(of_chapter(standings(), chapter), count, 1, NOW, minutes)
    assert str(refusal.value) == told


def test_only_a_chapter_is_asked_and_nothing_suspended() -> None:
    topics = drawn(of_chapter(standings(), "losses"), 4, 1, NOW, 40)
    assert {topic.chapter for topic in topics} == {"losses"} and len(topics) == 4
    assert of_chapter(standings(), None) == standings()
    without = standings()
    without["bce"] = replace(without["bce"], state=State.SUSPENDED)
    assert "bce" not in of_chapter(without, "losses")


def test_a_topic_weighs_more_the_weaker_it_is() -> None:
    card = reviewed(None, Rating.GOOD, NOW)
    known = standings(softmax=card)["softmax"]
    later = NOW + timedelta(days=100)
    assert weakness(known, NOW) == FLOOR
    assert FLOOR < weakness(known, later) < 1.0
    assert weakness(replace(known, is_failing=True), NOW) == 1.0
    assert weakness(replace(known, has_passed=False), NOW) == 1.0
    assert weakness(replace(known, card=None), NOW) == 1.0
    assert weight(known, later) == SOFTMAX.frequency * weakness(known, later)


def test_topics_are_drawn_by_their_weights() -> None:
    card = reviewed(None, Rating.EASY, NOW)
    asked = {id_: each for id_, each in standings(softmax=card).items() if id_ in ("softmax", "gqa")}
    first = Counter(drawn(asked, 1, seed, NOW, 45)[0].id for seed in range(2000))
    expected = weight(asked["softmax"], NOW) / sum(weight(each, NOW) for each in asked.values())
    assert first["softmax"] / 2000 == pytest.approx(expected, abs=0.02)


def test_follow_up_questions_are_the_same_within_a_session() -> None:
    assert follow_ups(GQA, 3, 1) == follow_ups(GQA, 3, 1)
    assert len(set(follow_ups(GQA, 3, 1))) == 3
    assert len({follow_ups(GQA, 3, number) for number in range(20)}) > 1
    assert sorted(follow_ups(GQA, 99, 1), key=str) == sorted(GQA.questions, key=str)


# Texts


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "8:00 left"), (0.5, "8:00 left"), (479.5, "0:01 left"), (480, "0:00 left"), (610, "2:10 over")],
)
def test_the_clock(seconds: float, told: str) -> None:
    assert drill_text.left_text(480.0, seconds).plain == told


def plain(text: Text) -> list[str]:
    return text.plain.splitlines()


def test_a_verdict_is_seen_before_its_mistake_is_found() -> None:
    state = drill.checked(begun_drill(), FAILED)
    assert (state.verdict, state.page, state.tries) == (FAILED, drill.Page.VERDICT, 0)
    assert drill.checked(press(begun_drill(), "h", "h"), FAILED).page is drill.Page.HINTS
    over = press(begun_drill(), "q", "q")
    assert drill.checked(over, FAILED) == over


def test_the_line_under_a_drill() -> None:
    def line(state: Drill, is_grading: bool = False, has_keys: bool = True) -> str:
        return drill_text.status_text(state, 30.0, is_grading, has_keys).plain

    keys = "h hint  s solution  p pause  e edit  q give up"
    assert line(begun_drill()) == f"7:30 left   Enter grade  {keys}"
    assert line(begun_drill(), is_grading=True) == f"7:30 left   grading …  {keys}"
    assert line(begun_drill(), True, has_keys=False) == "7:30 left   grading …"
    assert line(press(begun_drill(), "p")) == "7:30 left   paused: nothing is graded   p go on"
    assert len(line(begun_drill())) < 80


def test_how_a_drill_came_out() -> None:
    state = graded(replace(press(begun_drill(), "h", "h"), best=200.0), FAILED, PASSED, seconds=180.0)
    assert plain(drill_text.result_text(state, 80)) == [
        "softmax  Softmax and log-softmax",
        "",
        "  Passed after 3:00 of 8:00: your best (before: 3:20).",
        "  2 of 2 checks passed, 2 tries, 1 hint.",
        "",
        "  Mistakes on the way:",
        "    - You forget the maximum.",
    ]
    state = press(replace(begun_drill(), best=200.0), "s", "s", seconds=500.0)
    assert plain(drill_text.result_text(state, 80))[2:] == [
        "  Forgotten: you saw the solution, after 8:20 of 8:00 (your best: 3:20).",
        "  0 tries, solution seen.",
    ]


def test_a_failed_interview_keeps_everything_to_itself() -> None:
    state = act(begun_mock(), (60, 0), (61, FAILED), (70, 1), (71, UNREADABLE))
    assert plain(mock_text.body_text(state, 80)) == [
        "Mock interview  3 topics, 45 minutes, seed 5",
        "",
        "  1  softmax  Softmax and log-softmax    not yet: 1 of 2 checks",
        "> 2  gqa      Grouped-query attention    not yet",
        "  3  rope     Rotary position embedding  not started",
        "",
        "  Now: exercises/attention/gqa.py. Every save is graded.",
    ]


def test_the_score_card() -> None:
    state = act(
        begun_mock(),
        (60, 0),
        (61, FAILED),
        (90, 0),
        (91, PASSED),
        (200, 1),
        (201, OTHER),
        (300, "q"),
        (300, "q"),
    )
    card = plain(mock_text.card_text(state, 100))
    assert card[:11] == [
        "Score card  seed 5",
        "",
        "  softmax   1:30 of  8 min  passed",
        "      - You forget the maximum.",
        "  gqa          - of 15 min  not yet: 1 of 2 checks",
        "      FAIL  B",
        "            off by one",
        "      - You sum over the wrong axis.",
        "  rope         - of 20 min  not started",
        "",
        "  1 of 3 passed in 5:00 of 45:00 (ended early).",
    ]
    assert card[12] == "  To answer aloud"
    assert [line.split(":")[0] for line in card[14::2]] == ["    softmax", "    gqa", "    rope"]


def test_interviews_in_the_history() -> None:
    state = act(begun_mock(), (60, 0), (61, FAILED), (90, 0), (91, PASSED), (300, "q"), (300, "q"))
    running = session("mock", ["softmax", "gqa", "rope"], 2700.0, mock_details(state))
    listed = plain(mock_text.list_text([running, replace(running, status=mock.End.EARLY)]))
    assert listed[0] == "Mock interviews"
    assert listed[1].endswith("  not finished: make mock")
    assert listed[2].endswith("  1 of 3 passed in 0:50 of 45:00 (ended early), seed 5")
    assert listed[3:] == [
        "    softmax  1:30  passed  no-maximum",
        "    gqa  -  not started",
        "    rope  -  not started",
    ]
