"""Checks of `MultiHeadAttention`: parameters, values, masks, dropout, gradients, bad configuration."""

import pytest
import torch

from grader.kit import (
    Mistake,
    assert_close,
    assert_dropout_in_training_only,
    assert_inputs_unchanged,
    assert_nothing_dropped,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
)
from grader.kit.families import dropout_mistakes
from grader.kit.families.attention import mask_mistakes, score_mistakes
from grader.kit.families.attention import mistakes as attention_mistakes
from grader.kit.families.attention.checks import (
    assert_dropout_acts_on_weights,
    counting_weights,
    linear_layers,
    multi_head_attention,
    other_layouts,
    tokens,
    with_large_scores,
)

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")


def workload(submission, rng):
    return submission.MultiHeadAttention(64, 4).measure(rng.normal(2, 64, 64, dtype=torch.float32))


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


def test_gradients(submission, rng):
    """the gradients of x and of every parameter equal the built-in's"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, x = attention.randomize(rng), tokens(rng, 2, 7, 15)
    mask = rng.mask(2, 1, 7, 7)
    assert_same_gradients(attention, built_in, x, weights=weights, mask=mask)


def test_float32_is_kept(submission, rng):
    """float32 is kept, with a mask"""
    attention = submission.MultiHeadAttention(15, 3)
    weights = attention.randomize(rng, dtype=torch.float32)
    x, mask = tokens(rng, 2, 7, 15).float(), rng.mask(2, 1, 7, 7)
    assert_close(attention(x, mask=mask), built_in(weights, x, mask))


def test_large_scores_do_not_overflow(submission, rng):
    """scores in the thousands give finite, right values, also where the masked scores are the largest"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, x = with_large_scores(attention.randomize(rng), tokens(rng, 2, 7, 15), head_dim=5)
    attention.load(weights)
    mask = rng.mask(2, 3, 7, 7)
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_close(attention(x, mask), built_in(weights, x, mask), tolerance=1e-3)


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


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.MultiHeadAttention(15, 3, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 2, 7, 15))


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops attention weights with its probability, and divides the others by 1 - dropout"""
    attention = submission.MultiHeadAttention(9, 3, dropout=0.3)
    attention.load(counting_weights(rng, parameters(9)))
    came = attention.train()(rng.normal(5, 13, 9))
    assert_dropout_acts_on_weights(came, kv_len=13, num_heads=3, dropout=0.3)


@pytest.mark.parametrize("hidden_size, num_heads", [(10, 3), (3, 5)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.MultiHeadAttention, hidden_size, num_heads)


def test_inputs_are_not_modified(submission, rng):
    """x and mask are not modified"""
    attention = submission.MultiHeadAttention(15, 3).to(torch.float64)
    x = tokens(rng, 2, 7, 15)
    assert_inputs_unchanged(attention, x, mask=rng.mask(2, 3, 7, 7))
    assert_inputs_unchanged(attention, x)


SPLIT = """\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)"""

MISTAKES = [
    attention_mistakes.biases_left_out("""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""),
    attention_mistakes.heads_split_without_transpose(SPLIT),
    attention_mistakes.heads_merged_without_transpose(),
    Mistake(
        "key-and-value-from-query",
        find="""\
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        key = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)""",
        says="Your keys and values are reshaped from the projected queries, a slip of copying lines: "
        "k_proj and v_proj are never used. Reshape each from its own projection of x.",
    ),
    score_mistakes.SCALE_BY_HIDDEN_SIZE,
    score_mistakes.scale_missing("scores = scores / math.sqrt(self.head_dim)", "head_dim"),
    mask_mistakes.INVERTED,
    mask_mistakes.added(),
    mask_mistakes.fills_zero(),
    mask_mistakes.ignored(),
    mask_mistakes.times_minus_infinity(),
    score_mistakes.QUERY_AND_KEY_SWAPPED,
    score_mistakes.KEY_RESHAPED,
    score_mistakes.WEIGHTS_TRANSPOSED,
    *mask_mistakes.with_either_fill(score_mistakes.softmax_over_queries("(batch, num_heads, seq, seq)")),
    *mask_mistakes.with_either_fill(score_mistakes.SOFTMAX_OVER_HEADS),
    dropout_mistakes.ON_CONTEXT,
    dropout_mistakes.IN_EVALUATION,
    attention_mistakes.output_projection_forgotten(),
    attention_mistakes.DIVISIBILITY_UNCHECKED,
    Mistake(
        "heads-not-moved-before-the-sequence",
        find="""\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)

        scores = query @ key.transpose(-2, -1)  # (batch, num_heads, seq, seq)
        scores = scores / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = weights @ value  # (batch, num_heads, seq, head_dim)

        # reshape, not view: after the transpose the memory is no longer contiguous.
        context = context.transpose(1, 2).reshape(batch, seq, hidden_size)  # (batch, seq, hidden_size)""",
        replace="""\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim)
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim)

        scores = query @ key.transpose(-2, -1)
        scores = scores / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = weights @ value
        context = context.reshape(batch, seq, hidden_size)""",
        says="You leave the heads behind the sequence, (batch, seq, num_heads, head_dim), so each "
        "token's heads attend to each other and no token sees another one. transpose(1, 2) after "
        "the view: the product needs (batch, num_heads, seq, head_dim).",
    ),
    Mistake(
        "heads-and-head-dim-swapped",
        find=SPLIT,
        replace="""\
        query = self.q_proj(x).view(batch, seq, self.head_dim, self.num_heads).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.head_dim, self.num_heads).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.head_dim, self.num_heads).transpose(1, 2)""",
        says="You view the features as (head_dim, num_heads), so there are head_dim heads with "
        "num_heads features each. The heads come first: view(batch, seq, num_heads, head_dim) "
        "gives head i the features i * head_dim … (i + 1) * head_dim - 1.",
    ),
    attention_mistakes.heads_interleaved(SPLIT),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT),
    attention_mistakes.value_from_key(),
    attention_mistakes.key_and_value_swapped(),
    mask_mistakes.after_softmax(),
    dropout_mistakes.MISSING,
    dropout_mistakes.BEFORE_SOFTMAX,
    dropout_mistakes.on_output(),
    dropout_mistakes.KEEPS_THAT_SHARE,
    mask_mistakes.fill_not_low_enough(),
    mask_mistakes.added_number_not_low_enough(),
    mask_mistakes.after_softmax_renormalised(),
    score_mistakes.max_not_subtracted(),
    score_mistakes.largest_of_all_subtracted(),
    dropout_mistakes.NOT_RESCALED,
    mask_mistakes.OF_THE_FIRST_HEAD,
    *mask_mistakes.with_either_fill(
        Mistake(
            "mask-transposed",
            find="scores.masked_fill(~mask, -math.inf)",
            replace="scores.masked_fill(~mask.transpose(-2, -1), -math.inf)",
            says="You swap queries and keys in the mask: its rows are queries and its columns keys, like "
            "those of the scores, so it fits them as it comes.",
        )
    ),
    Mistake(
        "mask-modified",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(mask.logical_not_(), -math.inf)",
        says="You invert the mask in place, so the caller's mask is another one after the call, and the "
        "next layer gets that. Make a new tensor: ~mask.",
    ),
]
