"""A drill, whatever happens."""

from hypothesis import given
from hypothesis import strategies as st
from practice.timed.states import CATALOG, SOFTMAX, VERDICTS, begun_drill, session

from grader.judge.verdict import Verdict
from grader.practice.timed import drill
from grader.practice.timed.resuming import drill_details, resumed_drill
from grader.show.pages import drill as drill_text

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
