"""Checks of `SelfAttention`, level 3: parameters, values, masks, dropout, gradients, large scores."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    assert_close,
    assert_dropout_in_training_only,
    assert_inputs_unchanged,
    assert_nothing_dropped,
    assert_parameters,
    assert_same_gradients,
)
from grader.kit.families import masking
from grader.kit.families.attention.checks import (
    IN_FLOAT32,
    assert_dropout_acts_on_weights,
    assert_many_tokens,
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
    attention = submission.SelfAttention(64)
    attention.randomize(rng, torch.float32)
    return attention.measure(tokens(rng, 2, 64, 64).float())


LADDER = [(1, 1, False), (2, 2, False), (3, 2, False), (3, 2, True)]


def smallest(submission, rng, seq, hidden_size, masked):
    """small whole numbers give what the built-in gives"""
    attention = submission.SelfAttention(hidden_size)
    weights, x = fill(rng, attention), whole(rng, 1, seq, hidden_size)
    mask = rng.mask(1, seq, seq) if masked else None
    assert_close(attention(x, mask), built_in(weights, x, mask))


def built_in(weights, x, mask=None):
    """The built-in on query, key and value, each projected with its own rows of the weight."""
    query, key, value = (project(separated(weights), name, x) for name in "qkv")
    return project(weights, "o", F.scaled_dot_product_attention(query, key, value, mask))


def parameters(size):
    return linear_layers(qkv_proj=(size, 3 * size), o_proj=(size, size))


def test_parameters(submission):
    """the parameters are qkv_proj to 3 * hidden_size and o_proj to hidden_size, with biases"""
    assert_parameters(submission.SelfAttention(11), parameters(11))


@pytest.mark.parametrize("batch, seq, hidden_size", [(2, 7, 11), (3, 13, 5)])
def test_equals_the_built_in(submission, rng, batch, seq, hidden_size):
    """equals F.scaled_dot_product_attention between the projections"""
    attention = submission.SelfAttention(hidden_size)
    weights, x = attention.randomize(rng), tokens(rng, batch, seq, hidden_size)
    assert_close(attention(x), built_in(weights, x))


@pytest.mark.parametrize("shape", [(2, 7, 7), (2, 1, 7), (1, 7, 7), (1, 1, 7), (2, 7, 1)])
def test_mask_broadcasts(submission, rng, shape):
    """keys where the mask is False get no weight, in every shape that broadcasts"""
    attention = submission.SelfAttention(11)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 11), rng.mask(*shape)
    assert_close(attention(x, mask), built_in(weights, x, mask))


def test_masks_where_sizes_are_equal(submission, rng):
    """with as many sequences as tokens, a mask's dimensions are told by their places"""
    attention = submission.SelfAttention(11)
    weights, x = attention.randomize(rng), tokens(rng, 5, 5, 11)
    masks = [rng.mask(*shape) for shape in [(1, 5, 5), (5, 1, 5), (5, 5, 5)]]
    expected = [built_in(weights, x, mask) for mask in masks]
    assert_close([attention(x, mask) for mask in masks], expected)


def test_mask_counts_in_all_its_parts(submission, rng):
    """a mask whose first sequence, or one triangle, is all True or causal counts in the rest too"""
    attention, masks = submission.SelfAttention(11), masking.plain_in_part(rng.mask(2, 2, 7, 7))
    weights, x = attention.randomize(rng), tokens(rng, 2, 7, 11)
    masks = [mask[:, -1] for mask in masks]
    assert_close([attention(x, mask) for mask in masks], [built_in(weights, x, mask) for mask in masks])


@pytest.mark.parametrize("masked", [True, False])
def test_longer_sequences(submission, rng, masked):
    """131 tokens, more than usual blocks take and no multiple of them, are right, and so are gradients"""
    attention = submission.SelfAttention(5)
    weights, x = attention.randomize(rng), tokens(rng, 2, 131, 5)
    mask = masking.hidden_at_first(rng.mask(2, 2, 131, 131), 80)[:, -1] if masked else None
    assert_same_gradients(attention, built_in, x, mask, weights=weights, alone=False, tolerance=IN_FLOAT32)
    assert_many_tokens(rng, attention, built_in, weights, 5, mask_dims=3)


def test_gradients(submission, rng):
    """the gradients of x and of every parameter equal the built-in's, with a mask"""
    attention = submission.SelfAttention(11)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 11), rng.mask(2, 7, 7)
    assert_same_gradients(attention, built_in, x, weights=weights, mask=mask)


def test_float32_is_kept(submission, rng):
    """float32 is kept, with a mask"""
    attention = submission.SelfAttention(11)
    weights = attention.randomize(rng, dtype=torch.float32)
    x, mask = tokens(rng, 2, 7, 11).float(), rng.mask(2, 1, 7)
    assert_close(attention(x, mask=mask), built_in(weights, x, mask))


@pytest.mark.parametrize("masked", [True, False])
def test_large_scores_do_not_overflow(submission, rng, masked):
    """scores in the thousands give right values and gradients, also at masked places, and without a mask"""
    attention = submission.SelfAttention(11)
    own, x, apart = attention.randomize(rng), tokens(rng, 2, 7, 11), is_second_round()
    weights, x = with_large_scores(own, x, head_dim=11, fused=True, apart=apart)
    attention.load(weights)
    mask = rng.mask(2, 7, 7) if masked else None
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_same_gradients(attention, built_in, x, weights=weights, mask=mask, tolerance=1e-3)
    if apart:  # whatever is masked: a query scores a hidden key far above those that it may attend to
        mask = rng.mask(2, 7, 7)
        mask[..., 2, 0], mask[..., 2, -1] = True, False
        assert_close(attention(x, mask), built_in(weights, x, mask), tolerance=1e-3)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the size and the mask of the calls before it"""
    attention = submission.SelfAttention(11)
    weights = attention.randomize(rng)
    xs = [*(tokens(rng, 2, 7, 11) for _ in range(3)), tokens(rng, 5, 13, 11)]
    masks = [rng.mask(2, 7, 7), rng.mask(2, 7, 7), None, rng.mask(1, 13, 13)]
    calls = list(zip(xs, masks, strict=True))
    assert_close([attention(*call) for call in calls], [built_in(weights, *call) for call in calls])


def test_other_layouts(submission, rng):
    """a single token, a batch of one, and an x and a mask that are not contiguous are right"""
    attention = submission.SelfAttention(11)
    weights = attention.randomize(rng)
    masks = [None, rng.mask(1, 7, 7), rng.mask(7, 2, 7).transpose(0, 1)]
    calls = list(zip(other_layouts(rng, 2, 7, 11), masks, strict=True))
    assert_close([attention(*call) for call in calls], [built_in(weights, *call) for call in calls])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.SelfAttention(11, dropout=0.5)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 11), rng.mask(2, 7, 7)
    assert_nothing_dropped(attention, x, mask, expected=built_in(weights, x, mask))
    if is_second_round():  # gradients do not end where one drops in training
        assert_same_gradients(attention.eval(), built_in, x, mask, weights=weights, alone=False)


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.SelfAttention(11, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 2, 7, 11), mask=rng.mask(2, 7, 7))


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops attention weights, each on its own, and divides the others by 1 - dropout"""
    attention = submission.SelfAttention(3, dropout=0.3)
    attention.load(counting_weights(rng, parameters(3)))
    attention.train()
    for _ in range(2):  # with gradients and without
        came = attention(rng.normal(17, 13, 3))
        assert_dropout_acts_on_weights(came, kv_len=13, num_heads=1, dropout=0.3)


@pytest.mark.parametrize("masked, large", [(False, False), (True, False), (True, True)])
def test_gradients_under_dropout(submission, rng, masked, large):
    """in training the gradients are those of the attention weights that were kept, also with a mask"""
    attention = submission.SelfAttention(11, dropout=0.4)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 11), rng.mask(2, 7, 7)
    options = {"mask": mask, "allowed": mask.unsqueeze(1)} if masked else {}
    assert_gradients_under_dropout(attention, weights, x, x, head_dim=11, dropout=0.4, large=large, **options)


def test_instances_keep_apart(submission, rng):
    """two modules with other sizes and dropout, used by turns, give what each alone gives"""

    def player(size, attention):
        calls = [(tokens(rng, 2, 7, size), mask) for mask in (None, None, None, None, rng.mask(2, 7, 7))]
        return with_weights(rng, attention, built_in, calls)

    first, second = submission.SelfAttention(11), submission.SelfAttention(5, dropout=0.5)
    assert_by_turns(player(11, first.train()), player(5, second.eval()))


def test_zeros_are_numbers_like_others(submission, rng):
    """tokens of zeros and scores of exactly 0 count like any others, with a mask and without"""
    attention, mask = submission.SelfAttention(11), rng.mask(2, 7, 7)
    weights, *inputs = with_zeros(rng, attention, (2, 7, 11))
    came = [attention(*inputs), attention(*inputs, mask)]
    assert_close(came, [built_in(weights, *inputs), built_in(weights, *inputs, mask)])


def test_inputs_are_not_modified(submission, rng):
    """x and mask are not modified"""
    attention = submission.SelfAttention(11).to(torch.float64)
    x = tokens(rng, 2, 7, 11)
    assert_inputs_unchanged(attention, x, mask=rng.mask(2, 7, 7))
    assert_inputs_unchanged(attention, x)
