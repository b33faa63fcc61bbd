"""Checks of `FeedForward`: parameters, activations, gradients, shapes, dropout, unknown activations."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.kit import (
    assert_arguments_unchanged,
    assert_close,
    assert_dropout_in_training_only,
    assert_inputs_unchanged,
    assert_nothing_dropped,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
)
from grader.kit.families.feedforward import (
    assert_close_far_from_zero,
    assert_dropout_acts_on_output,
    assert_entries_dropped_on_their_own,
    of_any_leading_dimensions,
)
from grader.kit.rounds import is_second_round
from grader.kit.rules.drawn_gradients import (
    assert_gradients_of_the_draw,
    assert_gradients_whatever_is_dropped,
)
from grader.kit.rules.draws import assert_drops_alike, assert_drops_apart
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

BUILT_IN = {"relu": nn.ReLU(), "gelu": nn.GELU(), "gelu_tanh": nn.GELU(approximate="tanh")}

OTHER_WORDS = ["gelu_pytorch_tanh", "gelu-tanh", " relu", "gelu ", "identity", "linear", "none", ""]
OTHER_WORDS += ["gelu_fast", "quick_gelu", "GELU", "gelutanh", "sigmoid", "swish", "leaky_relu"]

FAR_BELOW = {torch.float32: -1e16, torch.float64: -1e40}


def workload(submission, rng):
    network = submission.FeedForward(64, 256)
    network.randomize(rng, torch.float32)
    return network.measure(rng.normal(2, 64, 64, dtype=torch.float32))


def built_in(weights, x, activation="relu"):
    hidden = BUILT_IN[activation](F.linear(x, weights["up_proj.weight"], weights["up_proj.bias"]))
    return F.linear(hidden, weights["down_proj.weight"], weights["down_proj.bias"])


LADDER = [(1, 1, "relu"), (2, 2, "relu"), (2, 3, "gelu"), (2, 3, "gelu_tanh")]


def smallest(submission, rng, hidden_size, intermediate_size, activation):
    """small whole numbers give what the built-in layers give"""
    network = submission.FeedForward(hidden_size, intermediate_size, activation)
    weights, x = fill(rng, network), whole(rng, 2, hidden_size)
    assert_close(network(x), built_in(weights, x, activation))


def test_parameters(submission):
    """the parameters are up_proj and down_proj, linear layers with biases"""
    expected = {
        "up_proj.weight": (11, 7),
        "up_proj.bias": (11,),
        "down_proj.weight": (7, 11),
        "down_proj.bias": (7,),
    }
    assert_parameters(submission.FeedForward(7, 11), expected)


@pytest.mark.parametrize("activation", BUILT_IN)
def test_equals_the_built_in(submission, rng, activation):
    """equals the built-in layers with each activation, and so do the gradients of x and every parameter"""
    network = submission.FeedForward(7, 11, activation)
    weights = network.randomize(rng)

    def oracle(own, x):
        return built_in(own, x, activation)

    assert_same_gradients(network, oracle, rng.normal(2, 5, 7), weights=weights)


def test_relu_is_the_default(submission, rng):
    """the activation is ReLU where none is named"""
    network = submission.FeedForward(7, 11)
    weights, x = network.randomize(rng), rng.normal(2, 5, 7)
    assert_close(network(x), built_in(weights, x))


@pytest.mark.parametrize(
    "activation", ["silu", "tanh", "gelu_new", "ReLU", "gelu_none", "relu_tanh", "relu6", "elu"]
)
def test_unknown_activation_raises(submission, rng, activation):
    """an activation other than the three raises ValueError in the constructor"""
    assert_raises(submission.FeedForward, 7, 11, activation)
    if is_second_round():
        for word in (OTHER_WORDS[number] for number in rng.permutation(len(OTHER_WORDS))[:12]):
            assert_raises(submission.FeedForward, 7, 11, word)


def test_any_leading_dimensions(submission, rng):
    """one network takes a vector, a batch of one, a single token, four dimensions and a transposed x"""
    network = submission.FeedForward(7, 11, "gelu")
    weights = network.randomize(rng)
    xs = of_any_leading_dimensions(rng, 7)
    assert_close([network(x) for x in xs], [built_in(weights, x, "gelu") for x in xs])


@pytest.mark.parametrize("shape", [(129,), (2, 139)])
def test_many_tokens_and_features(submission, rng, shape):
    """129 tokens, 131 and 137 features, more than usual blocks take, are right to the last, with gradients"""
    network = submission.FeedForward(131, 137, "gelu")
    weights, x = network.randomize(rng), rng.normal(*shape, 131)  # 129 leaves a single token over
    assert_same_gradients(network, partial(built_in, activation="gelu"), x, weights=weights, alone=False)


def test_float32_is_kept(submission, rng):
    """float32 is kept with each activation"""
    came, expected = [], []
    for activation in BUILT_IN:
        network = submission.FeedForward(7, 11, activation=activation)
        weights, x = network.randomize(rng, dtype=torch.float32), rng.normal(2, 5, 7, dtype=torch.float32)
        came.append(network(x))
        expected.append(built_in(weights, x, activation))
    assert_close(came, expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("activation", BUILT_IN)
def test_large_values(submission, rng, activation, dtype):
    """hidden values in the millions, below zero and above, and far lower ones, give right results"""
    network = submission.FeedForward(7, 11, activation)
    weights, x = network.randomize(rng, dtype), rng.normal(2, 5, 7, dtype=dtype)
    weights["up_proj.weight"] = weights["up_proj.weight"] * 2e6
    network.load(weights)
    if assert_close_far_from_zero(network(x), built_in(weights, x, activation)):
        # A factor of 1e-13 that is left there is seen only now. In float32 squares stay finite.
        weights["up_proj.bias"] = torch.full_like(weights["up_proj.bias"], FAR_BELOW[dtype])
        network.load(weights)
        assert_close_far_from_zero(network(x), built_in(weights, x, activation))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("activation", BUILT_IN)
def test_gradients_of_large_values(submission, rng, activation, dtype):
    """gradients are right for hidden values between -10 and 10"""
    network = submission.FeedForward(7, 11, activation)
    weights, x = network.randomize(rng, dtype), rng.normal(5, 7, dtype=dtype)
    weights["up_proj.bias"] = torch.zeros_like(weights["up_proj.bias"])
    largest, x = F.linear(x, weights["up_proj.weight"]).abs().max(), torch.stack((x, -x))
    weights["up_proj.weight"] = weights["up_proj.weight"] * (9.9 / largest)
    network.load(weights)
    if assert_close_far_from_zero(network(x), built_in(weights, x, activation)):
        oracle = partial(built_in, activation=activation)
        assert_same_gradients(network, oracle, x, weights=weights, alone=False)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_no_dropout_in_evaluation(submission, rng, activation):
    """in evaluation nothing is dropped or scaled"""
    network = submission.FeedForward(7, 11, activation, 0.4)
    weights, x = network.randomize(rng), rng.normal(2, 5, 7)
    assert_nothing_dropped(network, x, expected=built_in(weights, x, activation))
    if is_second_round():
        assert_gradients_whatever_is_dropped(network, x)


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    network = submission.FeedForward(7, 11, dropout=0.5)
    network.randomize(rng)
    assert_dropout_in_training_only(network, rng.normal(5, 13, 7))


def test_networks_drop_apart(submission, rng):
    """in training every call of every network draws anew"""
    assert_drops_apart(submission, "FeedForward", (7, 11), {"dropout": 0.5}, rng.normal(5, 13, 7))


@pytest.mark.parametrize("dropout", [0.3, 0.1234])
def test_dropout_acts_on_the_output(submission, rng, dropout):
    """dropout zeroes entries of the output, and divides the others by 1 - dropout"""
    network = submission.FeedForward(61, 11, dropout=dropout)
    weights, x = network.randomize(rng), rng.normal(7, 59, 61)
    assert_dropout_acts_on_output(network.train()(x), built_in(weights, x), dropout=dropout)


def test_dropout_drops_each_entry_on_its_own(submission, rng):
    """each entry of the output is dropped on its own, with the probability that was asked for"""
    network = submission.FeedForward(211, 3, dropout=0.3)
    network.randomize(rng)
    assert_entries_dropped_on_their_own(network.train()(rng.normal(11, 19, 211)), dropout=0.3)


def test_values_do_not_matter_for_dropout(submission, rng):
    """entries of any value are dropped as often as others"""
    network = submission.FeedForward(17, 3, dropout=float(rng.uniform(1, low=0.4, high=0.6)))
    network.randomize(rng)
    assert_drops_alike(network.train(), rng, 17)


@pytest.mark.parametrize("activation", BUILT_IN)
def test_gradients_under_dropout(submission, rng, activation):
    """in training the gradients are those of the entries that were kept"""
    network = submission.FeedForward(7, 11, activation, dropout=0.4)
    weights, x = network.randomize(rng), rng.normal(5, 7, 7)

    def oracle(kept, own, x):
        return built_in(own, x, activation) * kept / 0.6

    assert_gradients_of_the_draw(network, lambda value: (value != 0).double(), oracle, x, weights=weights)


def test_instances_keep_apart(submission, rng):
    """two networks with other activations and dropout, used by turns, give what each alone gives"""
    first = submission.FeedForward(7, 11, "gelu")
    second = submission.FeedForward(7, 11, "relu", dropout=0.5)
    of_first, of_second = ([(rng.normal(2, 5, 7),) for _ in range(4)] for _ in range(2))
    assert_by_turns(
        with_weights(rng, first.train(), partial(built_in, activation="gelu"), of_first),
        with_weights(rng, second.eval(), built_in, of_second),
        beside=(submission.FeedForward, 5, 13),
    )


def test_zeros_are_numbers_like_others(submission, rng):
    """vectors of zeros, and zeros in others, count like any other values"""
    network, x = submission.FeedForward(7, 11, "gelu"), whole(rng, 2, 5, 7)
    weights, x[0, 3] = network.randomize(rng), 0.0
    assert_close(network(x), built_in(weights, x, "gelu"))
    assert_close(network(torch.zeros_like(x)), built_in(weights, torch.zeros_like(x), "gelu"))


def test_input_is_not_modified(submission, rng):
    """x is not modified"""
    x = rng.normal(2, 5, 7, dtype=torch.float32)
    assert_inputs_unchanged(submission.FeedForward(7, 11), x)
    assert_arguments_unchanged(submission.FeedForward(7, 11, "gelu", 0.5).train(), x)
