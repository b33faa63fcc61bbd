"""Checks of `SelfAttention`, level 4: padding, causality, both, float16, dropout, gradients, long inputs."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    assert_arguments_unchanged,
    assert_close,
    assert_dropout_in_training_only,
    assert_inputs_unchanged,
    assert_nothing_dropped,
    assert_parameters,
    assert_same_gradients,
)
from grader.kit.families.attention.checks import (
    IN_FLOAT32,
    assert_dropout_acts_on_weights,
    counting_weights,
    linear_layers,
    other_layouts,
    project,
    separated,
    tokens,
    with_large_scores,
    with_zeros,
)
from grader.kit.families.attention.dropout_checks import assert_gradients_under_dropout
from grader.kit.rounds import is_second_round
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")


def workload(submission, rng):
    attention, x, mask = submission.SelfAttention(64), tokens(rng, 2, 64, 64).float(), padding(rng, 2, 64)
    attention.randomize(rng, torch.float32)
    measured = attention.measure(x, padding_mask=mask, is_causal=True)
    return replace(measured, value=measured.value[mask])  # a row of padding may hold anything


LADDER = [(1, 1, False), (2, 2, False), (3, 2, False), (3, 2, True)]


def smallest(submission, rng, seq, hidden_size, is_causal):
    """small whole numbers give what the built-in gives"""
    attention = submission.SelfAttention(hidden_size)
    weights, x = fill(rng, attention), whole(rng, 1, seq, hidden_size)
    mask = padding(rng, 1, seq) if is_causal else None
    came = attention(x, padding_mask=mask, is_causal=is_causal)
    assert_close(came, built_in(weights, x, mask, is_causal))


def built_in(weights, x, padding_mask=None, is_causal=False, last=0):
    """The built-in on query, key and value, with both masks in one: for all queries, or so many last ones."""
    position = torch.arange(x.shape[1])
    mask = (position <= position[-last:, None]) | (not is_causal)
    if padding_mask is not None:
        mask = mask & padding_mask.unsqueeze(1)
    query, key, value = (project(separated(weights), name, x) for name in "qkv")
    query = query[:, -last:]
    return project(weights, "o", F.scaled_dot_product_attention(query, key, value, mask))


def parameters(size):
    return linear_layers(qkv_proj=(size, 3 * size), o_proj=(size, size))


def padding(rng, batch, seq):
    """The first tokens are real; of the others of a sequence at least one is, and one is not."""
    return torch.cat([torch.ones(batch, 1, dtype=torch.bool), rng.mask(batch, seq - 1)], dim=1)


def test_parameters(submission):
    """the parameters are qkv_proj to 3 * hidden_size and o_proj to hidden_size, with biases"""
    assert_parameters(submission.SelfAttention(11), parameters(11))


@pytest.mark.parametrize("batch, seq, hidden_size", [(2, 7, 11), (3, 13, 5)])
def test_equals_the_built_in(submission, rng, batch, seq, hidden_size):
    """without masks equals F.scaled_dot_product_attention between the projections"""
    attention = submission.SelfAttention(hidden_size)
    weights, x = attention.randomize(rng), tokens(rng, batch, seq, hidden_size)
    assert_close(attention(x), built_in(weights, x))


def test_padding_gets_no_weight(submission, rng):
    """no token attends to padding, wherever it stands"""
    attention = submission.SelfAttention(11)
    weights, x, mask = attention.randomize(rng), tokens(rng, 3, 7, 11), padding(rng, 3, 7)
    assert_close(attention(x, mask), built_in(weights, x, mask), where=mask)


def test_lengths_differ(submission, rng):
    """sequences of 7, 3 and 1 tokens, padded at the end, are right in one batch"""
    attention = submission.SelfAttention(11)
    weights, x = attention.randomize(rng), tokens(rng, 3, 7, 11)
    mask = torch.arange(7) < torch.tensor([[7], [3], [1]])
    assert_close(attention(x, padding_mask=mask), built_in(weights, x, mask), where=mask)


@pytest.mark.parametrize("batch, seq", [(2, 7), (3, 2)])
def test_causal(submission, rng, batch, seq):
    """with is_causal token i attends to the tokens 0 … i only"""
    attention = submission.SelfAttention(11)
    weights, x = attention.randomize(rng), tokens(rng, batch, seq, 11)
    assert_close(attention(x, is_causal=True), built_in(weights, x, is_causal=True))


def test_both_masks_hold(submission, rng):
    """with padding and is_causal a token attends to the real tokens up to itself"""
    attention = submission.SelfAttention(11)
    weights, x, mask = attention.randomize(rng), tokens(rng, 3, 7, 11), padding(rng, 3, 7)
    assert_close(attention(x, mask, True), built_in(weights, x, mask, True), where=mask)
    if is_second_round():
        mask[-1] = True
        for is_causal in (False, True):
            assert_close(attention(x, mask, is_causal), built_in(weights, x, mask, is_causal), where=mask)


@pytest.mark.parametrize("padded", [True, False])
@pytest.mark.parametrize("is_causal", [False, True])
def test_gradients(submission, rng, is_causal, padded):
    """for a loss over the real tokens, of 131, the gradients of x and of all parameters are the built-in's"""
    attention = submission.SelfAttention(11)
    weights, x = attention.randomize(rng), tokens(rng, 3, 131, 11)
    mask = padding(rng, 3, 131) if padded else None
    if padded:
        mask[0], mask[1, 1:80] = True, False  # no padding in the first sequence, whole blocks in another
    options = {"constants": {"is_causal": is_causal}, "where": mask, "alone": padded}
    assert_same_gradients(attention, built_in, x, weights=weights, padding_mask=mask, **options)
    if is_second_round():  # of more tokens values alone: there are many pairs
        seq = rng.option(300, 260, 330)
        x, mask = tokens(rng, 1, seq, 11), padding(rng, 1, seq) if padded else None
        came = attention(x, mask, is_causal)
        assert_close(came, built_in(weights, x, mask, is_causal), tolerance=IN_FLOAT32, where=mask)
        x = tokens(rng, rng.option(100, 65, 160), 3, 11)
        mask = padding(rng, len(x), 3) if padded else None
        came = attention(x, mask, is_causal)
        assert_close(came, built_in(weights, x, mask, is_causal), tolerance=IN_FLOAT32, where=mask)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_dtype_is_kept(submission, rng, dtype):
    """float32 and float16 are kept, with both masks, either, and none"""
    attention = submission.SelfAttention(11)
    weights = attention.randomize(rng, dtype=getattr(torch, dtype))
    x, mask = tokens(rng, 3, 7, 11).to(getattr(torch, dtype)), padding(rng, 3, 7)
    precise = {name: value.double() for name, value in weights.items()}
    expected = built_in(precise, x.double(), mask, True).to(x.dtype)
    assert_close(attention(x, padding_mask=mask, is_causal=True), expected, where=mask)
    if is_second_round():
        for own, is_causal in ((mask, False), (None, True), (None, False)):
            expected = built_in(precise, x.double(), own, is_causal).to(x.dtype)
            assert_close(attention(x, own, is_causal), expected, where=own)


@pytest.mark.parametrize("padded", [True, False])
@pytest.mark.parametrize("is_causal", [False, True])
def test_large_scores_do_not_overflow(submission, rng, is_causal, padded):
    """scores in the thousands give finite, right values, masked ones too, with padding and without"""
    attention = submission.SelfAttention(11)
    own, x = attention.randomize(rng), tokens(rng, 3, 7, 11)
    weights, x = with_large_scores(own, x, head_dim=11, fused=True, apart=True)
    attention.load(weights)
    mask = padding(rng, 3, 7) if padded else None
    came, expected = attention(x, mask, is_causal), built_in(weights, x, mask, is_causal)
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_close(came, expected, tolerance=1e-3, where=mask)


def test_long_sequences(submission, rng):
    """a sequence of 2053 tokens is right, after a short one"""
    attention = submission.SelfAttention(3)
    weights = attention.randomize(rng, dtype=torch.float32)
    for seq in (5, 2053):
        x, mask = tokens(rng, 1, seq, 3).float(), padding(rng, 1, seq)
        expected, last = torch.zeros_like(x), torch.arange(seq) >= seq - 5
        expected[:, last] = built_in(weights, x, mask, True, last=5)
        assert_close(attention(x, mask, is_causal=True), expected, where=mask & last)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the sizes and masks of the calls before it"""
    attention = submission.SelfAttention(11)
    weights, xs = attention.randomize(rng), [tokens(rng, 3, 7, 11) for _ in range(4)]
    masks = [padding(rng, 3, 7), padding(rng, 3, 7), None, None]
    for x, mask, is_causal in zip(xs, masks, [True, False, True, False], strict=True):
        came, everywhere = attention(x, mask, is_causal), torch.ones(3, 7, dtype=torch.bool)
        expected = built_in(weights, x, mask, is_causal)
        assert_close(came, expected, where=everywhere if mask is None else mask)


def test_other_layouts(submission, rng):
    """a single token, a batch of one, and an x and a mask that are not contiguous are right"""
    attention = submission.SelfAttention(11)
    weights = attention.randomize(rng)
    xs = other_layouts(rng, 2, 7, 11)
    masks = [torch.ones(2, 1, dtype=torch.bool), padding(rng, 1, 7), padding(rng, 2, 7).T.contiguous().T]
    for x, mask in zip(xs, masks, strict=True):
        assert_close(attention(x, mask, True), built_in(weights, x, mask, True), where=mask)


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.SelfAttention(11, dropout=0.5)
    weights, x, mask = attention.randomize(rng), tokens(rng, 3, 7, 11), padding(rng, 3, 7)
    assert_nothing_dropped(attention, x, mask, True, expected=built_in(weights, x, mask, True), where=mask)
    if is_second_round():  # gradients do not end where one drops in training
        assert_same_gradients(
            attention.eval(), built_in, x, mask, True, weights=weights, where=mask, alone=False
        )


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.SelfAttention(11, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 3, 7, 11), is_causal=True)


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops attention weights, each on its own, and divides the others by 1 - dropout"""
    attention = submission.SelfAttention(3, dropout=0.3)
    attention.load(counting_weights(rng, parameters(3)))
    came = attention.train()(rng.normal(17, 13, 3))
    assert_dropout_acts_on_weights(came, kv_len=13, num_heads=1, dropout=0.3)


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("is_causal, large", [(False, False), (True, False), (True, True)])
def test_gradients_under_dropout(submission, rng, is_causal, large, padded):
    """in training the gradients are those of the attention weights kept, with either mask and both"""
    attention = submission.SelfAttention(11, dropout=0.4)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 11), padding(rng, 2, 7)
    options = {"padding_mask": mask, "where": mask} if padded else {}
    allowed = mask[:, None, None] if padded else torch.ones(1, 1, 1, 7, dtype=torch.bool)
    allowed = torch.ones(7, 7, dtype=torch.bool).tril() & allowed if is_causal else allowed
    options |= {"is_causal": is_causal, "allowed": allowed, "large": large}
    assert_gradients_under_dropout(attention, weights, x, x, head_dim=11, dropout=0.4, **options)


def test_instances_keep_apart(submission, rng):
    """two modules with other sizes and dropout, used by turns, give what each alone gives"""
    ahead = padding(rng, 3, 7)  # real tokens alone count, and all calls have the same ones

    def player(size, attention):
        calls = [
            (tokens(rng, 3, 7, size), ahead, is_causal) for is_causal in (False, False, False, False, True)
        ]
        return replace(with_weights(rng, attention, built_in, calls), where=lambda x, mask, *_: mask)

    first, second = submission.SelfAttention(11), submission.SelfAttention(5, dropout=0.5)
    assert_by_turns(player(11, first.train()), player(5, second.eval()))


def test_padding_of_the_call_counts(submission, rng):
    """in evaluation too a call uses its own padding mask, not that of a call before"""
    attention, masks = submission.SelfAttention(11).eval(), [padding(rng, 3, 7) for _ in range(4)]
    player = with_weights(rng, attention, built_in, [(tokens(rng, 3, 7, 11), mask) for mask in masks])
    assert_by_turns(replace(player, where=lambda _, mask: mask))


def test_zeros_are_numbers_like_others(submission, rng):
    """tokens of zeros and scores of exactly 0 count like any others, with a mask and without"""
    attention, mask = submission.SelfAttention(11), padding(rng, 2, 7)
    weights, x = with_zeros(rng, attention, (2, 7, 11))
    assert_close(attention(x), built_in(weights, x))
    assert_close(attention(x, mask, True), built_in(weights, x, mask, True), where=mask)


def test_inputs_are_not_modified(submission, rng):
    """x and padding_mask are not modified"""
    attention = submission.SelfAttention(11).to(torch.float64)
    x, mask = tokens(rng, 3, 7, 11), padding(rng, 3, 7)
    assert_inputs_unchanged(attention, x, padding_mask=mask, is_causal=True)
    assert_arguments_unchanged(attention, x, padding_mask=mask)
    assert_arguments_unchanged(attention, x)
