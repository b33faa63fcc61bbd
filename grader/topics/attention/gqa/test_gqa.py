"""Checks of `GroupedQueryAttention`: parameters, groups, masks, dropout, gradients, bad configuration."""

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
from grader.kit.families import masking
from grader.kit.families.attention.checks import (
    IN_FLOAT32,
    assert_dropout_acts_on_weights,
    assert_large_scores_of_wide_heads,
    assert_many_tokens,
    counting_weights,
    linear_layers,
    merge_heads,
    other_layouts,
    project,
    split_heads,
    tokens,
    with_large_scores,
    with_zeros,
)
from grader.kit.families.attention.dropout_checks import assert_gradients_under_dropout
from grader.kit.rounds import is_second_round
from grader.kit.rules.drawn_gradients import assert_gradients_whatever_is_dropped
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")


def workload(submission, rng):
    attention = submission.GroupedQueryAttention(64, 8, 2)
    attention.randomize(rng, torch.float32)
    return attention.measure(tokens(rng, 2, 64, 64).float())


LADDER = [(1, 1, 1, 1), (2, 2, 1, 1), (2, 2, 2, 1), (2, 2, 2, 2), (3, 3, 3, 1)]


def smallest(submission, rng, seq, hidden_size, num_heads, num_kv_heads):
    """small whole numbers give what the built-in gives"""
    attention = submission.GroupedQueryAttention(hidden_size, num_heads, num_kv_heads)
    weights, x = fill(rng, attention), whole(rng, 1, seq, hidden_size)
    heads = [split_heads(project(weights, name, x), hidden_size // num_heads) for name in "qkv"]
    context = F.scaled_dot_product_attention(*heads, enable_gqa=True)
    assert_close(attention(x), project(weights, "o", merge_heads(context)))


def built_in(weights, x, mask=None, head_dim=7):
    """The built-in on the projections, cut into heads."""
    heads = [split_heads(project(weights, name, x), head_dim) for name in "qkv"]
    context = F.scaled_dot_product_attention(*heads, mask, enable_gqa=True)
    return project(weights, "o", merge_heads(context))


def of_heads_of_2(weights, x, mask=None):
    return built_in(weights, x, mask, head_dim=2)


def parameters(size, kv_size):
    return linear_layers(
        q_proj=(size, size), k_proj=(size, kv_size), v_proj=(size, kv_size), o_proj=(size, size)
    )


@pytest.mark.parametrize("num_kv_heads, kv_size", [(2, 14), (1, 7), (6, 42)])
def test_parameters(submission, num_kv_heads, kv_size):
    """K and V project to num_kv_heads * head_dim features, Q and O to hidden_size, all with biases"""
    assert_parameters(submission.GroupedQueryAttention(42, 6, num_kv_heads), parameters(42, kv_size))


@pytest.mark.parametrize("num_heads, num_kv_heads", [(6, 2), (6, 3), (6, 1), (6, 6)])
def test_equals_the_built_in(submission, rng, num_heads, num_kv_heads):
    """equals F.scaled_dot_product_attention with enable_gqa=True"""
    attention = submission.GroupedQueryAttention(42, num_heads, num_kv_heads)
    weights, x = attention.randomize(rng), tokens(rng, 5, 11, 42)
    assert_close(attention(x), built_in(weights, x))


@pytest.mark.parametrize(
    "shape", [(5, 6, 11, 11), (5, 1, 1, 11), (1, 6, 1, 11), (1, 1, 11, 11), (5, 1, 11, 1)]
)
def test_mask_broadcasts(submission, rng, shape):
    """keys where the mask is False get no weight, in every shape that broadcasts"""
    attention = submission.GroupedQueryAttention(42, 6, 2)
    weights, x, mask = attention.randomize(rng), tokens(rng, 5, 11, 42), rng.mask(*shape)
    assert_close(attention(x, mask), built_in(weights, x, mask))


def test_masks_where_sizes_are_equal(submission, rng):
    """with as many sequences as tokens and heads, a mask's dimensions are told by their places"""
    attention = submission.GroupedQueryAttention(42, 6, 2)
    weights, x = attention.randomize(rng), tokens(rng, 6, 6, 42)
    masks = [rng.mask(*shape) for shape in [(1, 1, 6, 6), (6, 1, 1, 6), (1, 6, 1, 6), (6, 6, 6, 6)]]
    expected = [built_in(weights, x, mask) for mask in masks]
    assert_close([attention(x, mask) for mask in masks], expected)


def test_mask_counts_in_all_its_parts(submission, rng):
    """a mask whose first head or sequence, or one triangle, is all True or causal counts in the rest too"""
    attention, masks = submission.GroupedQueryAttention(42, 6, 2), masking.plain_in_part(rng.mask(2, 6, 7, 7))
    weights, x = attention.randomize(rng), tokens(rng, 2, 7, 42)
    assert_close([attention(x, mask) for mask in masks], [built_in(weights, x, mask) for mask in masks])


@pytest.mark.parametrize("mask", ["none", "of each query", "of keys"])
def test_longer_sequences(submission, rng, mask):
    """131 tokens, more than usual blocks take and no multiple of them, are right, and so are gradients"""
    attention = submission.GroupedQueryAttention(6, 3, 1)
    weights, x = attention.randomize(rng), tokens(rng, 2, 131, 6)
    of_each = masking.hidden_at_first(rng.mask(2, 3, 131, 131), 80)
    mask = {"none": None, "of each query": of_each, "of keys": rng.mask(2, 1, 1, 131)}[mask]
    assert_same_gradients(
        attention, of_heads_of_2, x, mask, weights=weights, alone=False, tolerance=IN_FLOAT32
    )
    assert_many_tokens(rng, attention, of_heads_of_2, weights, 6, mask_dims=4)


@pytest.mark.parametrize("num_kv_heads", [2, 1])
def test_gradients(submission, rng, num_kv_heads):
    """the gradients of x and of every parameter equal the built-in's"""
    attention = submission.GroupedQueryAttention(42, 6, num_kv_heads)
    weights, x = attention.randomize(rng), tokens(rng, 5, 11, 42)
    mask = rng.mask(5, 1, 11, 11)
    assert_same_gradients(attention, built_in, x, weights=weights, mask=mask)


def test_float32_is_kept(submission, rng):
    """float32 is kept, with a mask"""
    attention = submission.GroupedQueryAttention(42, 6, 3)
    weights = attention.randomize(rng, dtype=torch.float32)
    x, mask = tokens(rng, 5, 11, 42).float(), rng.mask(5, 1, 11, 11)
    assert_close(attention(x, mask=mask), built_in(weights, x, mask))


@pytest.mark.parametrize("masked", [True, False])
def test_large_scores_do_not_overflow(submission, rng, masked):
    """scores in the thousands give right values and gradients, also at masked places, and without a mask"""
    attention = submission.GroupedQueryAttention(42, 6, 2)
    own = attention.randomize(rng)
    weights, x = with_large_scores(own, tokens(rng, 5, 11, 42), head_dim=7, apart=is_second_round())
    attention.load(weights)
    mask = rng.mask(5, 6, 11, 11) if masked else None
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_same_gradients(attention, built_in, x, mask, weights=weights, tolerance=1e-3)
    wide = submission.GroupedQueryAttention(384, 6, 2)
    assert_large_scores_of_wide_heads(rng, wide, partial(built_in, head_dim=64), 384, 6)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the size and the mask of the calls before it"""
    attention = submission.GroupedQueryAttention(42, 6, 2)
    weights = attention.randomize(rng)
    calls = [(tokens(rng, 5, 11, 42), rng.mask(5, 1, 11, 11)) for _ in range(2)] + [(tokens(rng, 2, 3, 42),)]
    assert_close([attention(*call) for call in calls], [built_in(weights, *call) for call in calls])


def test_other_layouts(submission, rng):
    """a single token, a batch of one, and an x and a mask that are not contiguous are right"""
    attention = submission.GroupedQueryAttention(42, 6, 2)
    weights = attention.randomize(rng)
    masks = [None, rng.mask(1, 1, 11, 11).expand(1, 6, 11, 11), rng.mask(11, 6, 5, 11).transpose(0, 2)]
    calls = list(zip(other_layouts(rng, 5, 11, 42), masks, strict=True))
    assert_close([attention(*call) for call in calls], [built_in(weights, *call) for call in calls])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.GroupedQueryAttention(42, 6, 2, dropout=0.4)
    weights, x, mask = attention.randomize(rng), tokens(rng, 5, 11, 42), rng.mask(5, 1, 11, 11)
    assert_nothing_dropped(attention, x, mask, expected=built_in(weights, x, mask))
    if is_second_round():
        assert_gradients_whatever_is_dropped(attention, x, mask)


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.GroupedQueryAttention(42, 6, 2, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 5, 11, 42), mask=rng.mask(5, 1, 11, 11))


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops each query head's attention weights, and divides the others by 1 - dropout"""
    attention = submission.GroupedQueryAttention(18, 6, 2, dropout=0.3)
    attention.load(counting_weights(rng, parameters(18, 6)))
    attention.train()
    for _ in range(2):  # with gradients and without
        came = attention(rng.normal(11, 13, 18))
        assert_dropout_acts_on_weights(came, kv_len=13, num_heads=6, dropout=0.3)


@pytest.mark.parametrize("hidden_size, num_heads, num_kv_heads", [(42, 4, 2), (42, 6, 4), (42, 3, 6)])
def test_bad_numbers_of_heads_raise(submission, hidden_size, num_heads, num_kv_heads):
    """numbers of heads that do not divide as they should raise ValueError in the constructor"""
    assert_raises(submission.GroupedQueryAttention, hidden_size, num_heads, num_kv_heads)
    _ = is_second_round() and assert_raises(submission.GroupedQueryAttention, 3, 6, 2)


@pytest.mark.parametrize("masked, large", [(False, False), (True, False), (True, True)])
def test_gradients_under_dropout(submission, rng, masked, large):
    """in training the gradients are those of the attention weights that were kept, also with a mask"""
    attention = submission.GroupedQueryAttention(42, 6, 2, dropout=0.4)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 5, 42), rng.mask(2, 6, 5, 5)
    options = {"mask": mask} if masked else {}
    assert_gradients_under_dropout(attention, weights, x, x, head_dim=7, dropout=0.4, large=large, **options)


def test_instances_keep_apart(submission, rng):
    """two modules of other sizes, used by turns, give what each alone gives"""

    def player(hidden_size, head_dim, attention):
        masks = (None, None, None, None, rng.mask(2, 1, 7, 7))
        calls = [(tokens(rng, 2, 7, hidden_size), mask) for mask in masks]
        return with_weights(rng, attention, partial(built_in, head_dim=head_dim), calls)

    first = submission.GroupedQueryAttention(42, 6, 2)
    second = submission.GroupedQueryAttention(40, 8, 4, dropout=0.5)
    assert_by_turns(player(42, 7, first.train()), player(40, 5, second.eval()))


def test_zeros_are_numbers_like_others(submission, rng):
    """tokens of zeros and scores of exactly 0 count like any others, with a mask and without"""
    attention, mask = submission.GroupedQueryAttention(42, 6, 2), rng.mask(2, 1, 7, 7)
    weights, *inputs = with_zeros(rng, attention, (2, 7, 42))
    came = [attention(*inputs), attention(*inputs, mask)]
    assert_close(came, [built_in(weights, *inputs), built_in(weights, *inputs, mask)])


def test_inputs_are_not_modified(submission, rng):
    """x and mask are not modified"""
    attention = submission.GroupedQueryAttention(42, 6, 2).to(torch.float64)
    x = tokens(rng, 5, 11, 42)
    assert_inputs_unchanged(attention, x, mask=rng.mask(5, 6, 11, 11))
    assert_inputs_unchanged(attention, x)
