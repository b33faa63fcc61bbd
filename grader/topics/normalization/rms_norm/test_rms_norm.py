"""Checks of `rms_norm`: parameters, values, gradients, eps, half precision."""

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
from grader.kit.families.norms.apart import assert_begins_anew
from grader.kit.families.norms.zero_weights import with_zeros
from grader.kit.rounds import is_second_round
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("normalization")

halves = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])


def built_in(weights, x, eps=1e-6):
    return functional.rms_norm(x, weights["weight"].shape, weights["weight"], eps)


def rounded_once(weights, x, eps=1e-6):
    """The built-in in float64, rounded to the dtype of x at the end."""
    return built_in({"weight": weights["weight"].double()}, x.double(), eps).to(x.dtype)


def workload(submission, rng):
    layer = submission.RMSNorm(128)
    layer.randomize(rng, torch.float32)
    return layer.measure(rng.normal(8, 64, 128, dtype=torch.float32))


LADDER = [(1, 2), (1, 3), (2, 3), (3, 4)]


def smallest(submission, rng, rows, hidden_size):
    """small whole numbers give what the built-in gives"""
    norm = submission.RMSNorm(hidden_size)
    weights, x = fill(rng, norm), whole(rng, rows, hidden_size, most=5)
    assert_close(norm(x), built_in(weights, x))


def test_parameters(submission):
    """its only parameter is weight, (hidden_size,)"""
    assert_parameters(submission.RMSNorm(7), {"weight": (7,)})


def test_initial_values(submission):
    """the weight starts at ones, that of each layer anew"""
    assert_begins_anew(submission, "RMSNorm", {"weight": 1.0})


@pytest.mark.parametrize("shape", [(2, 3, 7), (5, 11), (1, 1, 13), (3, 2, 1, 5), (7,)])
def test_equals_the_built_in(submission, rng, shape):
    """it equals F.rms_norm over the last dimension, and so do its gradients"""
    layer = submission.RMSNorm(shape[-1])
    weights = layer.randomize(rng)
    assert_same_gradients(layer, built_in, rng.normal(*shape, scale=2.0) + 0.5, weights=weights)


@pytest.mark.parametrize("shape", [(2, 149), (131, 3)])
def test_many_features_and_many_rows(submission, rng, shape):
    """149 features, or 131 rows, more than usual blocks take and no multiple of them, are right"""
    layer = submission.RMSNorm(shape[-1])
    weights, x = layer.randomize(rng), rng.normal(*shape, scale=2.0) + 0.5
    x[:, -7:] *= 3.0
    assert_same_gradients(layer, built_in, x, weights=weights, alone=False)
    if is_second_round():
        layer = submission.RMSNorm(features := rng.option(300, 260, 700))
        weights, x = layer.randomize(rng), rng.normal(2, features) + 0.5
        x[:, -7:] *= 3.0
        assert_close(layer(x), built_in(weights, x))


def test_one_layer_takes_any_leading_dimensions(submission, rng):
    """one layer takes batches of different shapes, transposed ones too"""
    layer = submission.RMSNorm(7)
    weights = layer.randomize(rng)
    many = [rng.normal(*rng.integers(1, 3, 6).tolist(), 7)] if is_second_round() else []
    for x in (rng.normal(2, 3, 7), rng.normal(7), rng.normal(7, 5).T, rng.normal(3, 1, 2, 7), *many):
        assert_close(layer(x), built_in(weights, x))


@pytest.mark.parametrize("eps", [0.5, 1e-3])
def test_eps_is_added_to_the_mean_square(submission, rng, eps):
    """eps is added to the mean square, inside the root"""
    dtype = torch.float32 if is_second_round() else torch.float64
    for own in (eps, *(rng.option(0.5, low, 1.0) for low in (1e-12, 1e-6) if is_second_round())):
        layer = submission.RMSNorm(5, eps=own)
        scale = own**0.5 * rng.option(1.0, 0.3, 3.0) if is_second_round() else 1.0  # so that eps counts
        weights, x = layer.randomize(rng, dtype=dtype), rng.normal(3, 5, dtype=dtype, scale=scale)
        assert_same_gradients(layer, partial(built_in, eps=own), x, weights=weights)


def test_eps_is_a_millionth_by_default(submission, rng):
    """eps is 1e-6 if not given"""
    layer = submission.RMSNorm(7)
    weights, x = layer.randomize(rng), rng.normal(3, 7, scale=1e-3)
    assert_close(layer(x), built_in(weights, x))


@pytest.mark.parametrize("shape", [(2, 5), (3, 1)])
def test_vectors_of_zeros(submission, rng, shape):
    """vectors of zeros give zeros, and finite gradients (hidden_size 1 too)"""
    layer = submission.RMSNorm(shape[-1])
    weights = layer.randomize(rng)
    x = torch.zeros(shape, dtype=torch.float64)
    assert_same_gradients(layer, built_in, x, weights=weights)


def test_gradients_in_float32(submission, rng):
    """gradients in float32 are right and float32"""
    layer = submission.RMSNorm(7)
    weights = layer.randomize(rng, dtype=torch.float32)
    assert_same_gradients(layer, built_in, rng.normal(2, 3, 7, dtype=torch.float32), weights=weights)


def test_weights_of_zero(submission, rng):
    """gradients are right where weights are 0, that of these weights too"""
    layer = submission.RMSNorm(7)
    weights = with_zeros(layer, layer.randomize(rng))
    assert_same_gradients(layer, built_in, rng.normal(2, 3, 7), weights=weights)


def test_weights_of_one(submission, rng):
    """a weight of ones, as it is at first, gets its true gradient like others"""
    layer = submission.RMSNorm(7)
    x, weights = rng.normal(2, 3, 7, dtype=torch.float32), layer.parameters()
    assert_same_gradients(layer, built_in, x, weights=weights, alone=False)


def test_backward_changes_nothing(submission, rng):
    """a backward pass writes neither to the gradient that it gets nor to what a second pass needs"""
    layer = submission.RMSNorm(7)
    weights = layer.randomize(rng)
    assert_backward_leaves_all(layer, built_in, rng.normal(2, 3, 7), weights=weights)


@halves
def test_half_precision(submission, rng, dtype):
    """float16 and bfloat16 are kept, with values of 300, and with weights of 300"""
    layer = submission.RMSNorm(61)
    weights, x = layer.randomize(rng, dtype=dtype), rng.normal(3, 2, 61, dtype=dtype, scale=300.0)
    assert_close(layer(x), rounded_once(weights, x), tolerance=1e-2)
    weights["weight"] = rng.normal(61, dtype=dtype, scale=300.0)
    layer.load(weights)
    assert_close(layer(x), rounded_once(weights, x), tolerance=1e-2)
    if is_second_round():  # a row of small numbers beside large ones
        x[0] *= 1e-4
        assert_close(layer(x)[0], rounded_once(weights, x)[0], tolerance=1e-2, what="the small rows")


@halves
def test_half_precision_with_float32_weight(submission, rng, dtype):
    """a float32 weight leaves float16 and bfloat16 inputs their dtype"""
    layer = submission.RMSNorm(61)
    for _ in range(2):  # another one the second time, loaded into the same parameter
        weights, x = layer.randomize(rng, dtype=torch.float32), rng.normal(3, 2, 61, dtype=dtype)
        assert_close(layer(x), rounded_once(weights, x), tolerance=1e-2)


@halves
@pytest.mark.parametrize("widths", ["one dtype", "float32 weight"])
def test_eps_in_half_precision(submission, rng, widths, dtype):
    """in float16 and bfloat16 too eps is added to the mean square, inside the root"""
    eps = rng.option(0.5, 1e-5, 1.0)
    layer = submission.RMSNorm(61, eps=eps)
    weights = layer.randomize(rng, dtype=dtype if widths == "one dtype" else torch.float32)
    for scale in (1.0, 0.5):
        scale *= (eps / 0.5) ** 0.5
        x = rng.normal(3, 2, 61, dtype=dtype, scale=scale)
        assert_close(layer(x), rounded_once(weights, x, eps), tolerance=2e-2)


def test_small_values_in_float16(submission, rng):
    """squares of float16 values of 1e-4 do not vanish, and vectors of zeros give zeros, with a small eps"""
    layer = submission.RMSNorm(61, eps=1e-12)
    weights, x = layer.randomize(rng, dtype=torch.float16), rng.normal(3, 61, dtype=torch.float16, scale=1e-4)
    assert_close(layer(x), rounded_once(weights, x, 1e-12), tolerance=1e-2)
    # 1 / sqrt(eps) is a million, which float16 does not have; a layer in it may not have this eps either.
    layer, x[1] = submission.RMSNorm(61, eps=1e-12), 0.0
    weights = layer.randomize(rng, dtype=torch.float32)
    assert_close(layer(x), rounded_once(weights, x, 1e-12), tolerance=1e-2)


def test_the_same_in_training_and_evaluation(submission, rng):
    """evaluation gives the same as training, whatever batches came before"""
    layer = submission.RMSNorm(7).train()
    weights = layer.randomize(rng)
    layer(rng.normal(2, 3, 7, scale=3.0) + 2.0)
    x = rng.normal(2, 3, 7)
    assert_close(layer.eval()(x), built_in(weights, x))
    assert_close(layer(x[:1]), built_in(weights, x[:1]), what="batch of one in evaluation")


def test_instances_keep_apart(submission, rng):
    """two layers with another eps, used by turns, give what each alone gives"""
    large, small = rng.option(0.5, 0.1, 1.0), rng.option(1e-3, 1e-4, 1e-2)
    first, second = submission.RMSNorm(7, eps=large), submission.RMSNorm(7, eps=small)
    of_first, of_second = ([(rng.normal(3, 7),) for _ in range(4)] for _ in range(2))
    assert_by_turns(
        with_weights(rng, first.train(), partial(built_in, eps=large), of_first),
        with_weights(rng, second.eval(), partial(built_in, eps=small), of_second),
        beside=(submission.RMSNorm, 11),
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=["float32", "float16"])
def test_input_is_not_modified(submission, rng, dtype):
    """x is not modified"""
    options = {"eps": 0.5} if is_second_round() else {}
    assert_inputs_unchanged(submission.RMSNorm(7, **options), rng.normal(2, 3, 7, dtype=dtype))
