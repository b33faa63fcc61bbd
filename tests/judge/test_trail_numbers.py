"""Which numbers are found again, and how it is told."""

import json
from dataclasses import replace

import numpy as np
import pytest

from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.notes import NotNotes, read_notes
from grader.judge.trail.noted.numbers import (
    factor_between,
    holds,
    in_another_order,
    same_but_repeated,
    same_numbers,
)
from grader.judge.trail.text.known_names import is_known
from grader.judge.verdict import Found, Outcome, Trail, Verdict
from grader.show.verdicts.trail import factor_text, trail_text
from grader.worker.tracing.notes import Notes


def note(values, kind="float64") -> Note:
    array = np.asarray(values, dtype=np.float64)
    return Note(0, 1, array.shape, kind, array.reshape(-1), (), False)


ROWS = np.arange(12.0).reshape(3, 4) ** 1.5 + 0.1


def test_layouts_hold_the_same_numbers():
    assert same_numbers(note(ROWS), note(ROWS.T))
    assert same_numbers(note(ROWS), note(ROWS * (1 + 1e-9)))
    assert not same_numbers(note(ROWS), note(ROWS * (1 + 1e-5)))
    assert same_numbers(note(ROWS, "float32"), note(ROWS * (1 + 1e-6)))
    assert not same_numbers(note(ROWS), note(ROWS[:2]))


def test_a_very_low_number_hides_as_infinity_does():
    hidden = np.where(ROWS > 20, -np.inf, ROWS)
    assert same_numbers(note(hidden), note(np.where(ROWS > 20, -1e9, ROWS)))
    assert not same_numbers(note(hidden), note(np.where(ROWS > 20, 0.0, ROWS)))


def test_repeats_and_parts():
    assert same_but_repeated(note(ROWS), note(np.repeat(ROWS, 3, axis=0)))
    assert not same_but_repeated(note(ROWS), note(np.concatenate([ROWS, ROWS[:1], ROWS[:2]])))
    assert holds(note(ROWS), note(ROWS[1]))
    assert not holds(note(ROWS), note(ROWS[1] + 1e-3))


def test_the_order_counts_where_the_shapes_are_equal():
    square = ROWS[:, :3]
    assert in_another_order(note(square), note(square.reshape(-1)[[1, 0, *range(2, 9)]].reshape(3, 3)))
    assert not in_another_order(note(square), note(square.T))
    assert not in_another_order(note(ROWS), note(ROWS.T))


@pytest.mark.parametrize("factor", [2.5, -1.0, 7**-0.5])
def test_a_factor_is_found(factor):
    assert factor_between(note(ROWS), note(ROWS.T * factor)) == pytest.approx(factor)
    assert factor_between(note(ROWS), note(ROWS * factor + 0.01)) is None


@pytest.mark.parametrize("values", [np.ones(8), np.tril(np.ones((4, 4))), np.arange(9.0), [0.3, 0.7, 0.3]])
def test_masks_and_positions_are_no_evidence(values):
    assert not note(values).is_evidence


def test_numbers_are_evidence():
    assert note(ROWS).is_evidence
    assert not replace(note(ROWS), values=None).is_evidence


# Text


@pytest.mark.parametrize(
    ("factor", "text"),
    [(7**0.5, "2.646 = sqrt(7)"), (1 / 7, "0.1429 = 1/7"), (2.0, "2"), (-1.0, "-1"), (1.37, "1.37")],
)
def test_a_factor_is_a_simple_expression_where_it_is_one(factor, text):
    assert factor_text(factor) == text


def test_text():
    found = (Found("query", 20), Found("key", 21), Found("scores", 24))
    assert trail_text(Trail(found, "weights", 25)) == (
        "Right up to line 24: `query`, `key` and `scores` are there. "
        "`weights` never appears: look at line 25."
    )
    assert trail_text(Trail(found, "scores", 25)).endswith(
        "The next `scores` never appears: look at line 25."
    )
    assert trail_text(Trail((*found[:2], Found("scores", 24, 3.0)), "weights", 25)) == (
        "Right up to line 21: `query` and `key` are there. Line 24 has 3 times `scores`. "
        "`weights` never appears: look at line 25."
    )
    assert trail_text(Trail(found[:1], "turn: even", 25, in_another_order=True)) == (
        "Right up to line 20: `query` is there. "
        "`even` in turn has its numbers in another order: look at line 25."
    )


def test_what_comes_after_the_line_to_look_at_is_there_and_nothing_is_right_up_to_it():
    found = (Found("mean", 10), Found("centered", 12))
    assert trail_text(Trail(found, "variance", 11, onward=True)) == (
        "`mean` and `centered` are there. `variance` never appears: look at line 11 and those after it."
    )
    assert trail_text(Trail(found, "variance", 12)).startswith("Right up into line 12: ")


@pytest.mark.parametrize(
    ("name", "is_known_to_its_author"),
    [
        ("scores", True),
        ("result", True),
        ("self.running_mean", True),
        ("update()[0]", True),
        ("update: key", True),
        ("self._own", True),
        ("update: self._keys[0]", False),
        ("_turn: first", False),
        ("_turn()", False),
    ],
)
def test_names_that_only_the_solution_has_say_nothing(name, is_known_to_its_author):
    source = "class Cache:\n    def update(self, key):\n        self._own = key\n"
    assert is_known(name, source) == is_known_to_its_author


# What comes from a worker


def test_verdicts_without_a_trail_are_read():
    verdict = Verdict("mha", "mha.py", Outcome.FAILED, trail=Trail((Found("query", 3),), "key", 4))
    assert Verdict.from_json(verdict.to_json()) == verdict
    data = json.loads(verdict.to_json())
    assert data["trail"] == {
        "found": [{"name": "query", "line": 3, "factor": None}],
        "missing": "key",
        "line": 4,
        "onward": False,
        "in_another_order": False,
    }
    del data["trail"]
    assert Verdict.from_json(json.dumps(data)).trail is None


def report() -> dict:
    notes = Notes()
    first = notes.add(ROWS.reshape(-1), (3, 4), "float64", 3)
    notes.add(ROWS[0], (4,), "float64", 4, [first])
    notes.name("rows", first, 3)
    notes.scalar("scale", 0.5, 2)
    notes.mark()
    return notes.report()


def test_notes_are_read():
    notes = read_notes(report())
    assert [made.line for made in notes.notes] == [3, 4]
    assert notes.notes[1].parents == (0,)
    assert np.array_equal(notes.notes[1].values, ROWS[0])
    assert notes.names[0].name == "rows" and notes.marks[0].notes == 2


@pytest.mark.parametrize(
    "change",
    [
        {"sizes": [12, 400]},
        {"sizes": [12, -7]},
        {"lines": [3]},
        {"lines": [3, "4"]},
        {"lines": [3, 10**9]},
        {"parents": [[], [1]]},
        {"parents": [[0], []]},
        {"names": [["rows", 2, 3]]},
        {"names": [["r\x1b[2J", 0, 3]]},
        {"names": [["rows", 0, 3]] * 5000},
        {"marks": [[9, 1, True]]},
        {"shapes": [[3, 4], [[4]]]},
        {"scalars": [["scale", float("nan"), 2]]},
        {"values": np.zeros(16, dtype=np.float32)},
        {"values": "x"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_notes_that_do_not_fit_are_refused(change):
    with pytest.raises(NotNotes):
        read_notes({**report(), **change})


def test_notes_are_bounded():
    notes = Notes()
    while notes.complete:
        notes.add(np.zeros(20_000), (20_000,), "float64", 1)
    assert sum(len(values) for values in notes.values if values is not None) <= 1_000_000
