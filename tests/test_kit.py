"""The checking kit: what each assertion accepts, and what it says of what it does not."""

import numpy as np
import pytest
import torch
from torch import Tensor

from grader.judge.client import Program
from grader.judge.inprocess import InProcess
from grader.kit import (
    Submission,
    assert_at_most,
    assert_close,
    assert_distribution,
    assert_dropout_in_training_only,
    assert_equal,
    assert_inputs_unchanged,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
)
from grader.kit.comparison import difference
from grader.kit.generators import Rng
from grader.kit.outcomes import CheckFailed, NotWritten, Raised

TEXT = """
import torch
from torch import nn

def double(x): return 2 * x
def detached(x): return 2 * x.detach()
def pair(x, y): return x * y, x + y
def in_place(x, mask): mask.logical_not_(); return x
def refuses(n): raise ValueError(f"{n} is odd")
def asserts(n): assert n % 2 == 0
def breaks(n): raise KeyError(n)
def accepts(n): return n
def unwritten(n): raise NotImplementedError
def calls(function, n): return [function(i) for i in range(n)]

class Scale(nn.Module):
    def __init__(self, size, p=0.5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.register_buffer("seen", torch.zeros(()))
        self.p = p

    def forward(self, x):
        return nn.functional.dropout(x * self.weight, self.p, self.training)

class Box:
    def __init__(self): self.values = __import__("numpy").zeros(3); self.alias = self.values
"""


@pytest.fixture(scope="module")
def answer() -> Submission:
    return Submission(InProcess(Program(TEXT, "answer.py", "answer")))


def failure(check, *args, **kwargs) -> str:
    with pytest.raises(CheckFailed) as caught:
        check(*args, **kwargs)
    return str(caught.value)


ONES = torch.ones(2, 3, dtype=torch.float64)


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
        ((ONES,), (ONES, ONES), "1 items came, 2 are expected"),
        ({"a": 1}, {"b": 1}, "the keys ['a'] came, ['b'] are expected"),
        (ONES * float("nan"), ONES, "6 of 6 values are NaN; all 6 values differ"),
        (ONES * float("inf"), ONES, "6 of 6 values are inf; all 6 values differ"),
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


def test_raises(answer):
    assert_raises(answer.refuses, 3)
    assert_raises(answer.asserts, 3)
    assert failure(assert_raises, answer.breaks, 3) == "it raises KeyError, a ValueError is expected: 3"
    assert failure(assert_raises, answer.accepts, 3) == "it accepts (3), where a ValueError is expected"
    with pytest.raises(NotWritten):
        assert_raises(answer.unwritten, 3)


def test_gradients(answer):
    assert_same_gradients(answer.double, lambda x: 2 * x, ONES)
    assert_same_gradients(answer.pair, lambda x, y: (x * y, x + y), ONES, 3 * ONES)
    text = failure(assert_same_gradients, answer.detached, lambda x: 2 * x, ONES)
    assert text.startswith("gradient of x: largest difference")
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
        "it writes to its argument mask: work on a copy"
    )
    assert "argument mask" in failure(assert_inputs_unchanged, answer.in_place, ONES, mask=mask)


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


def test_dropout(answer):
    assert_dropout_in_training_only(answer.Scale(3), torch.ones(50, 3))
    text = failure(assert_dropout_in_training_only, answer.Scale(3, 0.0), torch.ones(50, 3))
    assert "dropout does nothing" in text


def test_distribution():
    probabilities = torch.tensor([0.5, 0.3, 0.2, 0.0])
    fair = torch.multinomial(
        probabilities, 20_000, replacement=True, generator=torch.Generator().manual_seed(1)
    )
    assert_distribution(fair, probabilities)
    assert "is drawn in" in failure(assert_distribution, fair, torch.tensor([0.45, 0.35, 0.2, 0.0]))
    assert "cannot be drawn" in failure(assert_distribution, torch.tensor([3, 0, 1]), probabilities)


def test_measuring(answer):
    measured = answer.measure(matmul_twice, torch.ones(2, 3), torch.ones(3, 5))
    assert measured.matmul_flops == 2 * (2 * 2 * 3 * 5)
    assert measured.largest_tensor == 10
    assert [operation.shapes for operation in measured.operations if operation.matmul_flops] == [
        ((2, 5),)
    ] * 2
    assert measured.calls.count("matmul") == 2


def matmul_twice(answer, a: "Tensor", b: "Tensor"):
    return a @ b + torch.matmul(a, b)


def test_callbacks_run_here(answer):
    seen = []

    def square(i):
        seen.append(i)
        return i * i

    assert answer.calls(square, 3) == [0, 1, 4]
    assert seen == [0, 1, 2]


def test_objects(answer):
    box = answer.Box()
    box.assign(values=np.array([1.0, 2.0, 3.0]))
    assert np.array_equal(box.attribute("alias"), [1.0, 2.0, 3.0])
    with pytest.raises(Raised, match="values should be an array of shape"):
        box.assign(values=np.ones(2))


def test_draws_depend_on_the_name_alone():
    assert torch.equal(Rng("a").normal(3), Rng("a").normal(3))
    assert not torch.equal(Rng("a").normal(3), Rng("b").normal(3))
    mask = Rng("a").mask(50, 7)
    assert bool(mask.any(-1).all()) and not bool(mask.all(-1).any())
