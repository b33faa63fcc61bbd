"""The statistics as they are shown, and their command."""

import time
from datetime import timedelta
from pathlib import Path

import pytest
from driving import byheart, progress_in
from hypothesis import given
from hypothesis import strategies as st
from practice.plan.histories import CATALOG, NOW, attempt, days, of, review, session

from grader.judge.pace import paced
from grader.judge.verdict import Outcome
from grader.practice.plan.statistics import (
    Statistics,
    load_statistics,
    statistics,
)
from grader.practice.record import clock
from grader.practice.schedule import Rating
from grader.show.statistics.stats import statistics_text
from grader.show.terminal.bars import bar, columns, sparkline

FULL = statistics(
    CATALOG,
    [
        attempt(Outcome.FAILED, ago=timedelta(days=1), mistake="tiled"),
        attempt(ago=timedelta(days=1), mode="drill", seconds=300.0, session=1),
        attempt(ago=timedelta(), mode="drill", seconds=150.0, session=2),
    ],
    [review(ago=timedelta(days=1)), review(rating=Rating.AGAIN, due=timedelta(days=1))],
    [session(1, elapsed=300.0), session(2, elapsed=150.0)],
    NOW,
)


def shown(found: Statistics, width: int = 100) -> str:
    return statistics_text(found, CATALOG, width).plain


def test_every_number_is_told_in_words() -> None:
    text = shown(FULL)
    for words in (
        "Friday, 20 November 2026",
        "2 days in a row (longest: 2); practised on 2 days",
        "0 % (0 of 1) of all reviews after a topic's first; 0 % (0 of 1) in the last 30 days",
        "2 drills and 0 mock interviews: 7 min",
        "2 this week, 2 in 12 weeks",
        "topics: 0 today, 1 within 7 days; questions (make quiz): 0 today, 0 within 7 days",
        "3 = 1 wrong, 1 named, 1 forgotten\n           tiled\n",
        "last 2:30, best 2:30 of 8:00, 2 times",
    ):
        assert words in text


@pytest.mark.parametrize("width", [30, 50, 80, 100])
def test_lines_fit(width: int) -> None:
    for line in shown(FULL, width).splitlines():
        assert len(line) <= max(width, 68)
    assert max(map(len, shown(of(days(0)), width).splitlines())) <= max(width, 64)


def test_nothing_recorded_is_a_friendly_sentence() -> None:
    text = shown(of())
    assert text.startswith("Nothing is recorded yet.")
    assert text.endswith("make check topic=softmax")


def test_sections_without_anything_are_left_out() -> None:
    text = shown(of(days(0)))
    assert "Hardest" not in text and "Against the clock" not in text
    assert "it counts from a topic's second review on" in text


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=14), st.integers(1, 120))
def test_columns_show_every_number(values: list[int], width: int) -> None:
    labels = [f"d{number}" for number in range(len(values))]
    lines = columns(labels, values, width).plain.split("\n")
    assert [int(each) for line in lines[1::3] for each in line.split()] == values
    assert " ".join(lines[2::3]).split() == labels
    bars = " ".join(lines[::3]).split()
    assert len(bars) == sum(value > 0 for value in values)
    assert ("███" in bars) == (max(values) > 0)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 20))
def test_bars_are_never_too_long_and_only_nothing_is_empty(value: int, more: int, width: int) -> None:
    drawn = bar(value, value + more, width)
    assert len(drawn) <= width
    assert bool(drawn) == (value > 0)


def test_sparkline() -> None:
    assert sparkline([0.0, 7.0, 3.5]) == "▁█▅"
    assert sparkline([0.0]) == "▁"
    assert sparkline([]) == ""


# The command


def test_stats_reads_and_never_writes(project: Path) -> None:
    done = byheart(project, "stats")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Nothing is recorded yet.")
    assert not (project / ".practice").exists()
    progress_in(project).reviews.add("softmax", Rating.GOOD)
    done = byheart(project, "stats")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 day in a row" in done.stdout and "\x1b" not in done.stdout


def test_stats_of_progress_that_cannot_be_read_is_one_sentence(project: Path) -> None:
    (project / ".practice" / "progress.db").mkdir(parents=True)
    done = byheart(project, "stats")
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1


def test_many_attempts(tmp_path: Path) -> None:
    """A hundred thousand, in a time that is easily kept even on a machine that is busy."""
    progress = progress_in(tmp_path)
    topics = [topic.id for topic in CATALOG.topics]
    start = NOW - timedelta(days=1000)
    rows = [
        (
            topics[number % 33],
            clock.written(start + timedelta(minutes=14 * number)),
            "passed" if number % 3 else "failed",
        )
        for number in range(100_000)
    ]
    progress.database.write(
        lambda connection: connection.executemany(
            "INSERT INTO attempts "
            "(topic, started, outcome, mode, seconds, passed, checks, hints, solution_seen) "
            "VALUES (?, ?, ?, 'drill', 100.0, 1, 2, 0, 0)",
            rows,
        )
    )
    begun = time.process_time()
    found = load_statistics(CATALOG, progress, NOW)
    assert time.process_time() - begun < paced(3.0)
    assert (found.days, found.longest_streak) == (973, 973)
