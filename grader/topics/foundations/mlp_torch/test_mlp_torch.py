"""Checks of `mlp_torch`: parameters, values, gradients, leading dimensions."""

import pytest
import torch
from torch import nn
from torch.func import functional_call

from grader.kit import assert_close, assert_inputs_unchanged, assert_parameters, assert_same_gradients
from grader.kit.families.feedforward import assert_close_far_from_zero
from grader.kit.families.leading_dimensions import of_many_dimensions
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole


def workload(submission, rng):
    network = submission.MLP(64, 128, 32)
    network.randomize(rng, torch.float32)
    return network.measure(rng.normal(8, 16, 64, dtype=torch.float32))


def shapes(n, hidden, m):
    """The parameters' shapes by name."""
    return {"fc1.weight": (hidden, n), "fc1.bias": (hidden,), "fc2.weight": (m, hidden), "fc2.bias": (m,)}


def draw(rng, mlp, sizes, dtype=torch.float64):
    """Random weights, which the network gets."""
    weights = {name: rng.normal(*shape, dtype=dtype, scale=0.5) for name, shape in shapes(*sizes).items()}
    mlp.load(weights)
    return weights


def built_in(weights, x):
    """nn.Sequential with these weights."""
    own = {name.replace("fc1", "0").replace("fc2", "2"): value for name, value in weights.items()}
    outer, inner = weights["fc2.weight"].shape
    layers = nn.Sequential(nn.Linear(x.shape[-1], inner), nn.ReLU(), nn.Linear(inner, outer))
    return functional_call(layers, own, x)


LADDER = [(1, 1, 1), (2, 2, 1), (2, 3, 2)]


def smallest(submission, rng, inputs, hidden, outputs):
    """small whole numbers give what the built-in layers give"""
    mlp = submission.MLP(inputs, hidden, outputs)
    weights, x = fill(rng, mlp), whole(rng, 2, inputs)
    assert_close(mlp(x), built_in(weights, x))


@pytest.mark.parametrize("sizes", [(5, 7, 3), (3, 13, 11), (1, 2, 1)])
def test_parameters(submission, sizes):
    """its parameters are weight and bias of fc1 (input to hidden) and of fc2 (hidden to output)"""
    assert_parameters(submission.MLP(*sizes), shapes(*sizes))


@pytest.mark.parametrize("sizes", [(5, 7, 3), (3, 13, 11), (5, 5, 5), (1, 2, 1)])
def test_equals_the_built_in(submission, rng, sizes):
    """it equals nn.Sequential(nn.Linear, nn.ReLU, nn.Linear), and so do its gradients"""
    mlp = submission.MLP(*sizes)
    weights = draw(rng, mlp, sizes)
    assert_same_gradients(mlp, built_in, rng.normal(11, sizes[0]), weights=weights)


def test_many_vectors_and_features(submission, rng):
    """131 vectors, 137 features and 149 hidden units, no multiples of usual blocks, are right to the last"""
    sizes = (137, 149, 139)
    mlp = submission.MLP(*sizes)
    weights = draw(rng, mlp, sizes)
    assert_same_gradients(mlp, built_in, rng.normal(131, 137), weights=weights, alone=False)


@pytest.mark.seconds(20)
def test_thousands_of_vectors(submission, rng):
    """thousands of vectors are right, and give the parameters their gradients, also where x needs none"""
    mlp = submission.MLP(3, 5, 2)
    weights, x, upstream = draw(rng, mlp, (3, 5, 2)), rng.normal(4099, 3), rng.normal(4099, 2)
    leaves = {name: value.clone().requires_grad_() for name, value in weights.items()}
    expected = built_in(leaves, x)
    wanted = torch.autograd.grad(expected, list(leaves.values()), upstream)
    came = mlp.gradients([upstream], x, trained=())  # once: who goes through them in a loop takes a while
    assert_close(came.value, expected.detach())
    assert_close([came.parameters.get(name) for name in leaves], list(wanted), what="gradients of parameters")


def test_backward_changes_nothing(submission, rng):
    """a backward pass writes neither to the gradient that it gets nor to what a second pass needs"""
    mlp = submission.MLP(5, 7, 3)
    weights = draw(rng, mlp, (5, 7, 3))
    assert_backward_leaves_all(mlp, built_in, rng.normal(11, 5), weights=weights)


def test_leading_dimensions(submission, rng):
    """any leading dimensions stay as they are, also of size 1, or none"""
    mlp = submission.MLP(5, 7, 1)
    weights = draw(rng, mlp, (5, 7, 1))
    for shape in [(2, 3, 5), (1, 1, 5), of_many_dimensions(rng, (2, 1, 3, 5)), (5,), (13, 5)]:
        x = rng.normal(*shape)
        assert_close(mlp(x), built_in(weights, x))


def test_other_layouts(submission, rng):
    """an x that is not contiguous is right"""
    mlp = submission.MLP(5, 7, 3)
    weights, x = draw(rng, mlp, (5, 7, 3)), rng.normal(5, 2, 11).transpose(0, 2)
    assert_close(mlp(x), built_in(weights, x))


def test_large_values(submission, rng):
    """ReLU passes positive values on as they are, however large"""
    mlp = submission.MLP(5, 7, 3)
    weights, x = draw(rng, mlp, (5, 7, 3)), rng.normal(11, 5, scale=1e3)
    assert_close_far_from_zero(mlp(x), built_in(weights, x))


def test_float32_is_kept(submission, rng):
    """float32 is kept, and the gradients are right and float32"""
    mlp = submission.MLP(5, 7, 3)
    weights, x = draw(rng, mlp, (5, 7, 3), torch.float32), rng.normal(2, 3, 5, dtype=torch.float32)
    assert_same_gradients(mlp, built_in, x, weights=weights)


def test_the_same_in_training_and_evaluation(submission, rng):
    """training and evaluation give the same"""
    mlp = submission.MLP(5, 7, 3)
    weights, x = draw(rng, mlp, (5, 7, 3)), rng.normal(11, 5)
    assert_close(mlp.train()(x), built_in(weights, x), what="training")
    assert_close(mlp.eval()(x), built_in(weights, x), what="evaluation")


def test_calls_are_independent(submission, rng):
    """a call uses the weights as they are then, and nothing of the calls and the networks before"""
    mlp, other = submission.MLP(5, 7, 3), submission.MLP(5, 7, 3)
    draw(rng, mlp, (5, 7, 3))
    mlp(rng.normal(2, 5))
    weights, others = draw(rng, mlp, (5, 7, 3)), draw(rng, other, (5, 7, 3))
    x = rng.normal(11, 5)
    assert_close(mlp(x), built_in(weights, x))
    assert_close(other(x), built_in(others, x), what="another network")


def test_instances_keep_apart(submission, rng):
    """two networks of other sizes, used by turns, give what each alone gives"""
    first, second = submission.MLP(5, 7, 3), submission.MLP(11, 13, 2)
    of_first, of_second = ([(rng.normal(2, size),) for _ in range(4)] for size in (5, 11))
    assert_by_turns(
        with_weights(rng, first.train(), built_in, of_first),
        with_weights(rng, second.eval(), built_in, of_second),
    )


def test_zeros_are_numbers_like_others(submission, rng):
    """vectors of zeros, and zeros in others, count like any other values"""
    network, x = submission.MLP(7, 11, 3), whole(rng, 2, 5, 7)
    weights, x[0, 3] = network.randomize(rng), 0.0
    assert_close(network(x), built_in(weights, x))
    assert_close(network(torch.zeros_like(x)), built_in(weights, torch.zeros_like(x)))


def test_input_is_not_modified(submission, rng):
    """x is not modified"""
    assert_inputs_unchanged(submission.MLP(5, 7, 3), rng.normal(2, 3, 5, dtype=torch.float32))
