"""The list, what is next, histories, comparisons and hints in the terminal."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from show.catalogs import CATALOG, FAILED, PASSED, VERDICTS, is_golden, topic

from grader.curriculum.catalog import Catalog, Chapter, Topic
from grader.judge.verdict import Outcome
from grader.practice.plan.standing import Standing, State
from grader.practice.plan.steps import next_step
from grader.practice.record.attempts import Attempt
from grader.practice.record.sessions import Session
from grader.practice.schedule import Card, Level
from grader.show.moments import day_text
from grader.show.pages.hint import hint_text
from grader.show.pages.history import history_text
from grader.show.pages.topic_list import catalog_text, step_text
from grader.show.verdicts.compare import comparison_text
from grader.show.verdicts.outcomes import WORDS
from grader.show.verdicts.verdict import verdict_text

NOW = datetime(2026, 3, 1, 12).astimezone()


def standing(topic: Topic, state: State, best: float | None = None, days: int | None = None) -> Standing:
    """Where a topic stands; its review comes in so many days."""
    card = None if days is None else Card(NOW, 1.0, 5.0, NOW + timedelta(days=days), Level.STUB)
    return Standing(topic, state, state is State.PASSED, state is State.FAILING, best, card)


def test_catalog() -> None:
    standings = {
        "softmax": standing(CATALOG["softmax"], State.PASSED, best=371.9, days=3),
        "activations": standing(CATALOG["activations"], State.DUE, days=-2),
        "gqa": standing(CATALOG["gqa"], State.FAILING),
        "mla": standing(CATALOG["mla"], State.NEW),
    }
    step = next_step(standings, NOW)
    assert is_golden(catalog_text(CATALOG, standings, step, NOW, 100).plain, "catalog")


LARGE = Catalog(
    tuple(
        Chapter(f"chapter_{c}", f"Chapter {c}", tuple(
            topic(f"topic_{c}_{t}", f"chapter_{c}", f"Title of topic {t} in chapter {c}", 1, 10)
            for t in range(8 if c < 5 else 5)
        ))
        for c in range(16)
    )
)  # fmt: skip
"""As large as the whole curriculum is to be: 95 topics."""


def large(**states: State) -> list[str]:
    """The lines of its list on a usual terminal, all topics but those named being new."""
    where = {each.id: standing(each, states.get(each.id, State.NEW), days=0) for each in LARGE.topics}
    text = catalog_text(LARGE, where, next_step(where, NOW), NOW, 80, lines=23)
    return text.plain.splitlines()


def test_a_large_catalog_fits_on_one_screen() -> None:
    assert len(LARGE.topics) == 95
    lines = large()
    assert len(lines) <= 23 and max(map(len, lines)) <= 80
    assert lines[1] == "Chapter 0"  # open, because what is next is in it
    assert sum(line.startswith("  topic_0_") for line in lines) == 8
    assert lines[-4] == "15 more chapters  87 topics, all new: make list all"


def test_columns_are_as_wide_as_what_is_shown_needs() -> None:
    where = {each.id: standing(each, State.NEW) for each in CATALOG.topics}
    text = catalog_text(CATALOG, where, next_step(where, NOW), NOW, 80, lines=23).plain
    assert re.search("^  softmax +Softmax and log-softmax  ", text, flags=re.M)
    assert max(map(len, text.splitlines())) <= 80
    short = catalog_text(CATALOG, where, next_step(where, NOW), NOW, 80, shown={"mha", "gqa"}).plain
    assert short.splitlines()[0].startswith("  topic  title ")
    assert "  gqa    Grouped-query attention  new" in short


def test_what_is_at_work_is_open() -> None:
    lines = large(topic_9_1=State.DUE, topic_12_0=State.FAILING, topic_12_4=State.PASSED)
    assert len(lines) <= 23
    shown = [line.split()[0] for line in lines if line.startswith("  topic_")]
    assert shown == [f"topic_{chapter}_{number}" for chapter in (9, 12) for number in range(5)]
    assert lines[-1].endswith("drill topic=topic_9_1")


def test_a_chapter_that_is_too_long_shows_what_is_at_work() -> None:
    states = {f"topic_{chapter}_0": State.DUE if chapter == 9 else State.FAILING for chapter in range(16)}
    lines = large(**states)
    assert len(lines) <= 23 and "Chapter 9" in lines and "Chapter 7    5 topics: 4 new, 1 failing" in lines
    at = lines.index("Chapter 9")
    assert lines[at + 1].startswith("  topic_9_0") and lines[at + 2] == "  and 4 more: make list chapter_9"


@given(st.lists(st.sampled_from(State), min_size=95, max_size=95))
def test_whatever_the_states_it_fits_and_counts_every_topic(states: list[State]) -> None:
    ids = [each.id for each in LARGE.topics]
    lines = large(**dict(zip(ids, states, strict=True)))
    assert len(lines) <= 23
    folded = sum(int(line.split()[2]) for line in lines if line.startswith("Chapter ") and ":" in line)
    folded += sum(int(line.split()[3]) for line in lines if " more chapters " in line)
    more = sum(int(line.split()[1]) for line in lines if line.startswith("  and "))
    assert folded + more + sum(line.startswith("  topic_") for line in lines) == 95


def test_without_a_terminal_everything_is_listed() -> None:
    where = {each.id: standing(each, State.NEW) for each in LARGE.topics}
    text = catalog_text(LARGE, where, next_step(where, NOW), NOW, 100).plain
    assert all(f"  {each.id} " in text for each in LARGE.topics)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("drill", "the drill of gqa, mla is not finished: 3 of 15 minutes are over."),
        ("mock", "the mock interview of gqa, mla is not finished: 3 of 15 minutes are over."),
    ],
)
def test_what_was_cut_off_is_next(kind: str, told: str) -> None:
    where = {each.id: standing(each, State.DUE, days=0) for each in CATALOG.topics}
    cut_off = Session(1, kind, NOW, ("gqa", "mla"), 900.0, 200.0, "running", {})
    text = step_text(next_step(where, NOW, cut_off)).plain
    assert text == f"Next: go on, because {told}\n      make {kind}"


@pytest.mark.parametrize(
    ("states", "text"),
    [
        (
            [State.NEW] * 4,
            "softmax, because it is next in the study order.\n      open exercises/foundations",
        ),
        ([State.PASSED, State.STARTED, State.NEW, State.NEW], "make check topic=activations"),
        ([State.STARTED, State.STARTED, State.NEW, State.FAILING], "mla, because its last check did not"),
        ([State.PASSED] * 4, "All is done for now; the next review is gqa, on Tuesday, 03 March."),
    ],
)
def test_what_is_next(states: list[State], text: str) -> None:
    topics = zip(CATALOG.topics, states, [5, None, 2, 9], strict=True)
    standings = {topic.id: standing(topic, state, days=days) for topic, state, days in topics}
    assert text in step_text(next_step(standings, NOW)).plain


def test_history() -> None:
    moment = datetime(2026, 3, 1, 12, 30).astimezone()
    first = Attempt(1, "gqa", "check", moment, None, Outcome.FAILED, 4, 6, "tiled", 2, True, "ab", None)
    attempts = [
        first,
        replace(
            first, id=2, mode="saved", outcome=None, checks=0, mistake=None, hints=0, solution_seen=False
        ),
        replace(first, id=30, mode="drill", seconds=671.2, outcome=Outcome.PASSED, passed=6, mistake=None),
        replace(first, id=31, mode="mock", session=5, outcome=Outcome.NOT_STARTED, hints=0),
    ]
    assert is_golden(history_text(attempts, 100, {5}).plain, "history")


def test_comparison() -> None:
    own = '"""Module."""\n\nimport torch\n\n\ndef f(\n    x,\n):\n    """Doc."""\n    return x  # why\n'
    text = comparison_text(CATALOG["gqa"], PASSED.cost, own, own + "\ny = 1\n").plain
    assert is_golden(text, "comparison")
    assert "FLOPs" not in comparison_text(CATALOG["gqa"], None, own, own).plain


@pytest.mark.parametrize(
    ("days", "text"),
    [(-3, "today"), (0, "today"), (1, "tomorrow"), (14, "in 14 days"), (15, "16 Mar"), (310, "5 Jan 2027")],
)
def test_days(days: int, text: str) -> None:
    assert day_text(NOW + timedelta(days=days), NOW) == text


@pytest.mark.parametrize("level", [1, 3])
def test_hint(level: int) -> None:
    assert is_golden(hint_text(CATALOG["softmax"], level, 100), f"hint_{level}")


def test_every_outcome_has_a_word() -> None:
    assert set(WORDS) == set(Outcome)


def test_nothing_is_taken_for_markup() -> None:
    assert "[bold]x[/bold]" in verdict_text(FAILED, CATALOG, 100).plain


def test_commands_stay_on_one_line() -> None:
    for verdict in VERDICTS.values():
        lines = verdict_text(verdict, CATALOG, 30).plain.splitlines()
        assert [
            line for line in lines if line.endswith(("make", "make check", "make hint", "make reset"))
        ] == []
