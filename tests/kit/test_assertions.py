"""The kit's assertions: their messages, and what they let pass."""

import math
from collections import namedtuple
from contextlib import nullcontext
from functools import partial

import numpy as np
import pytest
import torch
from kit.answers import INF, failure

from grader.kit import (
    assert_accepts,
    assert_at_most,
    assert_close,
    assert_equal,
    assert_inputs_unchanged,
    assert_numbers,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
)
from grader.kit.comparison import difference
from grader.kit.generators import Rng
from grader.kit.outcomes import NotWritten, Raised
from grader.kit.recording import recording
from grader.kit.rounds import second_round

ONES = torch.ones(2, 3, dtype=torch.float64)
both_rounds = pytest.mark.parametrize(
    "around", [nullcontext, partial(second_round, seed=7)], ids=["first", "second"]
)
Tables = namedtuple("Tables", ["cos", "sin"])


@pytest.mark.parametrize(
    "came, expected, text",
    [
        (ONES, torch.ones(3), "got shape (2, 3), expected (3,)"),
        (ONES.float(), ONES, "got dtype float32, expected float64"),
        ([1.0], ONES, "got a list, expected a Tensor"),
        (None, ONES, "got None, expected a Tensor"),
        (np.ones(3), ONES, "got a NumPy array, expected a Tensor"),
        (ONES, np.ones((2, 3)), "got a Tensor, expected a NumPy array"),
        (np.float64(1), 1.0, None),
        (1, 1.0, None),
        (True, 1.0, "got a bool, expected a float"),
        (np.int64(3), 3, "got a NumPy int64, expected 3"),
        (2, 3, "got 2, expected 3"),
        (True, 1, "got True, expected 1"),
        ("a", "b", "got 'a', expected 'b'"),
        (ONES, (ONES, ONES), "got a Tensor, expected a tuple of 2"),
        ((ONES, ONES + 1), (ONES, ONES),
         "item 1: largest difference 1 at [0, 0]: yours 2, expected 1; all 6 values differ"),
        ((ONES, 2 * ONES), Tables(ONES, ONES),
         "sin: largest difference 1 at [0, 0]: yours 2, expected 1; all 6 values differ"),
        (ONES, Tables(ONES, ONES), "got a Tensor, expected a tuple of 2"),
        ((ONES,), (ONES, ONES), "got 1 items, expected 2"),
        ({"a": 1}, {"b": 1}, "got the keys ['a'], expected ['b']"),
        (ONES * float("nan"), ONES, "6 of 6 values are NaN; all 6 values differ"),
        (ONES * float("inf"), ONES, "6 of 6 values are inf; all 6 values differ"),
        (torch.tensor([INF, -INF, -INF, -INF]), torch.tensor([1.0, -INF, INF, 2.0]),
         "1 of 4 values are inf and 2 of 4 values are -inf; 3 of 4 values differ"),
        (1.5, 1.0, "yours 1.5, expected 1"),
        (torch.tensor([[INF]]), torch.ones(1, 1), "yours inf, expected 1"),
        (torch.tensor(2), torch.tensor(3), "yours 2, expected 3"),
        (torch.tensor([1, 2]), torch.tensor([1, 3]), "at [1] yours is 2, expected 3; 1 of 2 values differ"),
        (ONES * (1 + 1e-5), ONES,
         "largest difference 1e-05 at [0, 0]: yours 1.00001, expected 1; all 6 values differ"),
        (ONES * (1 + 1e-7), ONES, None),
    ],
)  # fmt: skip
def test_difference(came, expected, text):
    assert difference(came, expected) == text


def test_tolerances():
    assert difference(ONES + 1e-5, ONES, tolerance=1e-4) is None
    assert difference(ONES + 1e-3, ONES, absolute=1e-2) is None
    assert difference(ONES + 1e-12, ONES, tolerance=0.0) is not None
    assert difference(ONES * 0 + 1e-9, ONES * 0) is None
    infinite = torch.tensor([float("inf"), -float("inf"), 0.0])
    assert difference(infinite, infinite) is None
    assert difference(-infinite, infinite) is not None


@pytest.mark.parametrize(
    "came, expected, is_same",
    [
        ([1, "a", None], (1, "a", None), True),
        ([1, True], [1, 1], False),
        ([1, 1.0], [1, 1], False),
        ([1, 2], [1, 2, 3], False),
        ([[1, 2], (3,)], [(1, 2), [3]], True),
        ([[1, 2], [4]], [[1, 2], [3]], False),
        (1 + 1e-7, 1.0, True),
        (1 + 1e-5, 1.0, False),
        (1, 1.0, True),
        (1e-9, 0.0, True),
        (1e-7, 0.0, False),
        (math.inf, math.inf, True),
        (-math.inf, math.inf, False),
        (math.nan, math.nan, True),
        (math.nan, 1.0, False),
        (1.0, math.nan, False),
        (1e-9, math.inf, False),
    ],
)
def test_plain_values(came, expected, is_same):
    assert (difference(came, expected) is None) is is_same


@pytest.mark.parametrize("yours", [0.0, -1.5, 2.0, 1e-3, math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("wanted", [0.0, -1.5, 2.0, 1e-3, math.inf, -math.inf, math.nan])
def test_numbers_are_as_near_as_tensors(yours, wanted):
    for off in (0.0, 1e-9, 1e-6, 1e-3):
        tensors = (torch.tensor(each, dtype=torch.float64) for each in (yours + off, wanted))
        assert difference(yours + off, wanted) == difference(*tensors)
        assert difference(yours + off, wanted, tolerance=1e-3) == difference(
            torch.tensor(yours + off, dtype=torch.float64),
            torch.tensor(wanted, dtype=torch.float64),
            tolerance=1e-3,
        )


def test_values_and_what(answer):
    assert_close(answer.double(ONES), 2 * ONES)
    assert failure(assert_close, answer.double(ONES), ONES, what="twice").startswith(
        "twice: largest difference 1"
    )
    assert_equal(answer.accepts(3), 3)
    assert failure(assert_equal, answer.accepts(3), 4) == "got 3, expected 4"
    assert failure(assert_at_most, 5_000, 4_000, "FLOPs") == "FLOPs: 5,000, at most 4,000 is allowed"
    said = failure(assert_at_most, 5_000, 4_000, "FLOPs", cause="So it is slow. Project once")
    assert said == "FLOPs: 5,000, at most 4,000 is allowed. So it is slow. Project once"
    with recording() as made:
        assert_at_most(1_000, 4_000, "FLOPs")
        assert_at_most(3_000, 4_000, "FLOPs")
        failure(assert_at_most, 5_000, 4_000, "FLOPs")
    assert [one.came for one in made] == [4_000, 4_000, 5_000]


def test_raises(answer):
    assert_raises(answer.refuses, 3)
    assert_raises(answer.asserts, 3)
    assert failure(assert_raises, answer.breaks, 3) == "it raises KeyError instead of ValueError: 3"
    assert failure(assert_raises, answer.accepts, 3) == "it accepts (3) instead of raising ValueError"
    with pytest.raises(NotWritten):
        assert_raises(answer.unwritten, 3)


def test_accepts(answer):
    assert assert_accepts(answer.accepts, 3) == 3
    for refusal, words in ((answer.refuses, "ValueError: 3 is odd"), (answer.asserts, "AssertionError")):
        with recording() as made:
            text = failure(assert_accepts, refusal, 3)
        assert text == f"it refuses (3), which is allowed: {words}"
        assert [(one.came, one.expected) for one in made] == [("refused", "accepted")]
    with pytest.raises(NotWritten):
        assert_accepts(answer.unwritten, 3)
    with pytest.raises(Raised):
        assert_accepts(answer.breaks, 3)


def test_numbers():
    expected = {"smallest": 0.0, "largest": 2.0}
    assert_numbers({"smallest": 0.0, "largest": 2.0 + 1e-7}, expected)
    with recording() as made:
        text = failure(assert_numbers, {"smallest": 0.0, "largest": 1}, expected)
    assert text == "largest: yours 1, expected 2"
    assert [row.tolist() for row in (made[0].came, made[0].expected)] == [[0.0, 1.0], [0.0, 2.0]]


def test_inputs_unchanged(answer):
    mask = torch.tensor([True, False])
    assert_inputs_unchanged(answer.double, ONES)
    assert failure(assert_inputs_unchanged, answer.in_place, ONES, mask) == (
        "it writes to its argument mask: whoever called it goes on with other numbers than they had. Usual "
        "causes are an operation in place on the argument or on a view of it: x -= …, x[…] = …, a method "
        "that ends in an underscore (masked_fill_), out=. Make a new tensor, x = x - …, or take a copy "
        "first"
    )
    assert "argument mask" in failure(assert_inputs_unchanged, answer.in_place, ONES, mask=mask)


@both_rounds
def test_inputs_unchanged_without_gradients_too(answer, around):
    with around():
        text = failure(assert_inputs_unchanged, answer.in_place_without_gradients, ONES)
        assert text.startswith("it writes to its argument")
        assert_inputs_unchanged(answer.by_autograd, ONES)  # which raises there


def test_what_a_call_gave_stays(answer):
    assert_close(answer.kept(ONES), 2 * ONES)
    assert failure(answer.kept, 3 * ONES).startswith("it writes to what an earlier call gave: ")
    assert_close(answer.kept(torch.ones(5)), 2 * torch.ones(5))  # of another shape: nothing is overwritten
    rows = answer.Rows()
    for number in (1, 2):  # its state may be what it gives
        assert_close(rows.add(torch.ones(3)), number * torch.ones(3))
    scale = answer.Scale(3, 0.0)
    for _ in range(2):  # weights that are loaded in between change nothing that was given
        scale.randomize(Rng("a name"))
        scale(ONES.float().double())


@pytest.mark.parametrize(
    "name, words",
    [
        ("switches_gradients", "it changes whether gradients are computed after it"),
        ("seeds", "it sets torch's seed, for the whole program"),
    ],
)
def test_a_call_leaves_the_program_as_it_was(answer, name, words):
    function = getattr(answer, name)
    for _ in range(2):  # one of them without gradients
        with recording() as made:
            assert failure(function, ONES).startswith(words)
        assert [one.expected for one in made] == [[]]
    assert failure(assert_same_gradients, function, lambda x: 2 * x, ONES).startswith(words)
    assert_close(answer.seeds_for_itself(ONES), 2 * ONES)


def test_parameters_and_buffers(answer):
    scale = answer.Scale(3)
    assert_parameters(scale, {"weight": (3,)})
    assert (
        failure(assert_parameters, scale, {"bias": (3,)})
        == "parameters: missing: bias; not asked for: weight"
    )
    assert "weight has shape (3,), expected (4,)" in failure(assert_parameters, scale, {"weight": (4,)})
    assert list(scale.buffers()) == ["seen"]
    scale.load({"weight": 5 * torch.ones(3, dtype=torch.float64)})
    assert torch.equal(scale.eval()(ONES), 5 * ONES)
    assert not scale.attribute("training")
