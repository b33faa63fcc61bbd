"""Checks of `layer_norm`: parameters, values, gradients, eps, accuracy, training and evaluation alike."""

from functools import partial

import pytest
import torch
from torch.nn import functional

from grader.kit import (
    assert_close,
    assert_inputs_unchanged,
    assert_parameters,
    assert_same_gradients,
)
from grader.kit.families.coarse import assert_digits_of_float64
from grader.kit.families.norms.apart import assert_begins_anew
from grader.kit.families.norms.large_means import assert_gradient_of_large_mean
from grader.kit.families.norms.zero_weights import with_zeros
from grader.kit.rounds import is_second_round
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("normalization")


def built_in(weights, x, eps=1e-5):
    weight = weights["weight"]
    return functional.layer_norm(x, weight.shape, weight, weights["bias"], eps)


def workload(submission, rng):
    layer = submission.LayerNorm(128)
    layer.randomize(rng, torch.float32)
    return layer.measure(rng.normal(8, 64, 128, dtype=torch.float32))


LADDER = [(1, 2), (1, 3), (2, 3), (3, 4)]


def smallest(submission, rng, rows, hidden_size):
    """small whole numbers give what the built-in gives"""
    norm = submission.LayerNorm(hidden_size)
    weights, x = fill(rng, norm), whole(rng, rows, hidden_size, most=5)
    assert_close(norm(x), built_in(weights, x))


def test_parameters(submission):
    """its parameters are weight and bias, (hidden_size,) each"""
    assert_parameters(submission.LayerNorm(7), {"weight": (7,), "bias": (7,)})


def test_initial_values(submission):
    """the weight starts at ones, the bias at zeros, of each layer anew"""
    assert_begins_anew(submission, "LayerNorm", {"weight": 1.0, "bias": 0.0})


@pytest.mark.parametrize("shape", [(2, 3, 7), (5, 11), (1, 1, 13), (3, 2, 1, 5), (7,)])
def test_equals_the_built_in(submission, rng, shape):
    """it equals F.layer_norm over the last dimension, and so do its gradients"""
    layer = submission.LayerNorm(shape[-1])
    weights = layer.randomize(rng)
    x = rng.normal(*shape, scale=2.0) + 0.5
    assert_same_gradients(layer, built_in, x, weights=weights)


@pytest.mark.parametrize("shape", [(2, 149), (131, 3)])
def test_many_features_and_many_rows(submission, rng, shape):
    """149 features, or 131 rows, more than usual blocks take and no multiple of them, are right"""
    layer = submission.LayerNorm(shape[-1])
    weights, x = layer.randomize(rng), rng.normal(*shape, scale=2.0) + 0.5
    x[:, -7:] *= 3.0
    assert_same_gradients(layer, built_in, x, weights=weights, alone=False)
    if is_second_round():
        layer = submission.LayerNorm(features := rng.option(300, 260, 700))
        weights, x = layer.randomize(rng), rng.normal(2, features) + 0.5
        x[:, -7:] *= 3.0
        assert_close(layer(x), built_in(weights, x))


def test_one_layer_takes_any_leading_dimensions(submission, rng):
    """one layer takes batches of any shape, transposed ones too, and is right to float64's digits"""
    layer = submission.LayerNorm(7)
    weights = layer.randomize(rng)
    transposed = (rng.normal(7, 5).T, rng.normal(5, 6, 7).transpose(0, 1))
    many = rng.normal(*rng.integers(1, 3, 6).tolist(), 7)
    for x in (rng.normal(2, 3, 7), rng.normal(7), *transposed, rng.normal(3, 1, 2, 7), many):
        assert_digits_of_float64(layer(x), built_in(weights, x))


@pytest.mark.parametrize("eps, dtype", [(0.5, torch.float64), (1e-3, torch.float64), (0.3, torch.float32)])
def test_eps_is_added_to_the_variance(submission, rng, eps, dtype):
    """eps is added to the variance, inside the root"""
    for own in (eps, *(rng.option(0.5, low, 1.0) for low in (1e-12, 1e-6) if is_second_round())):
        layer = submission.LayerNorm(5, eps=own)
        scale = own**0.5 * rng.option(1.0, 0.3, 3.0) if is_second_round() else 1.0  # so that eps counts
        weights, x = layer.randomize(rng, dtype=dtype), rng.normal(3, 5, dtype=dtype, scale=scale)
        assert_same_gradients(layer, partial(built_in, eps=own), x, weights=weights)


@pytest.mark.parametrize("shape", [(3, 5), (2, 1)])
def test_constant_vectors(submission, rng, shape):
    """vectors of equal features give the bias, and finite gradients (hidden_size 1 too)"""
    layer = submission.LayerNorm(shape[-1])
    weights = layer.randomize(rng)
    x = torch.arange(float(shape[0]), dtype=torch.float64)[:, None].expand(shape).clone()
    # What the mean is off by rounding is multiplied by 1 / sqrt(eps) here.
    assert_same_gradients(layer, built_in, x, weights=weights, absolute=1e-4)


@pytest.mark.parametrize("mean", [1e3, -1e3])
def test_large_mean_in_float32(submission, rng, mean):
    """float32 inputs with a mean of 1e3 and a spread of 1 are normalized accurately"""
    noise = rng.integers(-1, 2, 13, 8)
    # Sums of such whole numbers and of their squares are exact, however they are taken, and with this last
    # one the square of the mean is as far from a float32 as can be: E[x²] - E[x]² is off by 1/16.
    noise[:, -1] = -noise[:, :-1].sum(1) % 4 - 2
    whole_numbers = noise.float() + round(mean / 1024) * 1024
    # With another mean in each row, 0 first, no number helps all of them that is subtracted from all.
    signs = torch.arange(13)[:, None] % 3 * torch.tensor([1.0, -1.0]).repeat(7)[:13, None]
    by_rows = rng.normal(13, 61, dtype=torch.float32) + signs * mean / 2
    for x in (whole_numbers, rng.normal(13, 61, dtype=torch.float32) + mean, by_rows):
        layer = submission.LayerNorm(x.shape[-1])
        exact = partial(functional.layer_norm, normalized_shape=x.shape[-1:])
        assert_close(layer(x), exact(x.double()).float(), absolute=1e-2)
        if x is not by_rows:
            assert_gradient_of_large_mean(rng, layer, exact, x)


def test_large_mean_in_float64(submission, rng):
    """float64 is computed in float64: a mean of 1e3 costs no digits that float32 would lose"""
    layer = submission.LayerNorm(64)
    weights = layer.randomize(rng)
    # float32 keeps the quarters, sums and means of them are exact there, and loses what is added to them: so
    # whatever is computed in it has the same digits, however it is spelled.
    x = 1e3 + rng.integers(-8, 9, 13, 64) / 4 + rng.uniform(13, 64, low=0.0, high=2.9e-5)
    assert_close(layer(x), built_in(weights, x), tolerance=1e-6)
    layer = submission.LayerNorm(61)
    weights = layer.randomize(rng)
    x = rng.normal(13, 61) + 1e3
    assert_close(layer(x), built_in(weights, x), tolerance=1e-6)


def test_gradients_in_float32(submission, rng):
    """gradients in float32 are right and float32"""
    layer = submission.LayerNorm(7)
    weights = layer.randomize(rng, dtype=torch.float32)
    assert_same_gradients(layer, built_in, rng.normal(2, 3, 7, dtype=torch.float32), weights=weights)


def test_weights_of_zero(submission, rng):
    """gradients are right where weights are 0, that of these weights too"""
    layer = submission.LayerNorm(7)
    weights = with_zeros(layer, layer.randomize(rng))
    assert_same_gradients(layer, built_in, rng.normal(2, 3, 7), weights=weights)


def test_the_same_in_training_and_evaluation(submission, rng):
    """evaluation gives the same as training, whatever batches came before, or none"""
    layer = submission.LayerNorm(7).eval()
    weights = layer.randomize(rng)
    x = rng.normal(2, 3, 7)
    assert_close(layer(x), built_in(weights, x), what="evaluation before any training")
    layer.train()(rng.normal(2, 3, 7, scale=3.0) + 2.0)
    assert_close(layer.eval()(x), built_in(weights, x))
    assert_close(layer(x[:1]), built_in(weights, x[:1]), what="batch of one in evaluation")


def test_instances_keep_apart(submission, rng):
    """two layers with another eps, used by turns, give what each alone gives"""
    large, small = rng.option(0.5, 0.1, 1.0), rng.option(1e-3, 1e-4, 1e-2)
    first, second = submission.LayerNorm(7, eps=large), submission.LayerNorm(7, eps=small)
    of_first, of_second = ([(rng.normal(3, 7),) for _ in range(4)] for _ in range(2))
    assert_by_turns(
        with_weights(rng, first.train(), partial(built_in, eps=large), of_first),
        with_weights(rng, second.eval(), partial(built_in, eps=small), of_second),
        beside=(submission.LayerNorm, 11),
    )


def test_zeros_are_numbers_like_others(submission, rng):
    """vectors of zeros, and zeros in others, count like any other values"""
    layer, x = submission.LayerNorm(7), whole(rng, 2, 5, 7)
    weights, x[0, 3] = layer.randomize(rng), 0.0
    assert_close(layer(x), built_in(weights, x))
    assert_close(layer(torch.zeros_like(x)), built_in(weights, torch.zeros_like(x)))


def test_input_is_not_modified(submission, rng):
    """x is not modified"""
    for layer in (submission.LayerNorm(7), submission.LayerNorm(7, eps=0.5)):
        assert_inputs_unchanged(layer, rng.normal(2, 3, 7, dtype=torch.float32))
