"""The kit's assertions: their messages, and what they let pass."""

from collections import namedtuple
from contextlib import nullcontext

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
both_rounds = pytest.mark.parametrize("around", [nullcontext, second_round], ids=["first", "second"])
Tables = namedtuple("Tables", ["cos", "sin"])


@pytest.mark.parametrize(
    "came, expected, text",
    [
        (ONES, torch.ones(3), "shape (2, 3) came, (3,) is expected"),
        (ONES.float(), ONES, "dtype float32 came, float64 is expected"),
        ([1.0], ONES, "a list came, a Tensor is expected"),
        (None, ONES, "None came, a Tensor is expected"),
        (np.ones(3), ONES, "a NumPy array came, a Tensor is expected"),
        (ONES, np.ones((2, 3)), "a Tensor came, a NumPy array is expected"),
        (np.float64(1), 1.0, None),
        (1, 1.0, None),
        (True, 1.0, "a bool came, a float is expected"),
        (np.int64(3), 3, "a NumPy int64 came, 3 is expected"),
        (2, 3, "2 came, 3 is expected"),
        (True, 1, "True came, 1 is expected"),
        ("a", "b", "'a' came, 'b' is expected"),
        (ONES, (ONES, ONES), "a Tensor came, a tuple of 2 is expected"),
        ((ONES, ONES + 1), (ONES, ONES),
         "item 1: largest difference 1 at [0, 0]: yours 2, expected 1; all 6 values differ"),
        ((ONES, 2 * ONES), Tables(ONES, ONES),
         "sin: largest difference 1 at [0, 0]: yours 2, expected 1; all 6 values differ"),
        (ONES, Tables(ONES, ONES), "a Tensor came, a tuple of 2 is expected"),
        ((ONES,), (ONES, ONES), "1 items came, 2 are expected"),
        ({"a": 1}, {"b": 1}, "the keys ['a'] came, ['b'] are expected"),
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


def test_values_and_what(answer):
    assert_close(answer.double(ONES), 2 * ONES)
    assert failure(assert_close, answer.double(ONES), ONES, what="twice").startswith(
        "twice: largest difference 1"
    )
    assert_equal(answer.accepts(3), 3)
    assert failure(assert_equal, answer.accepts(3), 4) == "3 came, 4 is expected"
    assert failure(assert_at_most, 5_000, 4_000, "FLOPs") == "FLOPs: 5,000, at most 4,000 is allowed"
    said = failure(assert_at_most, 5_000, 4_000, "FLOPs", cause="So it is slow. Project once")
    assert said == "FLOPs: 5,000, at most 4,000 is allowed. So it is slow. Project once"


def test_raises(answer):
    assert_raises(answer.refuses, 3)
    assert_raises(answer.asserts, 3)
    assert failure(assert_raises, answer.breaks, 3) == "it raises KeyError, a ValueError is expected: 3"
    assert failure(assert_raises, answer.accepts, 3) == "it accepts (3), where a ValueError is expected"
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


def test_gradients(answer):
    assert_same_gradients(answer.double, lambda x: 2 * x, ONES)
    assert_same_gradients(answer.pair, lambda x, y: (x * y, x + y), ONES, 3 * ONES)
    assert "gradient" in failure(assert_same_gradients, answer.kept_on_the_class, lambda x: x * x, ONES)
    text = failure(assert_same_gradients, answer.detached, lambda x: 2 * x, ONES)
    assert text.startswith("no gradient reaches x; gradient of x: largest difference")
    scale = answer.Scale(3, 0.0)
    weights = scale.randomize(Rng("a name"))
    assert_same_gradients(scale, lambda w, x: x * w["weight"], ONES, weights=weights)
    text = failure(
        assert_same_gradients,
        scale,
        lambda w, x: x * w["weight"].detach() + w["weight"] * 0,
        ONES,
        weights=weights,
    )
    assert text.startswith("gradient of weight")


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


@both_rounds
def test_gradients_where_other_inputs_need_none(answer, around):
    with around():
        trained = answer.OnlyOfTrained(3, 0.0)
        weights = trained.randomize(Rng("a name"))
        text = failure(assert_same_gradients, trained, lambda w, x: x * w["weight"], ONES, weights=weights)
        assert text.startswith("where others need none, gradient of weight")
        text = failure(assert_same_gradients, answer.only_beside_another, lambda x, y: x * y, ONES, 3 * ONES)
        assert text.startswith("where others need none, gradient of ")


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


def test_parameters_and_buffers(answer):
    scale = answer.Scale(3)
    assert_parameters(scale, {"weight": (3,)})
    assert (
        failure(assert_parameters, scale, {"bias": (3,)})
        == "parameters: missing: bias; not asked for: weight"
    )
    assert "weight has shape (3,), (4,) is expected" in failure(assert_parameters, scale, {"weight": (4,)})
    assert list(scale.buffers()) == ["seen"]
    scale.load({"weight": 5 * torch.ones(3, dtype=torch.float64)})
    assert torch.equal(scale.eval()(ONES), 5 * ONES)
    assert not scale.attribute("training")
