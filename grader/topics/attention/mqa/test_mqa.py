"""Checks of `MultiQueryAttention`: parameters, the shared head, masks, dropout, gradients."""

import pytest
import torch
import torch.nn.functional as F

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
    merge_heads,
    other_layouts,
    project,
    split_heads,
    tokens,
    with_large_scores,
)

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")


def workload(submission, rng):
    return submission.MultiQueryAttention(64, 8).measure(rng.normal(2, 64, 64, dtype=torch.float32))


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


def test_gradients(submission, rng):
    """the gradients of x and of every parameter equal the built-in's"""
    attention = submission.MultiQueryAttention(35, 5)
    weights, x = attention.randomize(rng), tokens(rng, 2, 13, 35)
    mask = rng.mask(2, 1, 13, 13)
    assert_same_gradients(attention, built_in, x, weights=weights, mask=mask)


def test_float32_is_kept(submission, rng):
    """float32 is kept, with a mask"""
    attention = submission.MultiQueryAttention(35, 5)
    weights = attention.randomize(rng, dtype=torch.float32)
    x, mask = tokens(rng, 2, 13, 35).float(), rng.mask(2, 1, 13, 13)
    assert_close(attention(x, mask=mask), built_in(weights, x, mask))


def test_large_scores_do_not_overflow(submission, rng):
    """scores in the thousands give finite, right values, also where the masked scores are the largest"""
    attention = submission.MultiQueryAttention(35, 5)
    weights, x = with_large_scores(attention.randomize(rng), tokens(rng, 2, 13, 35), head_dim=7)
    attention.load(weights)
    mask = rng.mask(2, 5, 13, 13)
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_close(attention(x, mask), built_in(weights, x, mask), tolerance=1e-3)


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


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.MultiQueryAttention(35, 5, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 2, 13, 35), mask=rng.mask(2, 1, 13, 13))


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops each head's attention weights, and divides the others by 1 - dropout"""
    attention = submission.MultiQueryAttention(9, 3, dropout=0.3)
    attention.load(counting_weights(rng, parameters(9, 3)))
    came = attention.train()(rng.normal(5, 13, 9))
    assert_dropout_acts_on_weights(came, kv_len=13, num_heads=3, dropout=0.3)


@pytest.mark.parametrize("hidden_size, num_heads", [(35, 4), (3, 5)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.MultiQueryAttention, hidden_size, num_heads)


def test_inputs_are_not_modified(submission, rng):
    """x and mask are not modified"""
    attention = submission.MultiQueryAttention(35, 5).to(torch.float64)
    x = tokens(rng, 2, 13, 35)
    assert_inputs_unchanged(attention, x, mask=rng.mask(2, 5, 13, 13))
    assert_inputs_unchanged(attention, x)


SPLIT = "self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)"
SHARED = """\
        key = self.k_proj(x).view(batch, seq, -1, self.head_dim).transpose(1, 2)  # (batch, 1, seq, head_dim)
        value = self.v_proj(x).view(batch, seq, -1, self.head_dim).transpose(1, 2)  # the same"""

MISTAKES = [
    attention_mistakes.biases_left_out("""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, self.head_dim)
        self.v_proj = nn.Linear(hidden_size, self.head_dim)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""),
    Mistake(
        "kv-heads-not-shared",
        find="""\
        self.k_proj = nn.Linear(hidden_size, self.head_dim)
        self.v_proj = nn.Linear(hidden_size, self.head_dim)""",
        replace="""\
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)""",
        says="Your k_proj and v_proj have hidden_size outputs, a key and a value for every head, as in "
        "multi-head attention. Here all heads share one: project to head_dim features. That is what makes "
        "the KV cache num_heads times smaller.",
    ),
    Mistake(
        "features-copied",
        find=SHARED,
        replace="""\
        key = self.k_proj(x).repeat_interleave(self.num_heads, dim=2)
        key = key.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).repeat_interleave(self.num_heads, dim=2)
        value = value.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)""",
        says="You copy single features in place (0 0 0 1 1 1) and cut the result into heads, so head 0 gets "
        "feature 0 again and again. Every head reads the whole key and value: no copy is needed, "
        "unsqueeze(1) makes a head dimension of 1 that broadcasts.",
    ),
    Mistake(
        "tokens-copied",
        find=SHARED,
        replace="""\
        key = self.k_proj(x).repeat_interleave(self.num_heads, dim=1)
        key = key.view(batch, self.num_heads, seq, self.head_dim)
        value = self.v_proj(x).repeat_interleave(self.num_heads, dim=1)
        value = value.view(batch, self.num_heads, seq, self.head_dim)""",
        says="Your copies of a token stand side by side (0 0 0 1 1 1) when you view them as (batch, "
        "num_heads, seq, head_dim), so a head sees a few tokens several times and others never. Every "
        "head reads all tokens: no copy is needed, unsqueeze(1) makes a head dimension of 1 that broadcasts.",
    ),
    Mistake(
        "batch-entries-mixed",
        find=SHARED,
        replace="""\
        key = self.k_proj(x).repeat(self.num_heads, 1, 1)
        key = key.view(batch, self.num_heads, seq, self.head_dim)
        value = self.v_proj(x).repeat(self.num_heads, 1, 1)
        value = value.view(batch, self.num_heads, seq, self.head_dim)""",
        says="You tile keys and values along the batch (0 1 0 1) and view that as (batch, num_heads, …), so "
        "heads read another sequence's tokens. The copies of one entry have to stand together; simpler, "
        "unsqueeze(1) makes a head dimension of 1 that broadcasts.",
    ),
    Mistake(
        "value-heads-not-shared",
        find="""\
        self.v_proj = nn.Linear(hidden_size, self.head_dim)""",
        replace="""\
        self.v_proj = nn.Linear(hidden_size, hidden_size)""",
        says="Only your keys are shared: v_proj has hidden_size outputs. All heads share one value as well "
        "as one key, of head_dim features; the cache holds both.",
    ),
    Mistake(
        "query-heads-averaged",
        find="        scores = query @ key.transpose(-2, -1)",
        replace="        scores = query.mean(dim=1, keepdim=True).expand_as(query) @ key.transpose(-2, -1)",
        says="Your heads all have the same scores. The queries are what still differs between the heads: "
        "each head has its own scores over the shared keys.",
    ),
    Mistake(
        "weights-averaged-over-heads",
        find="weights = self.dropout(weights)",
        replace="weights = self.dropout(weights).mean(dim=1, keepdim=True).expand_as(scores)",
        says="You average the weights of all heads, so every head has the same result. Keys and values are "
        "shared, weights are not: each query head takes the mean of the values under its own weights.",
    ),
    attention_mistakes.value_from_key(),
    attention_mistakes.key_and_value_swapped(),
    attention_mistakes.heads_split_without_transpose(SPLIT, what="the queries"),
    attention_mistakes.heads_interleaved(SPLIT, head="query head"),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT, head="query head"),
    attention_mistakes.heads_merged_without_transpose(),
    score_mistakes.SCALE_BY_HIDDEN_SIZE,
    score_mistakes.scale_missing("scores = scores / math.sqrt(self.head_dim)", "head_dim"),
    mask_mistakes.OF_THE_FIRST_HEAD,
    mask_mistakes.INVERTED,
    mask_mistakes.added(),
    mask_mistakes.fills_zero(),
    mask_mistakes.ignored(),
    mask_mistakes.times_minus_infinity(),
    mask_mistakes.fill_not_low_enough(),
    mask_mistakes.added_number_not_low_enough(),
    score_mistakes.QUERY_AND_KEY_SWAPPED,
    score_mistakes.KEY_RESHAPED,
    score_mistakes.WEIGHTS_TRANSPOSED,
    score_mistakes.softmax_over_queries("(batch, num_heads, seq, seq)"),
    *mask_mistakes.with_either_fill(score_mistakes.SOFTMAX_OVER_HEADS),
    dropout_mistakes.ON_CONTEXT,
    dropout_mistakes.on_output(),
    dropout_mistakes.BEFORE_SOFTMAX,
    dropout_mistakes.IN_EVALUATION,
    dropout_mistakes.MISSING,
    dropout_mistakes.NOT_RESCALED,
    dropout_mistakes.KEEPS_THAT_SHARE,
    attention_mistakes.output_projection_forgotten(),
    attention_mistakes.DIVISIBILITY_UNCHECKED,
    mask_mistakes.after_softmax_renormalised(),
    mask_mistakes.after_softmax(),
    score_mistakes.max_not_subtracted(),
    score_mistakes.largest_of_all_subtracted(),
]
