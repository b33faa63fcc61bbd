"""Checks of `SwiGLU` and its width: parameters, values, gradients, shapes, dropout, rounding."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    assert_arguments_unchanged,
    assert_close,
    assert_dropout_in_training_only,
    assert_equal,
    assert_inputs_unchanged,
    assert_nothing_dropped,
    assert_parameters,
    assert_same_gradients,
)
from grader.kit.families.feedforward import (
    assert_close_far_from_zero,
    assert_dropout_acts_on_output,
    assert_entries_dropped_on_their_own,
    of_any_leading_dimensions,
)
from grader.kit.rounds import is_second_round
from grader.kit.rules.drawn_gradients import assert_gradients_of_the_draw
from grader.kit.rules.draws import assert_drops_apart
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole


def workload(submission, rng):
    network = submission.SwiGLU(96, 256)
    network.randomize(rng, torch.float32)
    return network.measure(rng.normal(2, 64, 96, dtype=torch.float32))


def formula(weights, x):
    gate, up = F.linear(x, weights["gate_proj.weight"]), F.linear(x, weights["up_proj.weight"])
    return F.linear(F.silu(gate) * up, weights["down_proj.weight"])


LADDER = [(1, 1), (2, 2), (2, 3)]


def smallest(submission, rng, hidden_size, intermediate_size):
    """small whole numbers give what the formula gives"""
    network = submission.SwiGLU(hidden_size, intermediate_size)
    weights, x = fill(rng, network), whole(rng, 2, hidden_size)
    assert_close(network(x), formula(weights, x))


def test_parameters(submission):
    """the parameters are gate_proj, up_proj and down_proj, linear layers without biases"""
    expected = {"gate_proj.weight": (11, 7), "up_proj.weight": (11, 7), "down_proj.weight": (7, 11)}
    assert_parameters(submission.SwiGLU(7, 11), expected)


def test_equals_the_formula(submission, rng):
    """equals down(silu(gate(x)) * up(x)) with F.silu, and so do the gradients of x and every parameter"""
    network = submission.SwiGLU(7, 11)
    weights = network.randomize(rng)
    assert_same_gradients(network, formula, rng.normal(2, 5, 7), weights=weights)


def test_many_tokens_and_features(submission, rng):
    """131 tokens, 139 features and 149 hidden units, no multiples of usual blocks, are right to the last"""
    network = submission.SwiGLU(139, 149)
    weights = network.randomize(rng)
    weights = {name: value / 4 for name, value in weights.items()}
    network.load(weights)
    assert_same_gradients(network, formula, rng.normal(131, 139), weights=weights, alone=False)


def test_any_leading_dimensions(submission, rng):
    """one network takes a vector, a batch of one, a single token, four dimensions and a transposed x"""
    network = submission.SwiGLU(7, 11)
    weights = network.randomize(rng)
    xs = of_any_leading_dimensions(rng, 7)
    assert_close([network(x) for x in xs], [formula(weights, x) for x in xs])


def test_float32_is_kept(submission, rng):
    """float32 is kept"""
    network = submission.SwiGLU(7, 11)
    weights, x = network.randomize(rng, dtype=torch.float32), rng.normal(2, 5, 7, dtype=torch.float32)
    assert_close(network(x), formula(weights, x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_large_gates(submission, rng, dtype):
    """gates in the thousands, below zero and above, give finite and right values"""
    network = submission.SwiGLU(7, 11)
    weights, x = network.randomize(rng, dtype), rng.normal(2, 5, 7, dtype=dtype)
    weights["gate_proj.weight"] = weights["gate_proj.weight"] * 2000
    network.load(weights)
    assert_close_far_from_zero(network(x), formula(weights, x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gradients_of_large_gates(submission, rng, dtype):
    """gradients are right for gates between -80 and 80"""
    network = submission.SwiGLU(7, 11)
    weights, x = network.randomize(rng, dtype), rng.normal(5, 7, dtype=dtype)
    largest, x = F.linear(x, weights["gate_proj.weight"]).abs().max(), torch.stack((x, -x))
    weights["gate_proj.weight"] = weights["gate_proj.weight"] * (79.0 / largest)
    network.load(weights)
    if assert_close_far_from_zero(network(x), formula(weights, x)):
        assert_same_gradients(network, formula, x, weights=weights)


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    network = submission.SwiGLU(7, 11, 0.5)
    weights, x = network.randomize(rng), rng.normal(2, 5, 7)
    assert_nothing_dropped(network, x, expected=formula(weights, x))
    if is_second_round():  # gradients do not end where one drops in training
        assert_same_gradients(network.eval(), formula, x, weights=weights, alone=False)


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    network = submission.SwiGLU(7, 11, dropout=0.5)
    network.randomize(rng)
    assert_dropout_in_training_only(network, rng.normal(5, 13, 7))


def test_networks_drop_apart(submission, rng):
    """in training every call of every network draws anew"""
    assert_drops_apart(submission, "SwiGLU", (7, 11), {"dropout": 0.5}, rng.normal(5, 13, 7))


@pytest.mark.parametrize("dropout, hidden", [(0.3, 11), (0.1234, 149)])
def test_dropout_acts_on_the_output(submission, rng, dropout, hidden):
    """dropout zeroes entries of the output, and divides the others by 1 - dropout"""
    network = submission.SwiGLU(61, hidden, dropout=dropout)
    weights, x = network.randomize(rng), rng.normal(7, 59, 61)
    assert_dropout_acts_on_output(network.train()(x), formula(weights, x), dropout=dropout)


def test_dropout_drops_each_entry_on_its_own(submission, rng):
    """each entry of the output is dropped on its own, with the probability that was asked for"""
    network = submission.SwiGLU(211, 3, dropout=0.3)
    network.randomize(rng)
    assert_entries_dropped_on_their_own(network.train()(rng.normal(11, 19, 211)), dropout=0.3)


def test_gradients_under_dropout(submission, rng):
    """in training the gradients are those of the entries that were kept"""
    network = submission.SwiGLU(7, 11, dropout=0.4)
    weights, x = network.randomize(rng), rng.normal(5, 7, 7)

    def oracle(kept, own, x):
        return formula(own, x) * kept / 0.6

    assert_gradients_of_the_draw(network, lambda value: (value != 0).double(), oracle, x, weights=weights)


def test_instances_keep_apart(submission, rng):
    """two networks with other sizes and dropout, used by turns, give what each alone gives"""
    first, second = submission.SwiGLU(7, 11), submission.SwiGLU(7, 5, dropout=0.5)
    of_first, of_second = ([(rng.normal(2, 5, 7),) for _ in range(4)] for _ in range(2))
    assert_by_turns(
        with_weights(rng, first.train(), formula, of_first),
        with_weights(rng, second.eval(), formula, of_second),
        beside=(submission.SwiGLU, 5, 13),
    )


def test_zeros_are_numbers_like_others(submission, rng):
    """vectors of zeros, and zeros in others, count like any other values"""
    network, x = submission.SwiGLU(7, 11), whole(rng, 2, 5, 7)
    weights, x[0, 3] = network.randomize(rng), 0.0
    assert_close(network(x), formula(weights, x))
    assert_close(network(torch.zeros_like(x)), formula(weights, torch.zeros_like(x)))


def test_input_is_not_modified(submission, rng):
    """x is not modified"""
    x = rng.normal(2, 5, 7, dtype=torch.float32)
    assert_inputs_unchanged(submission.SwiGLU(7, 11), x)
    assert_arguments_unchanged(submission.SwiGLU(7, 11, 0.5).train(), x)


def assert_sizes(submission, expected, *multiple):
    """`expected`: the size by hidden_size."""
    ending = f", multiple_of={multiple[0]}" if multiple else ""
    came = {f"hidden_size={n}{ending}": submission.swiglu_intermediate_size(n, *multiple) for n in expected}
    assert_equal(came, {f"hidden_size={n}{ending}": size for n, size in expected.items()})


def test_size_is_cut_off(submission, rng):
    """the size is 2/3 of 4 * hidden_size, its fraction cut off"""
    if is_second_round():
        hidden_size = 3 * rng.option(2, 20_000, 60_000) + 1
        assert_sizes(submission, {hidden_size: 8 * hidden_size // 3})
    assert_sizes(submission, {1: 2, 2: 5, 3: 8, 5: 13, 64: 170, 100: 266, 4096: 10922})


def test_size_is_rounded_up(submission, rng):
    """the size is rounded up to a multiple of multiple_of: 11008 for 4096 and 256"""
    assert_sizes(submission, {4096: 11008, 5120: 13824, 6656: 17920, 8192: 22016}, 256)
    assert_sizes(submission, {5: 13, 100: 273}, 13)
    if is_second_round():
        hidden_size = 3 * rng.option(2, 600, 3000) + 1
        one_below = 8 * hidden_size // 3 - 1
        assert_sizes(submission, {hidden_size: 2 * one_below}, one_below)


def test_size_that_is_a_multiple_stays(submission):
    """a size that is a multiple already stays, also when only its fraction is above"""
    assert_sizes(submission, {96: 256, 192: 512, 288: 768}, 256)
    assert_sizes(submission, {17: 45}, 5)
    assert_sizes(submission, {64: 170}, 10)
