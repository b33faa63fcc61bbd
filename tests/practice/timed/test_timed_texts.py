"""What a drill and an interview show."""

from dataclasses import replace

import pytest
from practice.timed.states import (
    FAILED,
    OTHER,
    PASSED,
    UNREADABLE,
    act,
    begun_drill,
    begun_mock,
    graded,
    press,
    session,
)
from rich.text import Text

from grader.practice.timed import drill, mock
from grader.practice.timed.drill import Drill
from grader.practice.timed.resuming import mock_details
from grader.show.pages import drill as drill_text
from grader.show.pages import mock as mock_text


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
        "    softmax  1:30  passed  no maximum",
        "    gqa  -  not started",
        "    rope  -  not started",
    ]
