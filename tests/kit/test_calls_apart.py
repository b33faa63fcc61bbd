"""Calls that keep apart, and such as do not: buffers filled anew, results found again by an object."""

import numpy as np
import pytest
import torch
from kit.answers import failure

from grader.judge.workers.client import Program
from grader.judge.workers.inprocess import InProcess
from grader.kit import Submission, assert_arguments_unchanged, assert_inputs_unchanged
from grader.kit.rounds import second_round

TEXT = """
import numpy as np
import torch
from torch import nn

LAST = {}

def buffered_without_gradients(x):
    if torch.is_grad_enabled(): return 2 * x
    return torch.mul(x, 2, out=LAST.setdefault(x.shape, torch.empty_like(x)))
def found_by_the_object(x):
    if LAST.get("x") is not x: LAST.update(x=x, sum=x.cumsum(0))
    return LAST["sum"]
def found_by_its_address(x):
    return LAST.setdefault(x.data_ptr(), x.cumsum(0))
def mask_found_by_the_object(x, mask=None):
    if LAST.get("mask") is not mask: LAST.update(mask=mask, places=~mask)
    return x.masked_fill(LAST["places"], 0.0)
def numpy_found_by_the_object(x):
    if LAST.get("x") is not x: LAST.update(x=x, sum=x.cumsum())
    return LAST["sum"]
def items_found_by_the_object(xs):
    if LAST.get("x") is not xs[0]: LAST.update(x=xs[0], sum=xs[0].cumsum(0))
    return [LAST["sum"], xs[1]]

class BufferedInEvaluation(nn.Module):
    def forward(self, x):
        if self.training or torch.is_grad_enabled(): return 2 * x
        self.out = torch.empty_like(x) if getattr(self, "out", None) is None else self.out
        return torch.mul(x, 2, out=self.out)

def itself(x): return x
def view(x): return x.flatten()
def part_of_an_array(x): return x[1:]
def drawn(x): return x + torch.rand_like(x)
def drawn_by_its_own(x): return x + torch.rand(x.shape, dtype=x.dtype, generator=GENERATOR)
GENERATOR = torch.Generator().manual_seed(0)
def kept_by_autograd(x):
    if LAST.get("x") is not x: LAST.update(x=x, gradient=by_autograd(x))
    return LAST["gradient"]
def by_autograd(x):
    leaf = x.detach().requires_grad_()
    return torch.autograd.grad((leaf * leaf).sum(), leaf)[0]
def no_number(x): return x / 0 * 0
def only_rising(x):
    if x[0] > x[-1]: raise ValueError("x should rise")
    return x * 2
def table(n, of={}): return of.setdefault(n, torch.arange(n))
def otherwise_without_gradients(x): return x if torch.is_grad_enabled() else 2 * x
def function(x): return lambda: x
class Yes(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None): return True
def of_a_subclass(x): return x.as_subclass(Yes)
class Dropping(nn.Module):
    def forward(self, x): return nn.functional.dropout(x, 0.5, self.training)
class Counting:
    def __init__(self): self.count = 0
    def add(self, x): self.count += 1; return x + self.count
    def change(self, x): x += 1; return x
"""
RISING = torch.arange(1.0, 6.0, dtype=torch.float64)


@pytest.fixture(params=[False, True], ids=["first", "second"])
def answer(request):
    submission = Submission(InProcess(Program(TEXT, "answer.py", "answer")))
    if not request.param:
        yield submission
        return
    with second_round(seed=7):
        yield submission


def test_a_result_in_a_buffer_is_overwritten(answer):
    for function in (answer.buffered_without_gradients, answer.BufferedInEvaluation()):
        text = failure(assert_inputs_unchanged, function, RISING)
        assert text.startswith("it writes to what an earlier call gave: ")


@pytest.mark.parametrize(
    "name, args",
    [
        ("found_by_the_object", (RISING,)),
        ("found_by_its_address", (RISING,)),
        ("kept_by_autograd", (RISING,)),
        ("mask_found_by_the_object", (RISING, RISING < 3)),
        ("numpy_found_by_the_object", (RISING.numpy(),)),
        ("items_found_by_the_object", ([RISING, RISING],)),
    ],
)
def test_what_is_found_by_an_object_is_stale(answer, name, args):
    text = failure(assert_inputs_unchanged, getattr(answer, name), *args)
    assert text.startswith("it goes by what an argument held in an earlier call: ")


def test_so_it_is_with_named_arguments(answer):
    text = failure(assert_inputs_unchanged, answer.mask_found_by_the_object, RISING, mask=RISING < 3)
    assert text.startswith("it goes by what an argument held in an earlier call: ")


@pytest.mark.parametrize(
    "name, args",
    [
        *((name, (RISING,)) for name in ("itself", "view", "drawn", "drawn_by_its_own", "by_autograd")),
        *((name, (RISING,)) for name in ("no_number", "only_rising", "function", "of_a_subclass")),
        ("part_of_an_array", (np.arange(5.0),)),
        ("itself", (RISING[:1].expand(5),)),
        ("itself", (torch.tensor(3.0),)),
        ("table", (5,)),
    ],
)
def test_what_keeps_apart_passes(answer, name, args):
    assert_inputs_unchanged(getattr(answer, name), *args)


def test_other_values_without_gradients_are_no_matter_of_what_is_kept(answer):
    """That is for the checks of values to say."""
    assert_inputs_unchanged(answer.otherwise_without_gradients, RISING)


def test_a_module_that_draws_passes_and_is_training_as_before(answer):
    dropping = answer.Dropping()
    assert_inputs_unchanged(dropping, RISING)
    assert dropping.attribute("training") is True


def test_what_changes_itself_is_asked_for_its_arguments_alone(answer):
    counting = answer.Counting()
    assert_arguments_unchanged(counting.add, RISING)
    assert failure(assert_arguments_unchanged, counting.change, RISING).startswith(
        "it writes to its argument"
    )
