"""What to do today: what fits the time, what an interview asks for, what is left alone."""

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pexpect
import pytest
from driving import CATALOG, byheart, command, progress_in
from hypothesis import given
from hypothesis import strategies as st

from grader.practice.plan.agenda import agenda
from grader.practice.plan.interview import aim_at
from grader.practice.plan.standing import Standing, State
from grader.practice.plan.steps import next_step, steps
from grader.practice.record.sessions import Session
from grader.practice.schedule import Card, Level, Rating

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PASSED, NOT_PASSED, WRONG_USAGE = 0, 1, 2


def standing(state: State = State.NEW, due: int = 9) -> dict[str, Standing]:
    """Of all topics; what was passed comes back in so many days."""
    known = state in (State.PASSED, State.DUE)
    card = Card(NOW, 1.0, 5.0, NOW + timedelta(days=due), Level.STUB) if known else None
    return {topic.id: Standing(topic, state, known, False, None, card) for topic in CATALOG.topics}


def with_states(**states: State) -> dict[str, Standing]:
    found = standing()
    for id_, state in states.items():
        found[id_] = replace(standing(state, due=-1)[id_])
    return found


def names(where: Mapping[str, Standing], minutes: float, questions: int = 0, **more: int) -> list[str]:
    found = agenda(steps(where, NOW), questions, minutes, **more)
    return [
        item.step.topic.id if item.step and item.step.topic else f"{item.questions}" for item in found.items
    ]


# What fits


def test_reviews_then_something_begun_or_new_then_questions() -> None:
    where = with_states(gqa=State.DUE, rope=State.DUE, mha=State.FAILING, sdpa=State.STARTED)
    assert names(where, 100, 40) == ["rope", "gqa", "mha", "40"]
    assert names(with_states(gqa=State.DUE), 100, 4) == ["gqa", "softmax", "4"]


def test_what_does_not_fit_makes_room_for_what_does() -> None:
    where = with_states(zero=State.DUE, rms_norm=State.DUE)  # 35 and 6 minutes
    assert names(where, 10) == ["rms_norm"]
    assert agenda(steps(where, NOW), 0, 10).left == 1
    assert names(with_states(zero=State.DUE), 10) == ["zero"]  # rather than nothing


@given(
    st.lists(st.sampled_from(State), min_size=len(CATALOG.topics), max_size=len(CATALOG.topics)),
    st.integers(1, 200),
    st.integers(0, 50),
)
def test_it_never_takes_longer_than_there_is_time(states: list[State], minutes: int, questions: int) -> None:
    where = with_states(**{topic.id: state for topic, state in zip(CATALOG.topics, states, strict=True)})
    found = agenda(steps(where, NOW), questions, minutes)
    assert found.minutes <= minutes or len(found.items) == 1
    assert sum(item.step is not None and item.step.state is not State.DUE for item in found.items) <= 1
    suspended = {
        topic.id for topic, state in zip(CATALOG.topics, states, strict=True) if state == "suspended"
    }
    assert not suspended & set(names(where, minutes))


def test_a_limit_counts_topics_and_no_questions() -> None:
    where = with_states(gqa=State.DUE, rope=State.DUE)
    assert names(where, 100, 4, topics=1) == ["rope", "4"]
    assert names(where, 100, 4, topics=0) == ["4"]


def test_what_was_cut_off_comes_first() -> None:
    session = Session(1, "mock", NOW, ("gqa",), 2700.0, 1500.0, "running", {})
    found = agenda(steps(with_states(gqa=State.DUE), NOW, session), 0, 60)
    assert [item.minutes for item in found.items][:2] == [20.0, 15.0]


@pytest.mark.parametrize(
    ("kind", "missing"), [("drill", "its rating is missing"), ("mock", "its score card is to be read")]
)
def test_of_what_is_worked_the_end_is_asked_for_and_no_time(kind: str, missing: str) -> None:
    session = Session(1, kind, NOW, ("gqa",), 600.0, 60.0, "running", {"end": "passed"})
    step = next_step(standing(), NOW, session)
    assert step.reason.endswith(f"of gqa is over: {missing}") and step.minutes_left == 1


def test_what_is_suspended_is_not_waited_for() -> None:
    waiting = next(topic for topic in CATALOG.topics if len(topic.prerequisites) == 1)
    where = standing(State.PASSED)
    where[waiting.id] = standing()[waiting.id]
    where[waiting.prerequisites[0]] = standing(State.SUSPENDED)[waiting.prerequisites[0]]
    assert next_step(where, NOW).topic == waiting


# An interview


def test_with_time_enough_everything_is_learned() -> None:
    aim = aim_at(NOW.date() + timedelta(days=200), standing(), NOW, None)
    assert aim is not None and not aim.left_out and len(aim.to_learn) == len(CATALOG.topics)
    assert (aim.days, aim.new_a_day) == (200, 1) and aim.sittings >= len(CATALOG.topics)
    assert (aim.a_day - 1) * aim.days < aim.sittings <= aim.a_day * aim.days


@pytest.mark.parametrize(("days", "limit"), [(1, None), (3, 2), (5, 4), (8, 3), (20, 1)])
def test_without_it_what_is_asked_less_is_left_out(days: int, limit: int | None) -> None:
    aim = aim_at(NOW.date() + timedelta(days=days), standing(), NOW, limit)
    assert aim is not None and aim.left_out
    assert aim.a_day <= (4 if limit is None else limit)
    taken = {topic.id for topic in aim.to_learn}
    for number, topic in enumerate(aim.to_learn):
        before = {each.id for each in aim.to_learn[:number]}
        assert before.issuperset(topic.prerequisites)
    assert taken.isdisjoint(topic.id for topic in aim.left_out)


def test_what_there_is_no_time_for_is_not_gone_on_with_first() -> None:
    rare = min(CATALOG.topics, key=lambda topic: topic.frequency)
    where = with_states(**{rare.id: State.STARTED})
    aim = aim_at(NOW.date() + timedelta(days=5), where, NOW, None)
    assert aim is not None and rare in aim.left_out
    found = list(steps(where, NOW, aim=aim))
    assert found[0].topic in aim.to_learn and found[-1].topic == rare
    assert found[-1].reason == "you have begun it; there is no time for it before your interview"
    begun = with_states(**{aim.to_learn[0].id: State.STARTED})
    assert next_step(begun, NOW, aim=aim).reason == "you have begun it"


def test_only_what_would_be_forgotten_by_then_is_reviewed() -> None:
    assert aim_at(NOW.date() + timedelta(days=30), standing(State.PASSED, due=40), NOW, None).sittings == 0
    found = aim_at(NOW.date() + timedelta(days=30), standing(State.PASSED, due=20), NOW, None)
    assert found.sittings == len(CATALOG.topics)


def test_what_comes_due_at_the_interview_is_reviewed_before_it() -> None:
    where = standing(State.PASSED, due=2)
    near, far = (aim_at(NOW.date() + timedelta(days=days), where, NOW, None) for days in (2, 9))
    assert next_step(where, NOW).topic is None
    assert next_step(where, NOW, aim=near).state is State.DUE
    assert next_step(where, NOW, aim=far).topic is None


def test_an_interview_that_is_over_changes_nothing() -> None:
    assert aim_at(NOW.date(), standing(), NOW, None) is None


# As one calls it


def test_today_without_a_terminal_is_a_plan(project: Path) -> None:
    done = byheart(project, "today", "40")
    assert (done.returncode, done.stderr) == (PASSED, "")
    assert done.stdout.startswith("Today, 40 minutes\n  1  new     softmax")
    assert "\n  2  quiz  20 questions" in done.stdout and not (project / ".practice").exists()


def test_interview_and_limit_are_kept_until_they_are_taken_back(project: Path) -> None:
    day = (date.today() + timedelta(days=9)).isoformat()
    assert "There is no time for" in byheart(project, "today", "--interview", day, "--limit", "1").stdout
    assert ", in 9 days\n" in byheart(project, "today").stdout
    progress_in(project).reviews.add("softmax", Rating.GOOD)
    assert byheart(project, "next").stdout == "Your limit of topics for today is reached.\n"
    done = byheart(project, "today", "--interview", "none", "--limit", "none")
    assert "Interview" not in done.stdout and "1  new" in done.stdout


@pytest.mark.parametrize(
    "options", [["--interview", "soon"], ["--interview", "2020-01-01"], ["--limit", "-1"], ["--limit", "few"]]
)
def test_a_choice_that_is_none_is_refused(project: Path, options: list[str]) -> None:
    done = byheart(project, "today", "--limit", "3", *options)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (WRONG_USAGE, "", 1)
    assert not (project / ".practice").exists()


def test_a_suspended_topic_is_left_alone(project: Path) -> None:
    progress_in(project).reviews.add("softmax", Rating.AGAIN, at=NOW)
    assert byheart(project, "next").stdout.startswith("Next: softmax")
    assert byheart(project, "suspend", "softmax").returncode == PASSED
    assert byheart(project, "next").stdout.startswith("Next: activations")
    assert "  softmax " in byheart(project, "list", "suspended").stdout
    assert "\nsoftmax " not in byheart(project, "quiz").stdout
    assert byheart(project, "resume", "softmax").returncode == PASSED
    assert byheart(project, "next").stdout.startswith("Next: softmax")
    assert byheart(project, "resume", "softmax").returncode == WRONG_USAGE


def test_a_session_leads_through_everything_and_sums_up(project: Path) -> None:
    progress_in(project).choices.limit_to(0)
    python, *arguments = command("today", "1")
    terminal = pexpect.spawn(
        python,
        arguments,
        cwd=project,
        env={**os.environ, "TERM": "xterm-256color"},
        encoding="utf-8",
        timeout=60,
        dimensions=(24, 80),
    )
    terminal.expect_exact("quiz 2 questions (1 min; ")
    terminal.expect_exact("Enter begin   s skip   q end")
    terminal.send("\r")
    for _ in range(2):
        terminal.expect_exact("Say the answer aloud")
        terminal.send("\r")
        terminal.expect_exact("3 good")
        terminal.send("3")
    terminal.expect_exact("2 questions answered, 2 known")
    terminal.expect_exact("left to do. Next: make next")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == PASSED
