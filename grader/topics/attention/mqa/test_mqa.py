"""Checks of `MultiQueryAttention`: parameters, the shared head, masks, dropout, gradients."""

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
    assert_dropout_acts_on_weights,
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
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")


def workload(submission, rng):
    attention = submission.MultiQueryAttention(64, 8)
    attention.randomize(rng, torch.float32)
    return attention.measure(tokens(rng, 2, 64, 64).float())


LADDER = [(1, 1, 1), (2, 2, 1), (2, 2, 2), (3, 3, 3)]


def smallest(submission, rng, seq, hidden_size, num_heads):
    """small whole numbers give what the built-in gives"""
    attention = submission.MultiQueryAttention(hidden_size, num_heads)
    weights, x = fill(rng, attention), whole(rng, 1, seq, hidden_size)
    assert_close(attention(x), built_in(weights, x, num_heads=num_heads))


def built_in(weights, x, mask=None, *, num_heads=5):
    """The built-in on the projections, cut into heads; enable_gqa shares the one key/value head."""
    heads = [split_heads(project(weights, name, x), x.shape[2] // num_heads) for name in "qkv"]
    context = F.scaled_dot_product_attention(*heads, mask, enable_gqa=True)
    return project(weights, "o", merge_heads(context))


def parameters(size, head_dim):
    return linear_layers(
        q_proj=(size, size), k_proj=(size, head_dim), v_proj=(size, head_dim), o_proj=(size, size)
    )


@pytest.mark.parametrize("num_heads, head_dim", [(5, 7), (1, 35)])
def test_parameters(submission, num_heads, head_dim):
    """K and V project to head_dim features, one head for all; Q and O to hidden_size; all with biases"""
    assert_parameters(submission.MultiQueryAttention(35, num_heads), parameters(35, head_dim))


@pytest.mark.parametrize("hidden_size, num_heads", [(35, 5), (35, 7), (11, 1), (3, 3)])
def test_equals_the_built_in(submission, rng, hidden_size, num_heads):
    """equals F.scaled_dot_product_attention with enable_gqa=True on one key/value head"""
    attention = submission.MultiQueryAttention(hidden_size, num_heads)
    weights, x = attention.randomize(rng), tokens(rng, 2, 13, hidden_size)
    assert_close(attention(x), built_in(weights, x, num_heads=num_heads))


@pytest.mark.parametrize(
    "shape", [(2, 5, 13, 13), (2, 1, 1, 13), (1, 5, 1, 13), (1, 1, 13, 13), (2, 1, 13, 1)]
)
def test_mask_broadcasts(submission, rng, shape):
    """keys where the mask is False get no weight, in every shape that broadcasts"""
    attention = submission.MultiQueryAttention(35, 5)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 13, 35), rng.mask(*shape)
    assert_close(attention(x, mask), built_in(weights, x, mask))


def test_masks_where_sizes_are_equal(submission, rng):
    """with as many sequences as tokens and heads, a mask's dimensions are told by their places

    And no part of it tells what the rest is: another head or sequence may have a plain one.
    """
    attention = submission.MultiQueryAttention(35, 5)
    weights, x = attention.randomize(rng), tokens(rng, 5, 5, 35)
    masks = [rng.mask(*shape) for shape in [(1, 1, 5, 5), (5, 1, 1, 5), (1, 5, 1, 5), (5, 5, 5, 5)]]
    masks += masking.plain_in_part(rng.mask(5, 5, 5, 5))
    expected = [built_in(weights, x, mask) for mask in masks]
    assert_close([attention(x, mask) for mask in masks], expected)


def test_longer_sequences(submission, rng):
    """139 tokens, more than usual blocks take and no multiple of them, are right to the last one"""
    attention = submission.MultiQueryAttention(35, 5)
    weights, x = attention.randomize(rng), tokens(rng, 1, 139, 35)
    mask, of_keys = rng.mask(1, 5, 139, 149)[..., :139], rng.mask(1, 1, 1, 139)
    mask[:, :, 1::3, :137], mask[:, :, 1::3, 137:] = False, True  # some queries see nothing up to there
    came = [attention(x), attention(x, mask), attention(x, of_keys)]
    assert_close(came, [built_in(weights, x), built_in(weights, x, mask), built_in(weights, x, of_keys)])
    assert_many_tokens(rng, attention, built_in, weights, 35, mask_dims=4)


@pytest.mark.parametrize("seq", [13, 139])
def test_gradients(submission, rng, seq):
    """the gradients of x and of every parameter equal the built-in's"""
    attention = submission.MultiQueryAttention(35, 5)
    weights, x = attention.randomize(rng), tokens(rng, 2, seq, 35)
    mask = rng.mask(2, 1, seq, seq)
    assert_same_gradients(attention, built_in, x, weights=weights, mask=mask)


def test_float32_is_kept(submission, rng):
    """float32 is kept, with a mask"""
    attention = submission.MultiQueryAttention(35, 5)
    weights = attention.randomize(rng, dtype=torch.float32)
    x, mask = tokens(rng, 2, 13, 35).float(), rng.mask(2, 1, 13, 13)
    assert_close(attention(x, mask=mask), built_in(weights, x, mask))


@pytest.mark.parametrize("masked", [True, False])
def test_large_scores_do_not_overflow(submission, rng, masked):
    """scores in the thousands give right values and gradients, also at masked places, and without a mask"""
    attention = submission.MultiQueryAttention(35, 5)
    own = attention.randomize(rng)
    weights, x = with_large_scores(own, tokens(rng, 2, 13, 35), head_dim=7, apart=is_second_round())
    attention.load(weights)
    mask = rng.mask(2, 5, 13, 13) if masked else None
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_same_gradients(attention, built_in, x, mask, weights=weights, tolerance=1e-3)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the size and the mask of the calls before it"""
    attention = submission.MultiQueryAttention(35, 5)
    weights = attention.randomize(rng)
    calls = [(tokens(rng, 2, 13, 35), rng.mask(2, 1, 13, 13)) for _ in range(2)] + [(tokens(rng, 3, 4, 35),)]
    assert_close([attention(*call) for call in calls], [built_in(weights, *call) for call in calls])


def test_other_layouts(submission, rng):
    """a single token, a batch of one and an x that is not contiguous are right"""
    attention = submission.MultiQueryAttention(35, 5)
    weights = attention.randomize(rng)
    xs = other_layouts(rng, 2, 13, 35)
    assert_close([attention(x) for x in xs], [built_in(weights, x) for x in xs])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.MultiQueryAttention(35, 5, 0.5)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 13, 35), rng.mask(2, 1, 13, 13)
    assert_nothing_dropped(attention, x, mask, expected=built_in(weights, x, mask))
    if is_second_round():  # gradients do not end where one drops in training
        assert_same_gradients(attention.eval(), built_in, x, mask, weights=weights, alone=False)


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.MultiQueryAttention(35, 5, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 2, 13, 35), mask=rng.mask(2, 1, 13, 13))


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops each head's attention weights, and divides the others by 1 - dropout"""
    attention = submission.MultiQueryAttention(9, 3, dropout=0.3)
    attention.load(counting_weights(rng, parameters(9, 3)))
    attention.train()
    for _ in range(2):  # with gradients and without
        came = attention(rng.normal(5, 13, 9))
        assert_dropout_acts_on_weights(came, kv_len=13, num_heads=3, dropout=0.3)


@pytest.mark.parametrize("hidden_size, num_heads", [(35, 4), (3, 5)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.MultiQueryAttention, hidden_size, num_heads)
    _ = is_second_round() and assert_raises(submission.MultiQueryAttention, 3, 6)


@pytest.mark.parametrize("masked, large", [(False, False), (True, False), (True, True)])
def test_gradients_under_dropout(submission, rng, masked, large):
    """in training the gradients are those of the attention weights that were kept, also with a mask"""
    attention = submission.MultiQueryAttention(15, 3, dropout=0.4)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 5, 15), rng.mask(2, 3, 5, 5)
    options = {"mask": mask} if masked else {}
    assert_gradients_under_dropout(attention, weights, x, x, head_dim=5, dropout=0.4, large=large, **options)


def test_instances_keep_apart(submission, rng):
    """two modules with other numbers of heads, used by turns, give what each alone gives"""

    def player(num_heads, attention):
        calls = [(tokens(rng, 2, 7, 15), mask) for mask in (None, None, None, None, rng.mask(2, 1, 7, 7))]
        return with_weights(rng, attention, partial(built_in, num_heads=num_heads), calls)

    made = submission.MultiQueryAttention
    first, second = made(15, 5), made(15, 3, dropout=0.5)
    assert_by_turns(player(5, first.train()), player(3, second.eval()), beside=(made, 20, 4))


def test_zeros_are_numbers_like_others(submission, rng):
    """tokens of zeros and scores of exactly 0 count like any others, with a mask and without"""
    attention, mask = submission.MultiQueryAttention(15, 5), rng.mask(2, 1, 7, 7)
    weights, *inputs = with_zeros(rng, attention, (2, 7, 15))
    came = [attention(*inputs), attention(*inputs, mask)]
    assert_close(came, [built_in(weights, *inputs), built_in(weights, *inputs, mask)])


def test_inputs_are_not_modified(submission, rng):
    """x and mask are not modified"""
    attention = submission.MultiQueryAttention(35, 5).to(torch.float64)
    x = tokens(rng, 2, 13, 35)
    assert_inputs_unchanged(attention, x, mask=rng.mask(2, 5, 13, 13))
    assert_inputs_unchanged(attention, x)
