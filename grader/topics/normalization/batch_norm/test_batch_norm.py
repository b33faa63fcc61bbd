"""Checks of `batch_norm`: training, running averages, evaluation, gradients, state dict."""

import pytest
import torch
from torch.nn import functional

from grader.kit import (
    assert_arguments_unchanged,
    assert_close,
    assert_equal,
    assert_inputs_unchanged,
    assert_parameters,
    assert_same_gradients,
    assert_true,
)
from grader.kit.comparison import difference
from grader.kit.families.norms.large_means import assert_gradient_of_large_mean, over_channels
from grader.kit.families.norms.zero_weights import with_zeros
from grader.kit.rounds import is_second_round, round_seed
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.rules.turns import Player, assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("normalization")

shapes = pytest.mark.parametrize("shape", [(139, 5), (3, 5, 7), (2, 5, 3, 7), (1, 5, 131)])


def workload(submission, rng):
    layer = submission.BatchNorm(16).train()
    layer.randomize(rng, torch.float32)
    return layer.measure(rng.normal(8, 16, 16, 16, dtype=torch.float32))


LADDER = [(2, 1, True), (3, 2, True), (3, 2, False)]


def smallest(submission, rng, batch, num_features, in_training):
    """small whole numbers give what the built-in gives"""
    layer = submission.BatchNorm(num_features).train()
    weights, x = fill(rng, layer), whole(rng, batch, num_features, most=5)
    zeros = torch.zeros(num_features, dtype=torch.float64)
    averages = {"running_mean": zeros, "running_var": zeros + 1.0}
    assert_close(layer(x), training(weights, x, averages))
    assert_close(averages_of(layer), averages)
    if not in_training:
        assert_close(layer.eval()(x), evaluation(averages)(weights, x))


def draw(rng, layer, dtype=torch.float64, size=5, spread=1.0):
    """Random parameters and running averages (of batches of this spread), which the layer gets."""
    weights = layer.randomize(rng, dtype=dtype)
    averages_of(layer)  # fails in the learner's words where there are none
    mean, variance = rng.normal(size, dtype=dtype), rng.uniform(size, low=0.5, high=2.0, dtype=dtype)
    layer.load(averages := {"running_mean": mean * spread, "running_var": variance * spread**2})
    return weights, averages


def averages_of(layer):
    buffers = layer.buffers()
    missing = [name for name in ("running_mean", "running_var") if name not in buffers]
    text = f"not among its buffers: {', '.join(missing)} (a plain tensor attribute is not in the state dict)"
    assert_true(not missing, text, seen=missing)
    return {name: buffers[name] for name in ("running_mean", "running_var")}


def training(weights, x, averages=None, eps=1e-5, momentum=0.1):
    """The built-in in training. It updates the averages in place."""
    mean, variance = (averages or {}).get("running_mean"), (averages or {}).get("running_var")
    return functional.batch_norm(x, mean, variance, weights["weight"], weights["bias"], True, momentum, eps)


def evaluation(averages, eps=1e-5):
    """The built-in in evaluation, as a function of weights and x."""
    return lambda weights, x: functional.batch_norm(
        x, averages["running_mean"], averages["running_var"], weights["weight"], weights["bias"], eps=eps
    )


def test_parameters(submission):
    """its parameters are weight and bias, (num_features,) each"""
    assert_parameters(submission.BatchNorm(5), {"weight": (5,), "bias": (5,)})


def test_initial_values(submission):
    """weight and running_var start at ones, bias and running_mean at zeros"""
    layer = submission.BatchNorm(5)
    assert_equal(layer.parameters(), {"weight": torch.ones(5), "bias": torch.zeros(5)})
    assert_equal(averages_of(layer), {"running_mean": torch.zeros(5), "running_var": torch.ones(5)})


@shapes
def test_training_equals_the_built_in(submission, rng, shape):
    """in training it equals F.batch_norm with training=True, and so do its gradients"""
    layer = submission.BatchNorm(5).train()
    weights, _ = draw(rng, layer)
    assert_same_gradients(layer, training, rng.normal(*shape, scale=2.0) + 0.5, weights=weights)


@pytest.mark.parametrize("shape", [(5, 5), (3, 5, 5), (2, 5, 5, 5)])
def test_channels_are_dimension_one(submission, rng, shape):
    """the channels are dimension 1, also where other dimensions have the same size"""
    layer = submission.BatchNorm(5).train()
    (weights, _), x = draw(rng, layer), rng.normal(*shape, scale=2.0) + 0.5
    assert_close(layer(x), training(weights, x))


@shapes
def test_running_averages(submission, rng, shape):
    """a training batch moves running_mean and running_var as it does those of nn.BatchNorm"""
    layer, x = submission.BatchNorm(5).train(), rng.normal(*shape, scale=2.0) + 0.5
    weights, averages = draw(rng, layer)
    layer(x)
    training(weights, x, averages)
    assert_close(averages_of(layer), averages)


def test_several_batches(submission, rng):
    """running averages are right after several batches of different sizes, with any momentum"""
    momentum = rng.option(0.3, 0.005, 0.99) if round_seed() % 3 else 1.0 - 0.7 * (round_seed() == 0)
    dtype = torch.float32 if is_second_round() else torch.float64
    layer = submission.BatchNorm(5, momentum=momentum)
    weights, averages = draw(rng, layer, dtype)
    for shape in [(2, 5), (3, 5, 7)]:
        x = rng.normal(*shape, scale=2.0, dtype=dtype) + 0.5
        layer.train()(x)
        layer.eval()(x)
        training(weights, x, averages, momentum=momentum)
    assert_close(averages_of(layer), averages)


@pytest.mark.parametrize("shape", [(1, 5), (139, 5, 2), (2, 5, 3, 7), (1, 5, 1)])
def test_evaluation_equals_the_built_in(submission, rng, shape):
    """in evaluation it normalizes with the running averages, a batch of one too; gradients are right"""
    layer = submission.BatchNorm(5).eval()
    weights, averages = draw(rng, layer)
    assert_same_gradients(layer, evaluation(averages), rng.normal(*shape), weights=weights)


def test_evaluation_changes_nothing(submission, rng):
    """in evaluation the running averages stay as they are"""
    layer = submission.BatchNorm(5).eval()
    _, averages = draw(rng, layer)
    layer(rng.normal(11, 5))
    assert_equal(averages_of(layer), averages)


def test_eps_is_added_to_the_variance(submission, rng):
    """eps is added to the variance, inside the root, in training and evaluation, and gradients are right"""
    eps = rng.option(0.5, 1e-12, 10.0)  # it counts beside variances that are no larger
    more, dtype, size = ([0.3], torch.float32, eps**0.5) if is_second_round() else ([], torch.float64, 1.0)
    layer = submission.BatchNorm(5, eps, *more).train()
    (weights, averages), x = draw(rng, layer, dtype, 5, size), rng.normal(11, 5, dtype=dtype, scale=size)
    assert_same_gradients(layer.eval(), evaluation(averages, eps), x, weights=weights, alone=False)
    oracle = lambda own, x: training(own, x, eps=eps)  # noqa: E731
    assert_same_gradients(layer.train(), oracle, x, weights=weights, alone=False)


def test_channel_of_equal_values(submission, rng):
    """channels of equal values give their bias in training, and finite gradients"""
    layer = submission.BatchNorm(5).train()
    (weights, _), x = draw(rng, layer), torch.arange(5.0, dtype=torch.float64).repeat(3, 1)
    # What the mean is off by rounding is multiplied by 1 / sqrt(eps) here.
    assert_same_gradients(layer, training, x, weights=weights, absolute=1e-4)


@pytest.mark.parametrize("mean", [1e3, -1e3])
def test_large_mean_in_float32(submission, rng, mean):
    """float32 inputs with a mean of 1e3 and a spread of 1 are normalized accurately"""
    layer, noise = submission.BatchNorm(5).train(), rng.integers(-1, 2, 5, 8)
    # Sums of such whole numbers and of their squares are exact, however they are taken, and with this last
    # one the square of the mean is as far from a float32 as can be: E[x²] - E[x]² is off by 1/16.
    noise[:, -1] = -noise[:, :-1].sum(1) % 4 - 2
    whole_numbers = noise.view(5, 2, 4).movedim(0, 1).float() + round(mean / 1024) * 1024
    for x in (whole_numbers, rng.normal(7, 5, 13, dtype=torch.float32) + mean):
        assert_close(layer(x), over_channels(x.double()).float(), absolute=1e-2)
        assert_gradient_of_large_mean(rng, layer, over_channels, x)


def test_running_averages_of_a_large_mean_in_float32(submission, rng):
    """running averages are accurate, too, for float32 inputs with a mean of 1e3 and a spread of 1"""
    layer, x = submission.BatchNorm(5, momentum=1.0).train(), rng.normal(7, 5, 13, dtype=torch.float32) + 1e3
    layer(x)
    came, exact = averages_of(layer), x.double().movedim(1, 0).flatten(1)
    expected = {"running_mean": exact.mean(1).float(), "running_var": exact.var(1).float()}
    # For diagnosis not by how much they are off: that is a matter of the order in which one adds up.
    off = {name: difference(came[name], value, absolute=2e-2) for name, value in expected.items()}
    wrong = {name: text for name, text in off.items() if text is not None}
    assert_true(not wrong, "; ".join(f"{name}: {text}" for name, text in wrong.items()), seen=sorted(wrong))


def test_averages_require_no_gradient(submission, rng):
    """the running averages do not require a gradient after a batch that does"""
    layer = submission.BatchNorm(5).train()
    draw(rng, layer)
    came = submission.run(averages_require_grad, layer, rng.normal(11, 5))
    assert_equal(came, {"running_mean": False, "running_var": False})


def averages_require_grad(answer, layer, x):
    layer(x.requires_grad_())
    return {name: getattr(layer, name).requires_grad for name in ("running_mean", "running_var")}


def test_evaluation_after_training(submission, rng):
    """in evaluation no gradient reaches the batches that were trained on before"""
    layer = submission.BatchNorm(5)
    weights, averages = draw(rng, layer)
    batches, x, upstream = rng.normal(2, 11, 5), rng.normal(3, 5), rng.normal(3, 5)
    came = submission.run(train_and_evaluate, layer, batches, x, upstream)
    for batch in batches:
        training(weights, batch, averages)
    scale = weights["weight"] / torch.sqrt(averages["running_var"] + 1e-5)
    assert_close(came, (upstream * scale, torch.zeros_like(batches)))


def train_and_evaluate(answer, layer, batches, x, upstream):
    layer.train()
    for batch in batches.requires_grad_():
        layer(batch)
    layer.eval()
    (layer(x.requires_grad_()) * upstream).sum().backward()
    return x.grad, torch.zeros_like(batches) if batches.grad is None else batches.grad


def test_state_dict(submission, rng):
    """a layer with frozen parameters trains as others, and one that loads its state dict evaluates alike"""
    layer, x = submission.BatchNorm(5).train(), rng.normal(11, 5, scale=2.0, dtype=torch.float32) + 0.5
    came = submission.run(train_and_copy, layer, x)
    averages = {"running_mean": torch.zeros(5), "running_var": torch.ones(5)}
    weights = {"weight": torch.ones(5), "bias": torch.zeros(5)}
    assert_close(came, (training(weights, x, averages), evaluation(averages)(weights, x)))


def train_and_copy(answer, layer, x):
    trained = layer.requires_grad_(False)(x)
    copy = answer.BatchNorm(5)
    copy.load_state_dict(layer.state_dict())
    return trained, copy.eval()(x)


def test_float32_is_kept(submission, rng):
    """float32 is kept, in training, evaluation, running averages and gradients"""
    layer = submission.BatchNorm(5).train()
    (weights, averages), x = draw(rng, layer, torch.float32), rng.normal(3, 5, 7, dtype=torch.float32)
    assert_same_gradients(layer, training, x, weights=weights)  # which calls it twice
    for _ in range(2):
        training(weights, x, averages)
    assert_close(averages_of(layer), averages)
    assert_close(layer.eval()(x), evaluation(averages)(weights, x), what="evaluation")


def test_weights_of_zero(submission, rng):
    """gradients are right where weights are 0, that of these weights too"""
    layer = submission.BatchNorm(5)
    weights, averages = draw(rng, layer)
    weights, x = with_zeros(layer, weights), rng.normal(3, 5, 7)
    assert_same_gradients(layer.train(), training, x, weights=weights)
    layer.load(averages)
    assert_same_gradients(layer.eval(), evaluation(averages), x, weights=weights, alone=False)


def test_other_layouts(submission, rng):
    """an x that is not contiguous, of many channels, is right; backward changes nothing of others"""
    layer = submission.BatchNorm(131).train()
    (weights, _), x = draw(rng, layer, size=131), rng.normal(2, 3, 7, 131).movedim(-1, 1)
    assert_backward_leaves_all(layer, training, x, weights=weights)


def test_instances_keep_apart(submission, rng):
    """two layers with another eps and momentum, in training and evaluation by turns, keep apart"""
    eps, other = rng.option(0.5, 1e-5, 10.0), rng.option(1e-3, 1e-5, 1.0)
    momentum = rng.option(0.3, 0.005, 0.99)
    first, second = submission.BatchNorm(5, eps, momentum=momentum), submission.BatchNorm(5, other)
    of_first, of_second = ([(rng.normal(11, 5),) for _ in range(4)] for _ in range(2))
    (own, moved), (_, averages) = draw(rng, first.train()), draw(rng, second.eval())
    assert_by_turns(
        Player(first, lambda x: training(own, x, moved, eps, momentum), of_first),
        with_weights(rng, second, evaluation(averages, other), of_second),
        beside=(submission.BatchNorm, 11),
    )
    assert_close(averages_of(first), moved)
    assert_equal(averages_of(second), averages)


def test_zeros_are_numbers_like_others(submission, rng):
    """zeros, channels of zeros and a momentum of 0 count like any other values"""
    layer, x = submission.BatchNorm(5, momentum=0.0).train(), whole(rng, 11, 5)
    (weights, averages), x[:, 2] = draw(rng, layer), 0.0
    assert_close(layer(x), training(weights, x))
    assert_close(averages_of(layer), averages)
    assert_close(layer.eval()(x), evaluation(averages)(weights, x))


def test_input_is_not_modified(submission, rng):
    """x is not modified"""
    x = rng.normal(3, 5, 7, dtype=torch.float32)
    layer = submission.BatchNorm(5, *([0.5, 0.3] if is_second_round() else []))
    assert_arguments_unchanged(layer.train(), x)
    assert_inputs_unchanged(layer.eval(), x)
