"""Checks of `group_norm`: parameters, groups, values, gradients, eps, accuracy, the same in evaluation."""

from functools import partial

import pytest
import torch
from torch.nn import functional

from grader.kit import (
    assert_accepts,
    assert_close,
    assert_equal,
    assert_inputs_unchanged,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
)
from grader.kit.families.coarse import assert_digits_of_float64
from grader.kit.families.norms.large_means import assert_gradient_of_large_mean
from grader.kit.families.norms.zero_weights import with_zeros
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_moves
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("normalization")

SHAPES = [(3, 6), (2, 6, 5), (2, 6, 3, 5), (2, 6, 2, 3, 5), (2, 6, 2, 1, 3, 1, 2), (1, 6, 1, 1)]
shapes = pytest.mark.parametrize("shape", SHAPES)


def workload(submission, rng):
    layer = submission.GroupNorm(4, 16)
    layer.randomize(rng, torch.float32)
    return layer.measure(rng.normal(8, 16, 16, 16, dtype=torch.float32))


LADDER = [(1, 2, (1, 2)), (1, 2, (2, 2)), (2, 4, (1, 4)), (2, 4, (1, 4, 2))]


def smallest(submission, rng, num_groups, num_channels, shape):
    """small whole numbers give what the built-in gives"""
    layer = made(submission, num_groups, num_channels)
    weights, x = fill(rng, layer), whole(rng, *shape, most=5)
    assert_close(layer(x), built_in(num_groups)(weights, x))


def made(submission, *sizes, **options):
    """A layer; where it is refused, the words of the refusal do not count."""
    return assert_accepts(submission.GroupNorm, *sizes, **options)


def built_in(num_groups, eps=1e-5):
    """F.group_norm as a function of weights and x."""
    return lambda weights, x: functional.group_norm(x, num_groups, weights["weight"], weights["bias"], eps)


def assert_equals_built_in(submission, rng, shape, num_groups, alone=True):
    layer = made(submission, num_groups, shape[1])
    weights, x = layer.randomize(rng), rng.normal(*shape, scale=2.0) + 0.5
    assert_same_gradients(layer, built_in(num_groups), x, weights=weights, alone=alone)


def test_parameters(submission):
    """its parameters are weight and bias, one for each channel"""
    assert_parameters(made(submission, 2, 6), {"weight": (6,), "bias": (6,)})


def test_initial_values(submission):
    """the weight starts at ones, the bias at zeros"""
    assert_equal(made(submission, 2, 6).parameters(), {"weight": torch.ones(6), "bias": torch.zeros(6)})


@shapes
def test_equals_the_built_in(submission, rng, shape):
    """it equals F.group_norm for inputs of any number of dimensions, and so do its gradients"""
    assert_equals_built_in(submission, rng, shape, 2)


@pytest.mark.parametrize("num_groups, num_channels", [(1, 6), (6, 6), (3, 12), (1, 1), (2, 4)])
def test_numbers_of_groups(submission, rng, num_groups, num_channels):
    """one group, a group for each channel, and what is between are right, and so are their gradients"""
    assert_equals_built_in(submission, rng, (2, num_channels, 3, 4), num_groups)
    if is_second_round():
        num_groups, size = rng.option(2, 2, 40), rng.option(2, 1, 8)
        assert_equals_built_in(submission, rng, (2, num_groups * size, 3), num_groups, alone=False)


@pytest.mark.parametrize("shape", [(4, 4), (4, 4, 4), (4, 4, 4, 4)])
def test_channels_are_dimension_one(submission, rng, shape):
    """the channels are dimension 1, also where other dimensions have the same size"""
    assert_equals_built_in(submission, rng, shape, 2, alone=False)


@pytest.mark.parametrize("num_groups, num_channels", [(4, 6), (5, 6), (12, 6), (2, 5)])
def test_groups_that_do_not_divide(submission, num_groups, num_channels):
    """a number of groups that does not divide the channels raises ValueError"""
    assert_raises(submission.GroupNorm, num_groups, num_channels)


def test_groups_that_divide(submission, rng):
    """all numbers of groups that divide the channels are accepted, and right to the digits of float64"""
    for num_groups in (1, 2, 3, 4, 6, 12):
        layer = made(submission, num_groups, 12)
        weights, x = layer.randomize(rng), rng.normal(2, 12, 5)
        assert_digits_of_float64(layer(x), built_in(num_groups)(weights, x))


@pytest.mark.parametrize("eps", [0.5, 1e-3])
def test_eps_is_added_to_the_variance(submission, rng, eps):
    """eps is added to the variance, inside the root"""
    eps = rng.option(eps, 1e-12, 10.0)  # it counts beside variances that are no larger
    dtype, scale = (torch.float32, eps**0.5) if is_second_round() else (torch.float64, 1.0)
    layer = made(submission, 2, 6, eps=eps)
    weights, x = layer.randomize(rng, dtype), rng.normal(3, 6, 5, dtype=dtype, scale=scale)
    assert_same_gradients(layer, built_in(2, eps), x, weights=weights)


def test_default_eps(submission, rng):
    """eps is 1e-5 if nothing is said, which counts beside small inputs"""
    layer = made(submission, 2, 6)
    weights, x = layer.randomize(rng), rng.normal(3, 6, 5, scale=3e-3)
    assert_close(layer(x), built_in(2)(weights, x))


def test_groups_of_equal_values(submission, rng):
    """groups of equal values give the bias, and finite gradients"""
    layer = made(submission, 2, 4)
    weights = layer.randomize(rng)
    x = torch.arange(6.0, dtype=torch.float64).view(3, 2, 1, 1).expand(3, 2, 2, 5).reshape(3, 4, 5)
    # What the mean is off by rounding is multiplied by 1 / sqrt(eps) here.
    assert_same_gradients(layer, built_in(2), x, weights=weights, absolute=1e-4)


@pytest.mark.parametrize("mean", [1024.0, -1024.0])
def test_large_mean_in_float32(submission, rng, mean):
    """float32 inputs with a mean of 1e3 and a spread of 1 are normalized accurately"""
    layer, noise = made(submission, 2, 4), rng.integers(-1, 2, 3, 2, 8)
    # Sums of such whole numbers and of their squares are exact, however they are taken, and with this last
    # one the square of the mean is as far from a float32 as can be: E[x²] - E[x]² is off by 1/16.
    noise[..., -1] = -noise[..., :-1].sum(-1) % 4 - 2
    whole_numbers = noise.view(3, 4, 4).float() + mean
    assert_close(layer(whole_numbers), built_in_from_float64(whole_numbers), absolute=1e-2)
    layer, x = made(submission, 2, 6), rng.normal(3, 6, 31, dtype=torch.float32) + mean
    assert_close(layer(x), built_in_from_float64(x), absolute=1e-2)
    assert_gradient_of_large_mean(rng, layer, partial(functional.group_norm, num_groups=2), x)
    if is_second_round():  # each group of each sample has a mean of its own
        means = mean * (1.0 - 2.0 * torch.tensor([[0, 1], [1, 0], [0, 0]])).repeat_interleave(3, dim=1)
        x = rng.normal(3, 6, 31, dtype=torch.float32) + means.unsqueeze(-1)
        assert_close(layer(x), built_in_from_float64(x), absolute=1e-2)


def built_in_from_float64(x):
    """What two groups of x are at first."""
    return functional.group_norm(x.double(), 2).float()


def test_large_mean_in_float64(submission, rng):
    """float64 is computed in float64: a mean of 1e3 costs no digits that float32 would lose"""
    layer = made(submission, 2, 4)
    # float32 keeps the quarters, sums and means of them are exact there, and loses what is added to them: so
    # whatever is computed in it has the same digits, however it is spelled.
    x = 1e3 + rng.integers(-8, 9, 3, 4, 32) / 4 + rng.uniform(3, 4, 32, low=0.0, high=2.9e-5)
    weights = layer.randomize(rng)
    assert_close(layer(x), built_in(2)(weights, x), tolerance=1e-6)
    layer = made(submission, 2, 6)
    weights, x = layer.randomize(rng), rng.normal(3, 6, 31) + 1e3
    assert_close(layer(x), built_in(2)(weights, x), tolerance=1e-6)


def test_float32_is_kept(submission, rng):
    """float32 is kept, in value and gradients"""
    layer = made(submission, 3, 6)
    weights = layer.randomize(rng, torch.float32)
    assert_same_gradients(
        layer, built_in(3), rng.normal(2, 6, 5, dtype=torch.float32), weights=weights, alone=False
    )


def test_weights_of_zero(submission, rng):
    """gradients are right where weights are 0, that of these weights too"""
    layer = made(submission, 2, 6)
    weights = with_zeros(layer, layer.randomize(rng))
    assert_same_gradients(layer, built_in(2), rng.normal(3, 6, 5), weights=weights, alone=False)


def test_weights_of_one(submission, rng):
    """a weight of ones and a bias of zeros, as they are at first, get the true gradients like others"""
    layer = made(submission, 2, 6)
    x, weights = rng.normal(3, 6, 5, dtype=torch.float32), layer.parameters()
    assert_same_gradients(layer, built_in(2), x, weights=weights, alone=False)


def test_backward_changes_nothing(submission, rng):
    """a backward pass writes neither to the gradient that it gets nor to what a second pass needs"""
    layer = made(submission, 2, 6)
    weights = layer.randomize(rng)
    assert_backward_leaves_all(layer, built_in(2), rng.normal(3, 6, 5), weights=weights)


def test_other_layouts(submission, rng):
    """an x that is not contiguous is right"""
    layer = made(submission, 2, 6)
    weights = layer.randomize(rng)
    for x in (rng.normal(2, 3, 5, 6).movedim(-1, 1), rng.normal(6, 3).T, rng.normal(2, 6, 5, 3).mT):
        assert_close(layer(x), built_in(2)(weights, x))


def test_the_same_in_training_and_evaluation(submission, rng):
    """evaluation gives the same as training, whatever batches came before, and each sample is by itself"""
    layer = made(submission, 2, 6).eval()
    weights, x = layer.randomize(rng), rng.normal(3, 6, 5)
    assert_close(layer(x), built_in(2)(weights, x), what="evaluation before any training")
    layer.train()(rng.normal(3, 6, 5, scale=3.0) + 2.0)
    assert_close(layer.eval()(x), built_in(2)(weights, x))
    assert_close(layer(x[:1]), built_in(2)(weights, x[:1]), what="batch of one")


def test_instances_keep_apart(submission, rng):
    """two layers with other groups and eps, used by turns, give what each alone gives"""
    eps, other = rng.option(0.5, 1e-5, 10.0), rng.option(1e-3, 1e-5, 1.0)
    first, second = made(submission, 2, 6, eps=eps), made(submission, 3, 6, eps=other)
    of_first, of_second = ([(rng.normal(3, 6, 5),) for _ in range(4)] for _ in range(2))
    assert_by_turns(
        with_weights(rng, first.train(), partial(call, 2, eps), of_first),
        with_weights(rng, second.eval(), partial(call, 3, other), of_second),
        beside=(made, submission, 4, 20),
    )


def call(num_groups, eps, weights, x):
    return built_in(num_groups, eps)(weights, x)


def test_zeros_are_numbers_like_others(submission, rng):
    """zeros, samples of zeros and channels of zeros count like any other values"""
    layer, x = made(submission, 2, 6), whole(rng, 3, 6, 5)
    weights, x[0], x[1, 2] = layer.randomize(rng), 0.0, 0.0
    assert_close(layer(x), built_in(2)(weights, x))


def test_device(submission, rng):
    """nothing is made on the default device where the module has been moved to another one"""
    made_with = (3, 6, 0.5) if is_second_round() else (2, 6)
    assert_moves(submission, "GroupNorm", rng.normal(2, 6, 5, dtype=torch.float32), made_with=made_with)


def test_input_is_not_modified(submission, rng):
    """x is not modified"""
    options = {"eps": 0.5} if is_second_round() else {}
    assert_inputs_unchanged(made(submission, 2, 6, **options), rng.normal(2, 6, 5, dtype=torch.float32))
    assert_inputs_unchanged(made(submission, 1, 6), rng.normal(3, 6, dtype=torch.float32))
