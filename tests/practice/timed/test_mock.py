"""A mock interview key by key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from practice.timed.states import (
    CATALOG,
    FAILED,
    PASSED,
    SOFTMAX,
    UNREADABLE,
    UNTOUCHED,
    VERDICTS,
    act,
    begun_mock,
    session,
)

from grader.judge.verdict import Verdict
from grader.practice.schedule import Rating
from grader.practice.timed import mock
from grader.practice.timed.resuming import mock_details, resumed_mock
from grader.show.pages import mock as mock_text


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
