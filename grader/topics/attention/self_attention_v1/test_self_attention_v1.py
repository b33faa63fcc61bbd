"""Checks of `SelfAttention`, level 1: parameters, values, gradients, dtype, large scores, layouts."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    Mistake,
    assert_close,
    assert_inputs_unchanged,
    assert_parameters,
    assert_same_gradients,
)
from grader.kit.families.attention import mistakes as attention_mistakes
from grader.kit.families.attention import score_mistakes
from grader.kit.families.attention.checks import linear_layers, other_layouts, project, tokens

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")


def workload(submission, rng):
    return submission.SelfAttention(64).measure(rng.normal(2, 64, 64, dtype=torch.float32))


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


def test_gradients(submission, rng):
    """the gradients of x and of every parameter equal the built-in's"""
    attention = submission.SelfAttention(11)
    weights, x = attention.randomize(rng), tokens(rng, 2, 7, 11)
    assert_same_gradients(attention, built_in, x, weights=weights)


def test_float32_is_kept(submission, rng):
    """float32 is kept"""
    attention = submission.SelfAttention(11)
    weights, x = attention.randomize(rng, dtype=torch.float32), tokens(rng, 2, 7, 11).float()
    assert_close(attention(x), built_in(weights, x))


def test_large_scores_do_not_overflow(submission, rng):
    """scores in the thousands give finite, right values"""
    attention = submission.SelfAttention(11)
    weights, x = attention.randomize(rng), tokens(rng, 2, 7, 11)
    # The same for all keys: it moves all scores of a query alike, and the weights stay as they were.
    weights["k_proj.bias"] *= 5e3
    attention.load(weights)
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_close(attention(x), built_in(weights, x), tolerance=1e-3)


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


def test_input_is_not_modified(submission, rng):
    """x is not modified"""
    assert_inputs_unchanged(submission.SelfAttention(11).to(torch.float64), tokens(rng, 2, 7, 11))


MISTAKES = [
    score_mistakes.scale_missing("scores = scores / math.sqrt(query.shape[-1])"),
    score_mistakes.SCALE_WITHOUT_ROOT,
    Mistake(
        "scale-by-sequence-length",
        find="math.sqrt(query.shape[-1])",
        replace="math.sqrt(query.shape[1])",
        says="You divide the scores by the root of the sequence length. Each score is a sum over the "
        "features, so divide by sqrt(hidden_size), the size of the last dimension of x.",
    ),
    Mistake(
        "scale-multiplied",
        find="scores = scores / math.sqrt(query.shape[-1])",
        replace="scores = scores * math.sqrt(query.shape[-1])",
        says="You multiply the scores by sqrt(hidden_size), which makes the softmax nearly one-hot. Divide "
        "by it: the scale is 1 / sqrt(hidden_size), or hidden_size ** -0.5.",
    ),
    Mistake(
        "scaled-after-softmax",
        find="""\
        scores = scores / math.sqrt(query.shape[-1])
        weights = torch.softmax(scores, dim=-1)  # each query's weights sum to 1""",
        replace="        weights = torch.softmax(scores, dim=-1) / math.sqrt(query.shape[-1])",
        says="You scale the weights after the softmax, so that they no longer sum to 1. Scale the scores, "
        "before the softmax: it is meant to keep the softmax from saturating.",
    ),
    Mistake(
        "softmax-missing",
        find="torch.softmax(scores, dim=-1)",
        replace="scores",
        says="You use the scores themselves as weights. The softmax over the keys makes each query's "
        "weights positive, with a sum of 1; without it this is linear attention without a norm.",
    ),
    score_mistakes.softmax_over_queries("(batch, seq, seq)"),
    score_mistakes.SOFTMAX_WITHOUT_DIM,
    score_mistakes.SOFTMAX_OVERFLOWS,
    score_mistakes.largest_of_all_subtracted(),
    score_mistakes.QUERY_AND_KEY_SWAPPED,
    score_mistakes.KEY_RESHAPED,
    score_mistakes.WEIGHTS_TRANSPOSED,
    Mistake(
        "value-not-projected",
        find="value = self.v_proj(x)",
        replace="value = x",
        says="You average the tokens themselves. The values are v_proj(x): what a token passes on is "
        "projected, too. Your v_proj never gets a gradient.",
    ),
    attention_mistakes.value_from_key(),
    attention_mistakes.key_and_value_swapped(),
    Mistake(
        "key-from-query",
        find="key = self.k_proj(x)",
        replace="key = self.q_proj(x)",
        says="Your keys come from q_proj, a slip of copying lines: k_proj is never used, and the scores "
        "are symmetric.",
    ),
    attention_mistakes.biases_left_out("""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)"""),
    attention_mistakes.output_projection_added("        self.v_proj = nn.Linear(hidden_size, hidden_size)"),
]
