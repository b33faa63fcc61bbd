"""Checks of `SelfAttention`, level 1: parameters, values, gradients, dtype, large scores, layouts."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import assert_close, assert_inputs_unchanged, assert_parameters, assert_same_gradients
from grader.kit.families.attention.checks import (
    IN_FLOAT32,
    assert_many_tokens,
    linear_layers,
    other_layouts,
    project,
    tokens,
    with_large_scores,
    with_zeros,
)
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")


def workload(submission, rng):
    attention = submission.SelfAttention(64)
    attention.randomize(rng, torch.float32)
    return attention.measure(tokens(rng, 2, 64, 64).float())


LADDER = [(1, 1), (2, 1), (2, 2), (3, 2)]


def smallest(submission, rng, seq, hidden_size):
    """small whole numbers give what the built-in gives"""
    attention = submission.SelfAttention(hidden_size)
    weights, x = fill(rng, attention), whole(rng, 1, seq, hidden_size)
    assert_close(attention(x), built_in(weights, x))


def built_in(weights, x):
    """The built-in on the three projections."""
    query, key, value = (project(weights, name, x) for name in "qkv")
    return F.scaled_dot_product_attention(query, key, value)


def test_parameters(submission):
    """the parameters are three linear layers from hidden_size to hidden_size, with biases"""
    expected = linear_layers(q_proj=(11, 11), k_proj=(11, 11), v_proj=(11, 11))
    assert_parameters(submission.SelfAttention(11), expected)


@pytest.mark.parametrize("batch, seq, hidden_size", [(2, 7, 11), (3, 13, 5), (5, 2, 1)])
def test_equals_the_built_in(submission, rng, batch, seq, hidden_size):
    """equals F.scaled_dot_product_attention on the projections of x"""
    attention = submission.SelfAttention(hidden_size)
    weights, x = attention.randomize(rng), tokens(rng, batch, seq, hidden_size)
    assert_close(attention(x), built_in(weights, x))


def test_longer_sequences(submission, rng):
    """131 tokens, more than usual blocks take and no multiple of them, are right to the last one"""
    attention = submission.SelfAttention(11)
    weights, x = attention.randomize(rng), tokens(rng, 2, 131, 11)
    x[:, -1] *= 4.0  # many queries score a key of the last block highest
    assert_same_gradients(attention, built_in, x, weights=weights, alone=False, tolerance=IN_FLOAT32)
    assert_many_tokens(rng, attention, built_in, weights, 11)


def test_many_sequences(submission, rng):
    """137 sequences are right to the last one"""
    attention = submission.SelfAttention(5)
    weights, x = attention.randomize(rng), tokens(rng, 137, 3, 5)
    assert_close(attention(x), built_in(weights, x))


def test_gradients(submission, rng):
    """the gradients of x and of every parameter equal the built-in's"""
    attention = submission.SelfAttention(11)
    weights, x = attention.randomize(rng), tokens(rng, 2, 7, 11)
    assert_same_gradients(attention, built_in, x, weights=weights)
    assert_backward_leaves_all(attention, built_in, x, weights=weights)


def test_float32_is_kept(submission, rng):
    """float32 is kept"""
    attention = submission.SelfAttention(11)
    weights, x = attention.randomize(rng, dtype=torch.float32), tokens(rng, 2, 7, 11).float()
    assert_close(attention(x), built_in(weights, x))


def test_large_scores_do_not_overflow(submission, rng):
    """scores in the thousands give finite, right values and gradients"""
    attention = submission.SelfAttention(11)
    weights, x = with_large_scores(attention.randomize(rng), tokens(rng, 2, 7, 11), head_dim=11)
    attention.load(weights)
    alike = x.clone()
    alike[:, -1, 1] = 2.2  # queries score all keys alike: by turns far above 0, at it and far below
    for each in (x, alike):
        # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
        assert_same_gradients(attention, built_in, each, weights=weights, tolerance=1e-3)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the calls before it, whatever their sizes"""
    attention = submission.SelfAttention(11)
    weights = attention.randomize(rng)
    xs = [tokens(rng, 2, 7, 11), tokens(rng, 2, 7, 11), tokens(rng, 5, 3, 11)]
    assert_close([attention(x) for x in xs], [built_in(weights, x) for x in xs])


def test_other_layouts(submission, rng):
    """a single token, a batch of one and an x that is not contiguous are right"""
    attention = submission.SelfAttention(11)
    weights = attention.randomize(rng)
    xs = other_layouts(rng, 2, 7, 11)
    assert_close([attention(x) for x in xs], [built_in(weights, x) for x in xs])


def test_instances_keep_apart(submission, rng):
    """two modules of other sizes, used by turns, give what each alone gives"""
    first, second = submission.SelfAttention(11), submission.SelfAttention(5)
    of_first, of_second = ([(tokens(rng, 2, 7, size),) for _ in range(4)] for size in (11, 5))
    players = with_weights(rng, first.train(), built_in, of_first)
    assert_by_turns(players, with_weights(rng, second.eval(), built_in, of_second))


def test_zeros_are_numbers_like_others(submission, rng):
    """tokens of zeros and scores of exactly 0 count like any others"""
    attention = submission.SelfAttention(11)
    weights, x = with_zeros(rng, attention, (2, 7, 11))
    assert_same_gradients(attention, built_in, x, weights=weights, alone=False, tolerance=IN_FLOAT32)


def test_input_is_not_modified(submission, rng):
    """x is not modified"""
    assert_inputs_unchanged(submission.SelfAttention(11).to(torch.float64), tokens(rng, 2, 7, 11))
