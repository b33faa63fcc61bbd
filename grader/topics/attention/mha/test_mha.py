"""Checks of `MultiHeadAttention`: parameters, values, masks, dropout, gradients, bad configuration."""

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
from grader.kit.families import masking
from grader.kit.families.attention.checks import (
    IN_FLOAT32,
    assert_dropout_acts_on_weights,
    assert_large_scores_of_wide_heads,
    assert_many_tokens,
    counting_weights,
    linear_layers,
    long_mask,
    multi_head_attention,
    other_layouts,
    tokens,
    with_large_scores,
    with_zeros,
)
from grader.kit.families.attention.dropout_checks import assert_gradients_under_dropout
from grader.kit.rounds import is_second_round
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")


def workload(submission, rng):
    attention = submission.MultiHeadAttention(64, 4)
    attention.randomize(rng, torch.float32)
    return attention.measure(tokens(rng, 2, 64, 64).float())


LADDER = [(1, 1, 1, False), (2, 1, 1, False), (2, 2, 1, False), (2, 2, 2, False), (3, 2, 1, True)]


def smallest(submission, rng, seq, hidden_size, num_heads, masked):
    """small whole numbers give what the built-in gives"""
    attention = submission.MultiHeadAttention(hidden_size, num_heads)
    weights, x = fill(rng, attention), whole(rng, 1, seq, hidden_size)
    mask = rng.mask(1, 1, seq, seq) if masked else None
    assert_close(attention(x, mask), built_in(weights, x, mask, num_heads=num_heads))


def built_in(weights, x, mask=None, *, num_heads=3):
    """The function behind nn.MultiheadAttention."""
    return multi_head_attention(weights, x, x, mask, num_heads)


def parameters(size):
    """Four linear layers of this size."""
    return linear_layers(**{f"{name}_proj": (size, size) for name in "qkvo"})


def test_parameters(submission):
    """the parameters are four linear layers from hidden_size to hidden_size, with biases"""
    assert_parameters(submission.MultiHeadAttention(15, 3), parameters(15))


@pytest.mark.parametrize("hidden_size, num_heads", [(15, 3), (7, 1), (5, 5)])
def test_equals_the_built_in(submission, rng, hidden_size, num_heads):
    """equals nn.MultiheadAttention with the same weights"""
    attention = submission.MultiHeadAttention(hidden_size, num_heads)
    weights, x = attention.randomize(rng), tokens(rng, 2, 7, hidden_size)
    assert_close(attention(x), built_in(weights, x, num_heads=num_heads))


@pytest.mark.parametrize("shape", [(2, 3, 7, 7), (2, 1, 1, 7), (1, 3, 1, 7), (1, 1, 7, 7), (2, 1, 7, 1)])
def test_mask_broadcasts(submission, rng, shape):
    """keys where the mask is False get no weight, in every shape that broadcasts"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 15), rng.mask(*shape)
    assert_close(attention(x, mask), built_in(weights, x, mask))


def test_masks_where_sizes_are_equal(submission, rng):
    """with as many sequences as tokens and heads, a mask's dimensions are told by their places"""
    attention = submission.MultiHeadAttention(15, 5)
    weights, x = attention.randomize(rng), tokens(rng, 5, 5, 15)
    masks = [rng.mask(*shape) for shape in [(1, 1, 5, 5), (5, 1, 1, 5), (1, 5, 1, 5), (5, 5, 5, 5)]]
    expected = [built_in(weights, x, mask, num_heads=5) for mask in masks]
    assert_close([attention(x, mask) for mask in masks], expected)


def test_longer_sequences(submission, rng):
    """131 tokens, more than usual blocks take and no multiple of them, are right to the last one"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, x = attention.randomize(rng), tokens(rng, 2, 131, 15)
    x[:, -1] *= 4.0  # many queries score a key of the last block highest
    for mask in (None, long_mask(rng, 2, 1, 131), rng.mask(2, 1, 1, 131)):
        assert_same_gradients(
            attention, built_in, x, mask, weights=weights, alone=False, tolerance=IN_FLOAT32
        )
    assert_many_tokens(rng, attention, built_in, weights, 15, mask_dims=4)


def test_many_sequences(submission, rng):
    """137 sequences are right to the last one"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, x, mask = attention.randomize(rng), tokens(rng, 137, 2, 15), rng.mask(137, 1, 1, 2)
    assert_close(attention(x, mask), built_in(weights, x, mask))


def test_mask_counts_in_all_its_parts(submission, rng):
    """a mask whose first head or sequence, or one triangle, is all True or causal counts in the rest too"""
    attention, masks = submission.MultiHeadAttention(15, 3), masking.plain_in_part(rng.mask(2, 3, 7, 7))
    weights, x = attention.randomize(rng), tokens(rng, 2, 7, 15)
    assert_close([attention(x, mask) for mask in masks], [built_in(weights, x, mask) for mask in masks])


def test_gradients(submission, rng):
    """the gradients of x and of every parameter equal the built-in's"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, x = attention.randomize(rng), tokens(rng, 2, 7, 15)
    mask = rng.mask(2, 1, 7, 7)
    assert_same_gradients(attention, built_in, x, weights=weights, mask=mask)
    assert_backward_leaves_all(attention, built_in, x, weights=weights, constants={"mask": mask})


def test_float32_is_kept(submission, rng):
    """float32 is kept, with a mask, which is not contiguous, and in evaluation where there is a dropout"""
    x, mask = tokens(rng, 2, 7, 15).float(), rng.mask(2, 1, 7, 7).mT.contiguous().mT
    for attention in (submission.MultiHeadAttention(15, 3), submission.MultiHeadAttention(15, 3, 0.5).eval()):
        weights = attention.randomize(rng, dtype=torch.float32)
        assert_close(attention(x, mask=mask), built_in(weights, x, mask))


@pytest.mark.parametrize("masked", [True, False])
def test_large_scores_do_not_overflow(submission, rng, masked):
    """scores in the thousands give right values and gradients, also at masked places, and without a mask"""
    attention = submission.MultiHeadAttention(15, 3)
    own, x, apart = attention.randomize(rng), tokens(rng, 2, 7, 15), is_second_round()
    weights, x = with_large_scores(own, x, head_dim=5, apart=apart)
    attention.load(weights)
    mask = rng.mask(2, 3, 7, 7) if masked else None
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_same_gradients(attention, built_in, x, mask, weights=weights, tolerance=1e-3)
    if apart:  # whatever is masked: a query scores a hidden key far above those that it may attend to
        mask = rng.mask(2, 3, 7, 7)
        mask[..., 2, 0], mask[..., 2, -1] = True, False
        assert_close(attention(x, mask), built_in(weights, x, mask), tolerance=1e-3)
    assert_large_scores_of_wide_heads(rng, submission.MultiHeadAttention(192, 3), built_in, 192, 3)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the size and the mask of the calls before it"""
    attention = submission.MultiHeadAttention(15, 3)
    weights = attention.randomize(rng)
    calls = [(tokens(rng, 2, 7, 15), rng.mask(2, 1, 7, 7)) for _ in range(2)] + [(tokens(rng, 5, 3, 15),)]
    assert_close([attention(*call) for call in calls], [built_in(weights, *call) for call in calls])


def test_other_layouts(submission, rng):
    """a single token, a batch of one and an x that is not contiguous are right"""
    attention = submission.MultiHeadAttention(15, 3)
    weights = attention.randomize(rng)
    xs = other_layouts(rng, 2, 7, 15)
    assert_close([attention(x) for x in xs], [built_in(weights, x) for x in xs])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.MultiHeadAttention(15, 3, dropout=0.5)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 15), rng.mask(2, 1, 7, 7)
    assert_nothing_dropped(attention, x, mask, expected=built_in(weights, x, mask))
    if is_second_round():  # gradients do not end where one drops in training
        assert_same_gradients(attention.eval(), built_in, x, mask, weights=weights, alone=False)


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.MultiHeadAttention(15, 3, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 2, 7, 15))


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops attention weights with its probability, and divides the others by 1 - dropout"""
    attention = submission.MultiHeadAttention(9, 3, dropout=0.3)
    attention.load(counting_weights(rng, parameters(9)))
    attention.train()
    for _ in range(2):  # with gradients and without
        came = attention(rng.normal(5, 13, 9))
        assert_dropout_acts_on_weights(came, kv_len=13, num_heads=3, dropout=0.3)


@pytest.mark.parametrize("masked, large", [(False, False), (True, False), (True, True)])
def test_gradients_under_dropout(submission, rng, masked, large):
    """in training the gradients are those of the attention weights that were kept, also with a mask"""
    attention = submission.MultiHeadAttention(15, 3, dropout=0.4)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 5, 15), rng.mask(2, 3, 5, 5)
    options = {"mask": mask} if masked else {}
    assert_gradients_under_dropout(attention, weights, x, x, head_dim=5, dropout=0.4, large=large, **options)


@pytest.mark.parametrize("hidden_size, num_heads", [(10, 3), (3, 5)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.MultiHeadAttention, hidden_size, num_heads)
    _ = is_second_round() and assert_raises(submission.MultiHeadAttention, 3, 6)


def test_instances_keep_apart(submission, rng):
    """two modules with other numbers of heads, used by turns, give what each alone gives"""

    def player(num_heads, attention):
        calls = [(tokens(rng, 2, 7, 15), mask) for mask in (None, None, None, None, rng.mask(2, 1, 7, 7))]
        return with_weights(rng, attention, partial(built_in, num_heads=num_heads), calls)

    made = submission.MultiHeadAttention
    first, second = made(15, 3), made(15, 5, dropout=0.5)
    assert_by_turns(player(3, first.train()), player(5, second.eval()), beside=(made, 20, 4))


def test_zeros_are_numbers_like_others(submission, rng):
    """tokens of zeros and scores of exactly 0 count like any others, with a mask and without"""
    attention, mask = submission.MultiHeadAttention(15, 3), rng.mask(2, 1, 7, 7)
    weights, *inputs = with_zeros(rng, attention, (2, 7, 15))
    for each in (None, mask):
        assert_same_gradients(
            attention, built_in, *inputs, each, weights=weights, alone=False, tolerance=IN_FLOAT32
        )


def test_inputs_are_not_modified(submission, rng):
    """x and mask are not modified"""
    attention = submission.MultiHeadAttention(15, 3).to(torch.float64)
    x = tokens(rng, 2, 7, 15)
    assert_inputs_unchanged(attention, x, mask=rng.mask(2, 3, 7, 7))
    assert_inputs_unchanged(attention, x)
