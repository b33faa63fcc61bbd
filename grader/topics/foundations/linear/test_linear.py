"""Checks of `linear`: values, both backward passes, how a layer starts, devices."""

import math

import pytest
import torch
from torch.nn import functional

from grader.kit import (
    assert_arguments_unchanged,
    assert_close,
    assert_equal,
    assert_parameters,
    assert_same_gradients,
)
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device, assert_moves
from grader.kit.rules.draws import assert_drawn, uniform
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("linear", "autograd")

leading = pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 1, 3), (1, 1)])


def workload(submission, rng):
    layer = submission.Linear(64, 128)
    layer.randomize(rng, torch.float32)
    return layer.measure(rng.normal(16, 32, 64, dtype=torch.float32))


LADDER = [(1, 1, 2), (2, 2, 1), (2, 2, 3)]


def smallest(submission, rng, rows, in_features, out_features):
    """small whole numbers give what the built-in gives, forwards and backwards"""
    layer = submission.Linear(in_features, out_features)
    weights, x = fill(rng, layer), whole(rng, rows, in_features, most=5)
    upstream = whole(rng, rows, out_features, most=5)
    assert_close(layer(x), built_in(weights, x))
    came = submission.linear_backward(upstream, x, weights["weight"])
    assert_close(came, by_autograd(upstream, x, weights["weight"]))


def built_in(weights, x):
    return functional.linear(x, weights["weight"], weights.get("bias"))


def by_autograd(upstream, x, weight):
    """The gradients of x, weight and bias as autograd of the built-in gives them."""
    leaves = [each.detach().clone().requires_grad_() for each in (x, weight, weight[:, 0])]
    scalar = (functional.linear(*leaves) * upstream).sum()
    return torch.autograd.grad(scalar, leaves)


@leading
@pytest.mark.parametrize("bias", [True, False])
def test_equals_the_built_in(submission, rng, shape, bias):
    """linear equals F.linear for any leading dimensions, with and without bias, and so do its gradients"""
    shape = (1, 2, 1, 2, 1, *shape) if is_second_round() else shape
    given = [rng.normal(*shape, 5), rng.normal(7, 5), rng.normal(7)][: 3 if bias else 2]
    assert_same_gradients(submission.linear, functional.linear, *given, alone=False)


@pytest.mark.parametrize("in_features, out_features", [(5, 5), (1, 3), (5, 1), (1, 1)])
def test_other_sizes(submission, rng, in_features, out_features):
    """square weights, and those with a single row or column, are right, forwards and backwards"""
    x, weight = rng.normal(2, 5, in_features), rng.normal(out_features, in_features)
    bias, upstream = rng.normal(out_features), rng.normal(2, 5, out_features)
    assert_close(submission.linear(x, weight, bias), functional.linear(x, weight, bias))
    assert_close(submission.linear_backward(upstream, x, weight), by_autograd(upstream, x, weight))


@leading
def test_backward_equals_autograd(submission, rng, shape):
    """linear_backward gives the gradients of x, weight and bias, summed over all leading dimensions"""
    shape = (1, 2, 1, 2, 1, *shape) if is_second_round() else shape
    given = rng.normal(*shape, 7), rng.normal(*shape, 5), rng.normal(7, 5)
    assert_close(submission.linear_backward(*given), by_autograd(*given))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_dtype_is_kept(submission, rng, dtype):
    """float32 and float64 are kept, forwards and backwards"""
    x, weight, bias = (rng.normal(*shape, dtype=dtype) for shape in ((2, 3, 5), (7, 5), (7,)))
    upstream = rng.normal(2, 3, 7, dtype=dtype)
    assert_same_gradients(submission.linear, functional.linear, x, weight, bias)
    assert_close(submission.linear_backward(upstream, x, weight), by_autograd(upstream, x, weight))


def test_other_layouts(submission, rng):
    """arguments that are not contiguous are right, forwards and backwards"""
    x, weight, bias = rng.normal(5, 3, 2).permute(2, 1, 0), rng.normal(5, 7).T, rng.normal(7, 2)[:, 0]
    upstream = rng.normal(3, 2, 7).transpose(0, 1)
    assert_close(submission.linear(x, weight, bias), functional.linear(x, weight, bias))
    assert_close(submission.linear_backward(upstream, x, weight), by_autograd(upstream, x, weight))


def test_zeros_are_numbers_like_others(submission, rng):
    """zeros, a bias of zeros among them, count like any other values, and get their gradients"""
    x, weight, upstream = whole(rng, 3, 5), whole(rng, 7, 5), whole(rng, 3, 7)
    x[1], weight[2], upstream[0] = 0.0, 0.0, 0.0
    zeros = torch.zeros(7, dtype=torch.float64)
    assert_same_gradients(submission.linear, functional.linear, x, weight, zeros)
    assert_close(submission.linear_backward(upstream, x, weight), by_autograd(upstream, x, weight))


@pytest.mark.parametrize("name", ["x", "weight", "bias"])
def test_gradient_of_one_alone(submission, rng, name):
    """each argument gets its gradient where the others need none"""
    frozen = {"x": rng.normal(2, 3, 5), "weight": rng.normal(7, 5), "bias": rng.normal(7)}
    alone = {name: frozen.pop(name)}
    oracle = lambda **given: functional.linear(given["x"], given["weight"], given["bias"])  # noqa: E731
    assert_same_gradients(submission.linear, oracle, constants=frozen, **alone)


@pytest.mark.parametrize("bias", [True, False])
def test_parameters(submission, bias):
    """a layer's parameters are weight (out_features, in_features) and, unless bias=False, bias"""
    expected = {"weight": (7, 5)} | ({"bias": (7,)} if bias else {})
    layer = submission.Linear(5, 7, bias=bias)
    assert_parameters(layer, expected)
    dtypes = {name: str(value.dtype) for name, value in layer.parameters().items()}
    assert_equal(dtypes, dict.fromkeys(expected, "torch.float32"))


def made(answer, times):
    """The parameters of so many layers, a wide one and one with a long bias."""
    layers = [(answer.Linear(211, 131), answer.Linear(7, 4096)) for _ in range(times)]
    return [(wide.weight.detach(), tall.weight.detach(), tall.bias.detach()) for wide, tall in layers]


def test_start_of_the_weight(submission):
    """the weight is drawn uniformly between ±1/sqrt(in_features), anew for each layer"""
    (wide, tall, _), (again, *_) = submission.run(made, 2)
    assert_drawn(wide, uniform(1 / math.sqrt(211)), again=again, what="weight of Linear(211, 131)")
    assert_drawn(tall, uniform(1 / math.sqrt(7)), what="weight of Linear(7, 4096)")


def test_start_of_the_bias(submission):
    """the bias is drawn uniformly between ±1/sqrt(in_features) too, anew for each layer"""
    (_, weight, bias), (*_, again) = submission.run(made, 2)
    bound, square = uniform(1 / math.sqrt(7)), (64, 64)
    assert_drawn(bias.reshape(square), bound, again=again.reshape(square), what="bias of Linear(7, 4096)")
    assert_drawn(bias.reshape(square), bound, again=weight[:, 0].reshape(square), what="bias")


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
@pytest.mark.parametrize("bias", [True, False])
def test_layer_equals_the_built_in(submission, rng, shape, bias):
    """a layer gives what F.linear does with its parameters, and the gradients of input and parameters"""
    layer, dtype = submission.Linear(5, 7, bias=bias), torch.float32 if len(shape) == 1 else torch.float64
    weights, x = layer.randomize(rng, dtype), rng.normal(*shape, 5, dtype=dtype)
    assert_same_gradients(layer, built_in, x, weights=weights)


def test_layers_keep_apart(submission, rng):
    """two layers of other sizes, with and without bias, used by turns, give what each alone gives"""
    first, second = submission.Linear(5, 7), submission.Linear(3, 2, bias=False)
    of_first, of_second = ([(rng.normal(3, size),) for _ in range(4)] for size in (5, 3))
    assert_by_turns(
        with_weights(rng, first.train(), built_in, of_first),
        with_weights(rng, second.eval(), built_in, of_second),
    )


def test_calls_of_backward_keep_apart(submission, rng):
    """linear_backward gives each call its own gradients, and adds nothing to those of the last one"""
    calls = [(rng.normal(3, 7), rng.normal(3, 5), rng.normal(7, 5)) for _ in range(2)]
    for given in (*calls, calls[0]):
        assert_close(submission.linear_backward(*given), by_autograd(*given))


def test_device(submission, rng):
    """nothing is made on the default device where the arguments are on another one"""
    x, weight, bias = (rng.normal(*shape, dtype=torch.float32) for shape in ((2, 3, 5), (7, 5), (7,)))
    assert_keeps_device(submission, "linear", x, weight, bias)
    assert_keeps_device(submission, "linear", x, weight)
    assert_keeps_device(submission, "linear_backward", rng.normal(2, 3, 7, dtype=torch.float32), x, weight)
    made_with = (5, 7, False) if is_second_round() else (5, 7)
    assert_keeps_device(submission, "Linear", x, made_with=made_with)
    assert_moves(submission, "Linear", x, made_with=made_with)


def test_arguments_are_not_modified(submission, rng):
    """no argument is modified, forwards or backwards"""
    x, weight, bias = rng.normal(2, 3, 5), rng.normal(7, 5), rng.normal(7)
    for given in (x, x[0, :1], x[0, 0]):  # a single row and a vector too
        assert_arguments_unchanged(submission.linear, given, weight, bias)
    assert_arguments_unchanged(submission.linear_backward, rng.normal(2, 3, 7), x, weight)
    assert_arguments_unchanged(submission.Linear(5, 7, not is_second_round()), x.float())
