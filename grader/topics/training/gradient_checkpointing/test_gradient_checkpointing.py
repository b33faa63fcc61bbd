"""Checks of `checkpoint`: gradients as without it, runs counted, what is kept, and random numbers."""

import re
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from grader.kit import assert_at_most, assert_close, assert_fits, assert_true
from grader.kit.families.runs.recomputed_runs import (
    assert_second_run_counts,
    through_a_chain,
    through_a_list_and_a_dict,
    through_an_unused_input,
    through_inputs_without_floats,
    through_many_layers,
    through_numbers_of_other_kinds,
    through_one_input_twice,
    through_outputs_with_a_common_part,
    through_several,
)
from grader.kit.outcomes import CheckFailed, Raised
from grader.kit.rounds import is_second_round

pytestmark = pytest.mark.forbid("checkpointing")

x_is_trained_or_not = pytest.mark.parametrize("x_is_trained", [True, False])

DIRECTLY = SimpleNamespace(checkpoint=lambda function, *inputs: function(*inputs))
"""The oracle's place of an answer: the function is just called."""


def workload(submission, rng):
    return submission.measure(through_a_product, rng.normal(64, 32), rng.normal(32, 32))


def through_a_product(answer, x, weight):
    """The gradient of one input."""
    x.requires_grad_()
    answer.checkpoint(lambda x: torch.tanh(x @ weight), x).sum().backward()
    return x.grad


def through_a_layer(answer, x, weight, bias, upstream, x_is_trained=True):
    """A layer of tanh and exp, whose weights it knows by itself: what came, and the counts."""
    calls, kept = [], []
    for leaf in (weight, bias):
        leaf.requires_grad_()
    x.requires_grad_(x_is_trained)

    def layer(x):
        calls.append(x)
        return torch.tanh(x @ weight + bias).exp()

    def note(tensor):
        kept.append(tensor.numel() if tensor.is_floating_point() else 0)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        y = answer.checkpoint(layer, x)
    in_forward = len(calls)
    (y * upstream).sum().backward()
    leaves = {"x": x, "weight": weight, "bias": bias}
    zeros = {name: torch.zeros_like(leaf) for name, leaf in leaves.items()}
    gradients = {
        f"gradient of {name}": zeros[name] if leaf.grad is None else leaf.grad
        for name, leaf in leaves.items()
    }
    counts = {"runs in forward": in_forward, "runs in all": len(calls), "numbers kept": sum(kept)}
    return {"value": y.detach(), **gradients}, counts


def layer_inputs(rng, dtype=torch.float64):
    return [rng.normal(*shape, dtype=dtype) for shape in ((5, 3), (3, 7), (7,), (5, 7))]


REFUSED = re.compile(r"a gradient different than None|number of gradients \(expected (\d+), got (\d+)\)")


def ran(submission, scenario, *inputs, **options):
    """What the scenario gives. Where autograd refuses what a backward returns, it tells the name of their
    Function and the place among its inputs, which are each answer's own: what it refuses is the evidence.
    """
    try:
        return submission.run(scenario, *inputs, **options)
    except Raised as raised:
        refused = REFUSED.search(raised.message)
        if refused is None:
            raise
        expected, came = refused.groups()
        seen = "in a wrong place" if came is None else "few" if int(came) < int(expected) else "many"
        message = f"autograd refuses what your backward returns: {raised.message}"
        assert_true(False, message, seen=seen)
        raise CheckFailed(message) from None


def assert_as_directly(submission, scenario, *inputs, **options):
    """The scenario gives the same with the answer as without."""
    copies = [value.clone() if isinstance(value, Tensor) else value for value in inputs]
    with torch.random.fork_rng(devices=[]):
        wanted = scenario(DIRECTLY, *copies, **options)
    assert_close(ran(submission, scenario, *inputs, **options), wanted)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_gradients(submission, rng, dtype):
    """the value and the gradients of the input and of the weights inside are those of calling it directly"""
    inputs = layer_inputs(rng, dtype)
    came, _ = ran(submission, through_a_layer, *inputs)
    assert_close(came, through_a_layer(DIRECTLY, *(value.clone() for value in inputs))[0])


def test_gradients_of_parameters_alone(submission, rng):
    """where no input requires gradients, the weights inside get theirs all the same"""
    inputs = layer_inputs(rng)
    came, _ = ran(submission, through_a_layer, *inputs, x_is_trained=False)
    wanted, _ = through_a_layer(DIRECTLY, *(value.clone() for value in inputs), x_is_trained=False)
    assert_close(came, wanted)
    if is_second_round():
        assert_as_directly(submission, through_inputs_without_floats, rng.normal(5, 3), rng.integers(0, 5, 4))


@x_is_trained_or_not
def test_runs_are_counted(submission, rng, x_is_trained):
    """the function runs once in forward and once more in backward"""
    _, counts = ran(submission, through_a_layer, *layer_inputs(rng), x_is_trained=x_is_trained)
    for name, wanted in {"runs in forward": 1, "runs in all": 2}.items():
        came = counts[name]
        # Too often or too seldom is the evidence: one more run for each saved tensor is the same mistake.
        seen = "right" if came == wanted else "too often" if came > wanted else "too seldom"
        assert_true(came == wanted, f"{name}: got {came}, expected {wanted}", seen=seen)
    assert_second_run_counts(submission, rng)


@x_is_trained_or_not
def test_only_inputs_are_kept(submission, rng, x_is_trained):
    """hooks around the forward call see no more saved for backward than the inputs"""
    _, counts = ran(submission, through_a_layer, *layer_inputs(rng), x_is_trained=x_is_trained)
    assert_at_most(counts["numbers kept"], 15, "numbers saved for backward, of an input of 15")
    small = rng.uniform(2**10, low=0.1, high=0.9, dtype=torch.float32)
    assert_fits(
        submission,
        through_many_layers,
        small,
        expected=lambda: through_many_layers(DIRECTLY, small.clone(), times=1) * 96,
        memory=36 * 2**20,
    )


def through_a_choice(answer, x, indices, y, scale, kind, nothing, x_is_trained):
    """Inputs of many kinds, trained and not; gradients of those that are, and what is left of the others."""
    x.requires_grad_(x_is_trained)
    y.requires_grad_(not x_is_trained)

    def choose(x, indices, scale, y, kind, nothing):
        assert nothing is None and kind == "rows", (nothing, kind)
        return (x[indices] * y).sin() * scale

    out = answer.checkpoint(choose, x, indices, scale, y, kind, nothing)
    (out * out).sum().backward()
    trained, other = (x, y) if x_is_trained else (y, x)
    left = {"requires_grad": other.requires_grad, "has a gradient": other.grad is not None}
    return trained.grad, left


@x_is_trained_or_not
def test_inputs_of_all_kinds(submission, rng, x_is_trained):
    """inputs may be whole numbers, texts, None, and tensors that require no gradients: these stay so"""
    inputs = rng.normal(5, 3), torch.tensor([4, 0, 0, 2]), rng.normal(4, 3), 1.5, "rows", None, x_is_trained
    assert_as_directly(submission, through_a_choice, *inputs)
    if is_second_round():
        assert_as_directly(submission, through_an_unused_input, rng.normal(5, 3), rng.normal(4))


def test_lists_and_dicts_are_handed_on(submission, rng):
    """a list or a dict among the inputs reaches the function as it is: what it writes there stands there"""
    x = rng.normal(5, 3)
    is_same, *came = ran(submission, through_a_list_and_a_dict, x)
    assert_close(came, [x.sin() * 3, x.cos() * 3])
    assert_true(is_same, "the function gets copies of a list and of a dict that are inputs", seen=is_same)


def test_inputs_of_other_dtypes(submission, rng):
    """inputs that require gradients may be complex, or of half precision"""
    assert_as_directly(submission, through_numbers_of_other_kinds, rng.normal(5, 3), rng.normal(5, 3))


def through_two_outputs(answer, x, upstream, used):
    """A function that gives a tuple, of which some are used."""
    x.requires_grad_()
    outputs = answer.checkpoint(lambda x: (x.sin(), (x * x).sum(0)), x)
    assert isinstance(outputs, tuple), f"the function gives a tuple, a {type(outputs).__name__} came"
    sum((outputs[i] * upstream[i]).sum() for i in used).backward()
    return [value.detach() for value in outputs], x.grad


@pytest.mark.parametrize("used", [(0, 1), (0,), (1,)])
def test_tuples(submission, rng, used):
    """the function may give a tuple, and not all of it need be used"""
    upstream = [rng.normal(5, 3), rng.normal(3)]
    assert_as_directly(submission, through_two_outputs, rng.normal(5, 3), upstream, used)


def through_a_tuple_of_one(answer, x):
    """Whether a function that gives a tuple of one tensor still gives one, and the gradient."""
    x.requires_grad_()
    outputs = answer.checkpoint(lambda x: (x.sin(),), x)
    is_tuple = isinstance(outputs, tuple)
    (outputs[0] if is_tuple else outputs).sum().backward()
    return is_tuple, x.grad


def test_tuples_of_one(submission, rng):
    """where the function gives a tuple of one tensor, a tuple of one comes, and no bare tensor"""
    x = rng.normal(5, 3)
    is_tuple, gradient = ran(submission, through_a_tuple_of_one, x)
    assert_true(is_tuple, "the function gives a tuple of one tensor, a bare tensor came", seen=is_tuple)
    assert_close(gradient, x.cos())


def test_outputs_with_a_common_part(submission, rng):
    """outputs may come from one value on the way: backward goes through it once, in one run for all"""
    x, upstream, runs = rng.normal(5, 3), [rng.normal(5, 3), rng.normal(3), rng.normal(5, 3)], []
    came = ran(submission, through_outputs_with_a_common_part, x, upstream, lambda: runs.append(None))
    assert_close(came, through_outputs_with_a_common_part(DIRECTLY, x.clone(), upstream, lambda: None))
    seen = "right" if len(runs) == 2 else "too often" if len(runs) > 2 else "too seldom"
    message = f"runs of a function with three outputs: got {len(runs)}, expected 2"
    assert_true(seen == "right", message, seen=seen)


def through_dropout(answer, x, seed):
    """Dropout inside, with other draws before, between the forward and the backward pass, and after it."""
    torch.default_generator.manual_seed(seed)
    torch.rand(5)
    x.requires_grad_()
    y = answer.checkpoint(lambda x: F.dropout(x.sin(), 0.5), x)
    between = torch.rand(3)
    (y * y).sum().backward()
    return {"value": y.detach(), "gradient": x.grad}, {"between": between, "afterwards": torch.rand(3)}


def test_dropout(submission, rng):
    """dropout inside drops the same in both runs: that of the value"""
    x, seed = rng.normal(11, 3), int(rng.integers(0, 1000, 1))
    with torch.random.fork_rng(devices=[]):
        wanted = through_dropout(DIRECTLY, x.clone(), seed)[0]
    assert_close(ran(submission, through_dropout, x, seed)[0], wanted)


def test_generator(submission, rng):
    """the second run leaves the random generator where it found it"""
    x, seed = rng.normal(11, 3), int(rng.integers(0, 1000, 1))
    with torch.random.fork_rng(devices=[]):
        wanted = through_dropout(DIRECTLY, x.clone(), seed)[1]
    assert_close(ran(submission, through_dropout, x, seed)[1], wanted)


def test_several_before_backward(submission, rng):
    """several checkpoints of one function keep apart until backward comes, beside one without backward too"""
    assert_as_directly(submission, through_several, rng.normal(11, 3), int(rng.integers(0, 1000, 1)))


def test_chains(submission, rng):
    """checkpoints stand behind one another in a larger computation, with a module that is used twice"""
    assert_as_directly(submission, through_a_chain, rng.normal(3, 5), rng.normal(3, 3))


def test_one_input_twice(submission, rng):
    """one tensor may be two of the inputs"""
    assert_as_directly(submission, through_one_input_twice, rng.normal(5, 3))


def without_gradients(answer, x):
    calls = []

    def function(x):
        calls.append(x)
        return x.sin()

    with torch.no_grad():
        y = answer.checkpoint(function, x)
    return y, y.requires_grad, len(calls)


def test_without_gradients(submission, rng):
    """under torch.no_grad() it gives the value, and runs the function once"""
    assert_as_directly(submission, without_gradients, rng.normal(5))
