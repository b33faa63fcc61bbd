"""Export, then import, over whatever a database may hold."""

import json
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from driving import progress_in
from hypothesis import given, settings
from hypothesis import strategies as st
from practice.transfer.records import (
    Rows,
    at,
    contents,
    exported,
    filled,
    hash_of,
    imported,
)

from grader.judge.verdict import Outcome
from grader.practice.record import clock
from grader.practice.schedule import Level, Rating
from grader.practice.transfer.format import ATTEMPT, HELP, REVIEW, SESSION, SETTING, SUSPENSION, UNDO

# Round trips, over whatever a database may hold


moments = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)).map(
    lambda moment: clock.written(moment.replace(tzinfo=clock.EARLIEST.tzinfo))
)
few_moments = st.sampled_from([at(0), at(1), at(2)]) | moments
words = st.sampled_from(["softmax", "gqa", "été", "softmax/0123456789ab"])
numbers = st.floats(0, 1e6)
counts = st.integers(0, 99)
details = st.dictionaries(st.text(max_size=5), st.none() | st.text(max_size=5) | numbers, max_size=3)
sessions = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["drill", "mock"]),
        "started": few_moments,
        "topics": st.lists(words, max_size=3).map(json.dumps),
        "budget": numbers,
        "elapsed": numbers,
        "status": st.sampled_from(["running", "passed", "dropped"]),
        "details": details.map(json.dumps),
    }
)
helps = st.fixed_dictionaries({"topic": words, "at": few_moments, "level": st.none() | st.integers(1, 3)})
reviews = st.fixed_dictionaries(
    {
        "card": words,
        "at": few_moments,
        "rating": st.sampled_from([int(rating) for rating in Rating]),
        "level": st.sampled_from([level.value for level in Level]),
        "next_level": st.sampled_from([level.value for level in Level]),
        "stability": st.floats(0.01, 1e4),
        "difficulty": st.floats(1, 10),
        "due": moments,
    }
)
choices = st.fixed_dictionaries({"name": words, "at": few_moments, "value": st.none() | words})
suspensions = st.fixed_dictionaries(
    {"topic": words, "at": few_moments, "is_suspended": st.sampled_from([0, 1])}
)
undos = st.fixed_dictionaries({"card": words, "at": few_moments, "undone": moments})


@st.composite
def projects(draw: Callable[[Any], Any]) -> tuple[Rows, list[bytes]]:
    sources, held = draw(contents), draw(st.lists(sessions, max_size=3))
    attempts = st.fixed_dictionaries(
        {
            "topic": words,
            "mode": st.sampled_from(["check", "drill", "saved"]),
            "started": few_moments,
            "seconds": st.none() | numbers,
            "outcome": st.none() | st.sampled_from([outcome.value for outcome in Outcome]),
            "passed": counts,
            "checks": counts,
            "mistake": st.none() | words,
            "hints": counts,
            "solution_seen": st.sampled_from([0, 1]),
            "source": st.sampled_from([None, *map(hash_of, sources)]),
            "session": st.sampled_from([None, *range(1, len(held) + 1)]),
        }
    )
    rows = {
        SESSION: held,
        ATTEMPT: draw(st.lists(attempts, max_size=5)),
        HELP: draw(st.lists(helps, max_size=4)),
        REVIEW: draw(st.lists(reviews, max_size=5)),
        UNDO: draw(st.lists(undos, max_size=2)),
        SETTING: draw(st.lists(choices, max_size=2)),
        SUSPENSION: draw(st.lists(suspensions, max_size=2)),
    }
    # Identical rows are possible too, if the clock stands still.
    for kind in draw(st.sets(st.sampled_from([ATTEMPT, HELP, REVIEW]))):
        rows[kind] += rows[kind][:1]
    return rows, sources


@settings(deadline=None, max_examples=60)
@given(projects())
def test_export_then_import_is_identity(project: tuple[Rows, list[bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        first = filled(root / "a", *project)
        second = progress_in(root / "b")
        lines = exported(first, root / "first")
        result = imported(second, root / "first")
        assert exported(second, root / "second") == lines
        assert not result.known and not result.renumbered
        assert result.new == {kind: len(rows) for kind, rows in project[0].items() if rows}
        for target in (first, second):
            again = imported(target, root / "first")
            assert not again.new and again.known == result.new and not again.renumbered
            assert exported(target, root / "again") == lines


@settings(deadline=None, max_examples=30)
@given(projects(), projects())
def test_merging_keeps_everything_once_and_each_side_in_its_order(
    one: tuple[Rows, list[bytes]], other: tuple[Rows, list[bytes]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        target, source = filled(root / "a", *one), filled(root / "b", *other)
        before, added = exported(target, root / "before"), exported(source, root / "added")
        imported(target, root / "added")
        merged = exported(target, root / "merged")
        assert is_part(without_numbers(before, REVIEW), without_numbers(merged, REVIEW))
        assert is_part(without_numbers(before, ATTEMPT), without_numbers(merged, ATTEMPT))
        for line in without_numbers(added, ATTEMPT) + without_numbers(added, REVIEW):
            assert line in without_numbers(merged, ATTEMPT) + without_numbers(merged, REVIEW)
        assert not imported(target, root / "added").new
        assert exported(target, root / "again") == merged


def without_numbers(lines: list[str], kind: str) -> list[str]:
    """The records of a kind; of attempts without the number of their session: a merge gives another."""
    records = [json.loads(line)[kind] for line in lines if line.startswith(f'{{"{kind}": ')]
    return [json.dumps({**record, "session": None}) for record in records]


def is_part(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(line in rest for line in part)
