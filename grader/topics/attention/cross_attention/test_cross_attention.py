"""Checks of `CrossAttention`: parameters, values, context sizes, masks, dropout, gradients."""

from functools import partial

import pytest
import torch

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
from grader.kit.families.masking import hidden_at_first
from grader.kit.rounds import is_second_round
from grader.kit.rules.drawn_gradients import assert_gradients_whatever_is_dropped
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")


def workload(submission, rng):
    x, context = tokens(rng, 2, 32, 64).float(), tokens(rng, 2, 64, 96).float()
    attention = submission.CrossAttention(64, 4, 96)
    attention.randomize(rng, torch.float32)
    return attention.measure(x, context)


LADDER = [(1, 1, 1, 1), (1, 2, 2, 1), (2, 3, 2, 1), (2, 3, 2, 2)]


def smallest(submission, rng, tgt, src, hidden_size, num_heads):
    """small whole numbers give what the built-in gives"""
    attention = submission.CrossAttention(hidden_size, num_heads, 3)
    weights = fill(rng, attention)
    x, context = whole(rng, 1, tgt, hidden_size), whole(rng, 1, src, 3)
    assert_close(attention(x, context), built_in(weights, x, context, num_heads=num_heads))


def built_in(weights, x, context, mask=None, *, num_heads=3):
    """The function behind nn.MultiheadAttention(kdim=, vdim=)."""
    return multi_head_attention(weights, x, context, mask, num_heads)


def inputs(rng, batch=2, tgt=5, src=7, context_size=11):
    return tokens(rng, batch, tgt, 15), tokens(rng, batch, src, context_size)


def parameters(size, context_size):
    projection = (context_size, size)
    return linear_layers(q_proj=(size, size), k_proj=projection, v_proj=projection, o_proj=(size, size))


@pytest.mark.parametrize("context_size", [11, None])
def test_parameters(submission, context_size):
    """K and V project from context_size (by default hidden_size), Q and O from hidden_size, with biases"""
    assert_parameters(submission.CrossAttention(15, 3, context_size), parameters(15, context_size or 15))


@pytest.mark.parametrize(
    "hidden_size, num_heads, context_size", [(15, 3, 11), (15, 3, 23), (7, 1, 2), (5, 5, 7)]
)
def test_equals_the_built_in(submission, rng, hidden_size, num_heads, context_size):
    """equals nn.MultiheadAttention with kdim and vdim, for contexts of any size and length"""
    attention = submission.CrossAttention(hidden_size, num_heads, context_size)
    weights = attention.randomize(rng)
    x, context = tokens(rng, 2, 5, hidden_size), tokens(rng, 2, 7, context_size)
    assert_close(attention(x, context), built_in(weights, x, context, num_heads=num_heads))


def test_context_size_defaults_to_hidden_size(submission, rng):
    """without context_size the context has hidden_size features"""
    attention = submission.CrossAttention(15, 3)
    weights, (x, context) = attention.randomize(rng), inputs(rng, context_size=15)
    assert_close(attention(x, context), built_in(weights, x, context))


def test_context_as_long_as_x(submission, rng):
    """keys and values come from context also where it has the shape of x"""
    attention = submission.CrossAttention(15, 3)
    weights, (x, context) = attention.randomize(rng), inputs(rng, tgt=7, context_size=15)
    assert_close(attention(x, context), built_in(weights, x, context))


@pytest.mark.parametrize("shape", [(2, 3, 5, 7), (2, 1, 1, 7), (1, 3, 1, 7), (1, 1, 5, 7), (2, 1, 5, 1)])
def test_mask_broadcasts(submission, rng, shape):
    """tokens of context where the mask is False get no weight, in every shape that broadcasts"""
    attention = submission.CrossAttention(15, 3, 11)
    weights, (x, context), mask = attention.randomize(rng), inputs(rng), rng.mask(*shape)
    assert_close(attention(x, context, mask), built_in(weights, x, context, mask))


def test_masks_where_sizes_are_equal(submission, rng):
    """with as many sequences as tokens and heads, a mask's dimensions are told by their places"""
    attention = submission.CrossAttention(15, 5, 11)
    weights, (x, context) = attention.randomize(rng), inputs(rng, batch=5)
    masks = [rng.mask(*shape) for shape in [(1, 1, 5, 7), (5, 1, 1, 7), (1, 5, 1, 7), (5, 5, 5, 7)]]
    expected = [built_in(weights, x, context, mask, num_heads=5) for mask in masks]
    assert_close([attention(x, context, mask) for mask in masks], expected)


def test_longer_sequences(submission, rng):
    """131 tokens over 259, more than usual blocks take and no multiple of them, are right, with gradients"""
    attention, mask = submission.CrossAttention(6, 3, 5), hidden_at_first(rng.mask(2, 3, 131, 259), 80)
    weights, pair = attention.randomize(rng), (tokens(rng, 2, 131, 6), tokens(rng, 2, 259, 5))
    for each in (None, mask):
        assert_same_gradients(
            attention, built_in, *pair, each, weights=weights, alone=False, tolerance=IN_FLOAT32
        )
    # Of more queries, and more sequences, values alone: there are many pairs.
    sizes = [(1, rng.option(300, 260, 330), 7), (rng.option(100, 65, 160), 3, 4)] * is_second_round()
    for batch, tgt, src in sizes:
        pair = tokens(rng, batch, tgt, 6), tokens(rng, batch, src, 5)
        assert_close(attention(*pair), built_in(weights, *pair), tolerance=IN_FLOAT32)
        mask = rng.mask(batch, 1, 1, src)
        assert_close(attention(*pair, mask), built_in(weights, *pair, mask), tolerance=IN_FLOAT32)


def test_gradients(submission, rng):
    """the gradients of x, of context and of every parameter equal the built-in's"""
    attention = submission.CrossAttention(15, 3, 11)
    weights, (x, context), mask = attention.randomize(rng), inputs(rng), rng.mask(2, 1, 5, 7)
    assert_same_gradients(attention, built_in, x, context, weights=weights, mask=mask)


def test_float32_is_kept(submission, rng):
    """float32 is kept, with a mask"""
    attention = submission.CrossAttention(15, 3, 11)
    weights = attention.randomize(rng, dtype=torch.float32)
    (x, context), mask = inputs(rng), rng.mask(2, 1, 5, 7)
    x, context = x.float(), context.float()
    assert_close(attention(x, context, mask=mask), built_in(weights, x, context, mask))


@pytest.mark.parametrize("masked", [True, False])
def test_large_scores_do_not_overflow(submission, rng, masked):
    """scores in the thousands give right values and gradients, also at masked places, and without a mask"""
    attention = submission.CrossAttention(15, 3, 11)
    own = attention.randomize(rng)
    weights, *pair = with_large_scores(own, *inputs(rng, tgt=11), head_dim=5, apart=True)
    attention.load(weights)
    mask = rng.mask(2, 3, 11, 7) if masked else None
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_same_gradients(attention, built_in, *pair, mask, weights=weights, tolerance=1e-3)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the x, the context and the mask of the calls before it"""
    attention = submission.CrossAttention(15, 3, 11)
    weights, masks = attention.randomize(rng), [rng.mask(2, 3, 5, 7) for _ in range(2)]
    masks[0][0], masks[1][:, 0] = True, True  # a look at the first sequence, or head, alone tells nothing
    calls = [(*inputs(rng), mask) for mask in masks] + [inputs(rng, 3, 1, 2)]
    assert_close([attention(*call) for call in calls], [built_in(weights, *call) for call in calls])


def test_the_same_tensors_with_other_values(submission, rng):
    """a context, and then weights or biases, changed in place count with the values that they have now"""

    @torch.no_grad()
    def changed(attention, x, context, other, weights):
        came = [attention(x, context)]
        context.copy_(other)
        came.append(attention(x, context))
        for kind in ("weight", "bias"):
            for name, parameter in attention.named_parameters():
                if kind in name:
                    parameter.copy_(weights[name])
            came.append(attention(x, context))
        return came

    attention = submission.CrossAttention(15, 3, 11).eval()
    weights, (x, context), (_, other) = attention.randomize(rng), inputs(rng), inputs(rng)
    halves = {name: value / 2 for name, value in weights.items()}
    mixed = {name: (halves if "weight" in name else weights)[name] for name in weights}
    expected = [built_in(weights, x, context)] + [
        built_in(each, x, other) for each in (weights, mixed, halves)
    ]
    assert_close(attention.within(changed, x, context, other, halves), expected)


def test_other_layouts(submission, rng):
    """one token on either side, a batch of one, and inputs and masks that are not contiguous are right"""
    attention = submission.CrossAttention(15, 3, 11)
    weights = attention.randomize(rng)
    every_second, by_columns = rng.mask(2, 3, 1, 7), rng.mask(2, 3, 5, 7).mT.contiguous().mT
    every_second = every_second.repeat_interleave(2, dim=-1)[..., ::2]
    calls = [(*inputs(rng, tgt=1), every_second), inputs(rng, src=1), inputs(rng, batch=1)]
    calls.append((tokens(rng, 5, 2, 15).transpose(0, 1), tokens(rng, 2, 11, 7).transpose(1, 2), by_columns))
    assert_close([attention(*call) for call in calls], [built_in(weights, *call) for call in calls])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.CrossAttention(15, 3, 11, 0.4)
    weights, (x, context), mask = attention.randomize(rng), inputs(rng), rng.mask(2, 1, 5, 7)
    assert_nothing_dropped(attention, x, context, mask, expected=built_in(weights, x, context, mask))
    if is_second_round():
        assert_gradients_whatever_is_dropped(attention, x, context, mask)


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.CrossAttention(15, 3, 11, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, *inputs(rng), mask=rng.mask(2, 1, 5, 7))


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops attention weights with its probability, and divides the others by 1 - dropout"""
    attention = submission.CrossAttention(9, 3, 4, dropout=0.3)
    attention.load(counting_weights(rng, parameters(9, 4)))
    attention.train()
    for _ in range(2):  # with gradients and without
        came = attention(rng.normal(5, 17, 9), rng.normal(5, 13, 4))
        assert_dropout_acts_on_weights(came, kv_len=13, num_heads=3, dropout=0.3)


@pytest.mark.parametrize("masked, large", [(False, False), (True, False), (True, True)])
def test_gradients_under_dropout(submission, rng, masked, large):
    """in training the gradients are those of the attention weights that were kept, also with a mask"""
    attention = submission.CrossAttention(15, 3, 11, dropout=0.4)
    weights, (x, context) = attention.randomize(rng), inputs(rng, tgt=3, src=5)
    mask = rng.mask(2, 3, 3, 5)
    options = {"mask": mask} if masked else {}
    assert_gradients_under_dropout(
        attention, weights, x, context, head_dim=5, dropout=0.4, large=large, **options
    )


@pytest.mark.parametrize("hidden_size, num_heads, context_size", [(10, 3, 9), (3, 5, None)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads, context_size):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.CrossAttention, hidden_size, num_heads, context_size)
    _ = is_second_round() and assert_raises(submission.CrossAttention, 3, 6, context_size)


def test_instances_keep_apart(submission, rng):
    """two modules with other numbers of heads, used by turns, give what each alone gives"""

    def player(num_heads, attention):
        calls = [(*inputs(rng), mask) for mask in (None, None, None, None, rng.mask(2, 1, 5, 7))]
        return with_weights(rng, attention, partial(built_in, num_heads=num_heads), calls)

    made = submission.CrossAttention
    first, second = made(15, 3, 11), made(15, 5, 11, dropout=0.5)
    assert_by_turns(player(3, first.train()), player(5, second.eval()), beside=(made, 20, 4, 13))


def test_zeros_are_numbers_like_others(submission, rng):
    """tokens of zeros and scores of exactly 0 count like any others, with a mask and without"""
    attention, mask = submission.CrossAttention(15, 3, 11), rng.mask(2, 1, 5, 7)
    weights, *inputs = with_zeros(rng, attention, (2, 5, 15), (2, 7, 11))
    came = [attention(*inputs), attention(*inputs, mask)]
    assert_close(came, [built_in(weights, *inputs), built_in(weights, *inputs, mask)])


def test_inputs_are_not_modified(submission, rng):
    """x, context and mask are not modified"""
    attention = submission.CrossAttention(15, 3, 11).to(torch.float64)
    assert_inputs_unchanged(attention, *inputs(rng), mask=rng.mask(2, 3, 5, 7))
    assert_inputs_unchanged(attention, *inputs(rng))
