"""Checks of `PooledCrossAttention`: windows, padding in them, parameters, dropout, gradients."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    assert_close,
    assert_dropout_in_training_only,
    assert_inputs_unchanged,
    assert_nothing_dropped,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
)
from grader.kit.families.attention.checks import (
    IN_FLOAT32,
    assert_dropout_acts_on_weights,
    counting_weights,
    linear_layers,
    multi_head_attention,
    tokens,
    with_large_scores,
    with_zeros,
)
from grader.kit.families.attention.dropout_checks import assert_gradients_under_dropout
from grader.kit.families.models.default_devices import assert_calls_keep_device
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.drawn_gradients import assert_gradients_whatever_is_dropped
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("multi_head_attention")

PADDED = torch.tensor([[1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0]]).bool()
"""With windows of 3: full, half and empty ones, among them the first and the last."""


def workload(submission, rng):
    x, context = tokens(rng, 2, 32, 64).float(), tokens(rng, 2, 128, 64).float()
    attention = submission.PooledCrossAttention(64, 4, 4)
    attention.randomize(rng, torch.float32)
    return attention.measure(x, context)


LADDER = [(1, 1, 1, 1), (1, 2, 1, 2), (1, 3, 2, 2), (2, 3, 2, 2)]


def smallest(submission, rng, tgt, src, hidden_size, stride):
    """small whole numbers give what the built-in gives on the windows' means"""
    attention = submission.PooledCrossAttention(hidden_size, 1, stride)
    weights = fill(rng, attention)
    x, context = whole(rng, 1, tgt, hidden_size), whole(rng, 1, src, hidden_size)
    assert_close(attention(x, context), built_in(weights, x, context, stride=stride, num_heads=1))


def pooled(x, stride):
    """(batch, length, features): the means of windows, of a shorter last one that of what it has."""
    return F.avg_pool1d(x.mT, stride, ceil_mode=True).mT


def built_in(weights, x, context, padding_mask=None, *, stride=3, num_heads=3):
    """The built-in pooling, and the function behind nn.MultiheadAttention on what it gives."""
    if padding_mask is None:
        return multi_head_attention(weights, x, pooled(context, stride), None, num_heads)
    real = padding_mask.to(context.dtype).unsqueeze(-1)
    shares = pooled(real, stride)  # of real tokens, by window
    means = pooled(torch.where(padding_mask.unsqueeze(-1), context, 0.0), stride) / shares.clamp(min=1e-9)
    return multi_head_attention(weights, x, means, (shares > 0).mT.unsqueeze(1), num_heads)


def inputs(rng, batch=2, tgt=5, src=11):
    return tokens(rng, batch, tgt, 15), tokens(rng, batch, src, 15)


def parameters(size):
    return linear_layers(**{f"{name}_proj": (size, size) for name in "qkvo"})


def test_parameters(submission):
    """four projections from hidden_size to hidden_size, with biases"""
    assert_parameters(submission.PooledCrossAttention(15, 3, 2), parameters(15))


@pytest.mark.parametrize("stride, src", [(3, 12), (3, 11), (3, 10), (1, 7), (5, 3)])
def test_equals_the_built_in(submission, rng, stride, src):
    """equals nn.MultiheadAttention over the means of F.avg_pool1d, whatever the lengths"""
    attention = submission.PooledCrossAttention(15, 3, stride)
    weights, (x, context) = attention.randomize(rng), inputs(rng, src=src)
    assert_close(attention(x, context), built_in(weights, x, context, stride=stride))


@pytest.mark.parametrize("padded", [False, True])
def test_longer_sequences(submission, rng, padded):
    """131 tokens over 137 windows, more than usual blocks take and no multiple of them, are all right"""
    attention = submission.PooledCrossAttention(6, 3, 2)
    weights, x, context = attention.randomize(rng), tokens(rng, 2, 131, 6), tokens(rng, 2, 273, 6)
    mask = rng.mask(2, 273, keep=0.4) if padded else None
    if padded:
        mask[0, :160] = False  # whole blocks of windows without a real token, in the first row alone
    oracle = partial(built_in, stride=2)
    assert_same_gradients(
        attention, oracle, x, context, mask, weights=weights, alone=False, tolerance=IN_FLOAT32
    )


@pytest.mark.parametrize("stride, whole_row", [(3, 0), (2, 1), (20, None)])
def test_padding(submission, rng, stride, whole_row):
    """the mean of a window is that of its real tokens, and a window without any gets no weight"""
    attention, mask = submission.PooledCrossAttention(15, 3, stride), PADDED.T.contiguous().T
    if whole_row is not None:  # a look at this row alone finds no padding
        mask[whole_row] = True
    weights, (x, context) = attention.randomize(rng), inputs(rng)
    assert_close(attention(x, context, mask), built_in(weights, x, context, mask, stride=stride))


def test_padded_tokens_do_not_count(submission, rng):
    """what padded tokens hold changes nothing, however large it is"""
    attention = submission.PooledCrossAttention(15, 3, 3)
    weights, (x, context) = attention.randomize(rng), inputs(rng)
    large = torch.where(PADDED.unsqueeze(-1), context, 1e6 * rng.normal(2, 11, 15))
    assert_close(attention(x, large, padding_mask=PADDED), built_in(weights, x, context, PADDED))


def test_no_padding_in_the_mask(submission, rng):
    """a padding_mask that is True everywhere changes nothing"""
    attention = submission.PooledCrossAttention(15, 3, 4)
    weights, (x, context) = attention.randomize(rng), inputs(rng)
    came = attention(x, context, torch.ones(2, 11, dtype=torch.bool))
    assert_close(came, built_in(weights, x, context, stride=4))


@pytest.mark.parametrize("hidden_size, num_heads", [(15, 5), (7, 1)])
def test_numbers_of_heads(submission, rng, hidden_size, num_heads):
    """any number of heads that divides hidden_size is right"""
    attention = submission.PooledCrossAttention(hidden_size, num_heads, 3)
    weights, x, context = (
        attention.randomize(rng),
        tokens(rng, 2, 5, hidden_size),
        tokens(rng, 2, 7, hidden_size),
    )
    assert_close(attention(x, context), built_in(weights, x, context, num_heads=num_heads))


@pytest.mark.parametrize("padding_mask", [None, PADDED])
def test_gradients(submission, rng, padding_mask):
    """the gradients of x, of context and of every parameter equal the built-in's"""
    attention = submission.PooledCrossAttention(15, 3, 3)
    weights, pair = attention.randomize(rng), inputs(rng)
    options = {} if padding_mask is None else {"padding_mask": padding_mask}
    assert_same_gradients(attention, built_in, *pair, weights=weights, **options)


def test_float32_is_kept(submission, rng):
    """float32 is kept, with padding"""
    attention = submission.PooledCrossAttention(15, 3, 3)
    weights = attention.randomize(rng, dtype=torch.float32)
    x, context = (each.float() for each in inputs(rng))
    assert_close(attention(x, context, PADDED), built_in(weights, x, context, PADDED))


@pytest.mark.parametrize("padding_mask", [PADDED, None])
def test_large_scores_do_not_overflow(submission, rng, padding_mask):
    """scores in the thousands give finite, right values and gradients, with padding and without"""
    attention = submission.PooledCrossAttention(15, 3, 1)
    weights, *pair = with_large_scores(attention.randomize(rng), *inputs(rng, tgt=11), head_dim=5)
    attention.load(weights)
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    oracle = partial(built_in, stride=1)
    assert_same_gradients(attention, oracle, *pair, padding_mask, weights=weights, tolerance=1e-3)
    if is_second_round():
        # What is padded, or 0 in its place, scores 5500, and the rest -5500: adding -1e4 is not enough.
        weights["k_proj.bias"][::5], pair[1][..., 1] = 1100 * 5**0.5, torch.where(PADDED, -22 / 3, 0.0)
        attention.load(weights)
        assert_close(attention(*pair, PADDED), oracle(weights, *pair, PADDED), tolerance=1e-2)


def test_instances_keep_apart(submission, rng):
    """two modules with other strides and numbers of heads, used by turns, give what each alone gives"""

    def player(attention, stride, num_heads):
        calls = [(*inputs(rng), mask) for mask in (None, PADDED, None, PADDED)]
        oracle = partial(built_in, stride=stride, num_heads=num_heads)
        return with_weights(rng, attention, oracle, calls)

    made = submission.PooledCrossAttention
    first, second = made(15, 3, 3), made(15, 5, 2, 0.5)
    assert_by_turns(player(first.train(), 3, 3), player(second.eval(), 2, 5), beside=(made, 20, 4, 5))


def test_zeros_are_numbers_like_others(submission, rng):
    """tokens of zeros and scores of exactly 0 count like any others, with padding and without"""
    attention = submission.PooledCrossAttention(15, 3, 1)
    weights, x, context = with_zeros(rng, attention, (2, 5, 15), (2, 11, 15))
    came = [attention(x, context), attention(x, context, PADDED)]
    assert_close(came, [built_in(weights, x, context, mask, stride=1) for mask in (None, PADDED)])


@pytest.mark.parametrize("padded, large", [(False, False), (True, False), (True, True)])
def test_gradients_under_dropout(submission, rng, padded, large):
    """in training the gradients are those of the attention weights that were kept, also with padding"""
    attention, real = submission.PooledCrossAttention(15, 3, 1, dropout=0.4), PADDED[:, 3:8]
    weights, (x, context) = attention.randomize(rng), inputs(rng, tgt=3, src=5)
    options = {"padding_mask": real, "allowed": real[:, None, None]} if padded else {}
    options |= {"dropout": 0.4, "large": large}
    assert_gradients_under_dropout(attention, weights, x, context, head_dim=5, **options)


def test_other_layouts(submission, rng):
    """one token on either side, a batch of one and inputs that are not contiguous are right"""
    attention = submission.PooledCrossAttention(15, 3, 3)
    weights = attention.randomize(rng)
    pairs = [inputs(rng, tgt=1, src=1), inputs(rng, batch=1)]
    pairs.append((tokens(rng, 5, 2, 15).transpose(0, 1), tokens(rng, 2, 15, 11).transpose(1, 2)))
    assert_close([attention(*pair) for pair in pairs], [built_in(weights, *pair) for pair in pairs])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.PooledCrossAttention(15, 3, 3, 0.4)
    weights, (x, context) = attention.randomize(rng), inputs(rng)
    assert_nothing_dropped(attention, x, context, PADDED, expected=built_in(weights, x, context, PADDED))
    if is_second_round():
        assert_gradients_whatever_is_dropped(attention, x, context, PADDED)


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.PooledCrossAttention(15, 3, 3, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, *inputs(rng), padding_mask=PADDED)


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops attention weights, that of a single window too, and divides the others by 1 - dropout"""
    attention = submission.PooledCrossAttention(9, 3, 2, dropout=0.3)
    attention.load(counting_weights(rng, parameters(9)))
    attention.train()
    for _ in range(2):  # with gradients and without
        came = attention(rng.normal(5, 17, 9), rng.normal(5, 26, 9))
        assert_dropout_acts_on_weights(came, kv_len=13, num_heads=3, dropout=0.3)
    came = attention(rng.normal(23, 29, 9), rng.normal(23, 2, 9))
    assert_dropout_acts_on_weights(came, kv_len=1, num_heads=3, dropout=0.3)


@pytest.mark.parametrize("hidden_size, num_heads", [(10, 3), (3, 5)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.PooledCrossAttention, hidden_size, num_heads, 2)


def test_device(submission, rng):
    """the result is on the device of inputs and parameters, whatever the default device is"""
    x, context = (each.float() for each in inputs(rng))
    assert_keeps_device(submission, "PooledCrossAttention", x, context, PADDED, made_with=(15, 3, 3))
    assert_keeps_device(submission, "PooledCrossAttention", x, context, made_with=(15, 3, 3))
    calls = (x, context), (x, context, PADDED)
    assert_calls_keep_device(submission, "PooledCrossAttention", *calls, made_with=(15, 3, 3, 0.4))


def test_inputs_are_not_modified(submission, rng):
    """x, context and padding_mask are not modified"""
    attention = submission.PooledCrossAttention(15, 3, 3).to(torch.float64)
    assert_inputs_unchanged(attention, *inputs(rng), padding_mask=PADDED)
    assert_inputs_unchanged(attention, *inputs(rng))
    whole_windows = submission.PooledCrossAttention(15, 3, 1).to(torch.float64)
    assert_inputs_unchanged(whole_windows, *inputs(rng), padding_mask=PADDED)
