"""Checks of `GroupedQueryAttention`: parameters, groups, masks, dropout, gradients, bad configuration."""

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
    return submission.GroupedQueryAttention(64, 8, 2).measure(rng.normal(2, 64, 64, dtype=torch.float32))


def built_in(weights, x, mask=None):
    """The built-in on the projections, cut into heads of 7 features."""
    heads = [split_heads(project(weights, name, x), 7) for name in "qkv"]
    context = F.scaled_dot_product_attention(*heads, mask, enable_gqa=True)
    return project(weights, "o", merge_heads(context))


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


def test_large_scores_do_not_overflow(submission, rng):
    """scores in the thousands give finite, right values, also where the masked scores are the largest"""
    attention = submission.GroupedQueryAttention(42, 6, 2)
    weights, x = with_large_scores(attention.randomize(rng), tokens(rng, 5, 11, 42), head_dim=7)
    attention.load(weights)
    mask = rng.mask(5, 6, 11, 11)
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_close(attention(x, mask), built_in(weights, x, mask), tolerance=1e-3)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the size and the mask of the calls before it"""
    attention = submission.GroupedQueryAttention(42, 6, 2)
    weights = attention.randomize(rng)
    calls = [(tokens(rng, 5, 11, 42), rng.mask(5, 1, 11, 11)) for _ in range(2)] + [(tokens(rng, 2, 3, 42),)]
    assert_close([attention(*call) for call in calls], [built_in(weights, *call) for call in calls])


def test_other_layouts(submission, rng):
    """a single token, a batch of one and an x that is not contiguous are right"""
    attention = submission.GroupedQueryAttention(42, 6, 2)
    weights = attention.randomize(rng)
    xs = other_layouts(rng, 5, 11, 42)
    assert_close([attention(x) for x in xs], [built_in(weights, x) for x in xs])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.GroupedQueryAttention(42, 6, 2, dropout=0.5)
    weights, x, mask = attention.randomize(rng), tokens(rng, 5, 11, 42), rng.mask(5, 1, 11, 11)
    assert_nothing_dropped(attention, x, mask, expected=built_in(weights, x, mask))


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.GroupedQueryAttention(42, 6, 2, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 5, 11, 42), mask=rng.mask(5, 1, 11, 11))


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops each query head's attention weights, and divides the others by 1 - dropout"""
    attention = submission.GroupedQueryAttention(18, 6, 2, dropout=0.3)
    attention.load(counting_weights(rng, parameters(18, 6)))
    came = attention.train()(rng.normal(11, 13, 18))
    assert_dropout_acts_on_weights(came, kv_len=13, num_heads=6, dropout=0.3)


@pytest.mark.parametrize("hidden_size, num_heads, num_kv_heads", [(42, 4, 2), (42, 6, 4), (42, 3, 6)])
def test_bad_numbers_of_heads_raise(submission, hidden_size, num_heads, num_kv_heads):
    """numbers of heads that do not divide as they should raise ValueError in the constructor"""
    assert_raises(submission.GroupedQueryAttention, hidden_size, num_heads, num_kv_heads)


def test_inputs_are_not_modified(submission, rng):
    """x and mask are not modified"""
    attention = submission.GroupedQueryAttention(42, 6, 2).to(torch.float64)
    x = tokens(rng, 5, 11, 42)
    assert_inputs_unchanged(attention, x, mask=rng.mask(5, 6, 11, 11))
    assert_inputs_unchanged(attention, x)


SPLIT = """\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_kv_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_kv_heads, self.head_dim).transpose(1, 2)"""

MISTAKES = [
    Mistake(
        "scale-by-the-key-width",
        find="math.sqrt(self.head_dim)",
        replace="math.sqrt(self.num_kv_heads * self.head_dim)",
        says="You divide the scores by the root of all the keys' features, num_kv_heads * head_dim. Each "
        "head's dot product has head_dim terms, so divide by sqrt(head_dim).",
    ),
    attention_mistakes.biases_left_out("""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""),
    dropout_mistakes.BEFORE_SOFTMAX,
    Mistake(
        "kv-heads-tiled",
        find="""\
        key = key.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)
        value = value.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)""",
        replace="""\
        key = key.repeat(1, groups, 1, 1)
        value = value.repeat(1, groups, 1, 1)""",
        says="Your query head i reads key/value head i % num_kv_heads: repeat tiles the heads (0 1 0 1), and "
        "a view of the query heads as (groups, num_kv_heads) pairs them alike. Repeat each head in "
        "place (0 0 1 1), with repeat_interleave: query head i reads key/value head "
        "i // (num_heads // num_kv_heads).",
    ),
    Mistake(
        "key-heads-tiled",
        find="key.repeat_interleave(groups, dim=1)",
        replace="key.repeat(1, groups, 1, 1)",
        says="You tile the key heads (0 1 0 1) but repeat the value heads in place (0 0 1 1), so "
        "weights and values come from different heads. Repeat both in place: query head i reads "
        "key/value head i // (num_heads // num_kv_heads).",
    ),
    Mistake(
        "value-heads-tiled",
        find="value.repeat_interleave(groups, dim=1)",
        replace="value.repeat(1, groups, 1, 1)",
        says="You tile the value heads (0 1 0 1) but repeat the key heads in place (0 0 1 1), so "
        "weights and values come from different heads. Repeat both in place: query head i reads "
        "key/value head i // (num_heads // num_kv_heads).",
    ),
    Mistake(
        "only-the-first-kv-head",
        find="""\
        key = key.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)
        value = value.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)""",
        replace="""\
        key = key[:, :1].expand(-1, groups * self.num_kv_heads, -1, -1)
        value = value[:, :1].expand(-1, groups * self.num_kv_heads, -1, -1)""",
        says="All your query heads read the first key/value head, which is multi-query attention. Only "
        "the num_heads // num_kv_heads query heads of one group share a head: query head i reads "
        "head i // (num_heads // num_kv_heads).",
    ),
    Mistake(
        "kv-heads-split-without-transpose",
        find="""\
        key = self.k_proj(x).view(batch, seq, self.num_kv_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_kv_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        key = self.k_proj(x).view(batch, self.num_kv_heads, seq, self.head_dim)
        value = self.v_proj(x).view(batch, self.num_kv_heads, seq, self.head_dim)""",
        says="You view keys and values directly as (batch, num_kv_heads, seq, head_dim), which mixes "
        "features of different tokens. Split the last dimension, view(batch, seq, num_kv_heads, "
        "head_dim), and then transpose(1, 2).",
    ),
    attention_mistakes.value_from_key(),
    attention_mistakes.key_and_value_swapped(),
    attention_mistakes.heads_merged_without_transpose(),
    score_mistakes.SCALE_BY_HIDDEN_SIZE,
    score_mistakes.scale_missing("scores = scores / math.sqrt(self.head_dim)", "head_dim"),
    attention_mistakes.output_projection_forgotten(),
    Mistake(
        "kv-divisibility-unchecked",
        find="""\
        if num_heads % num_kv_heads != 0:
            raise ValueError(f"num_heads {num_heads} is not divisible by num_kv_heads {num_kv_heads}")
""",
        replace="",
        says="You accept a num_kv_heads that does not divide num_heads, so the groups do not come out "
        "even and the failure comes later as a shape error. Raise a ValueError in the "
        "constructor, for this as for hidden_size and num_heads.",
    ),
    dropout_mistakes.IN_EVALUATION,
    mask_mistakes.INVERTED,
    Mistake(
        "kv-repeated-along-the-sequence",
        find="""\
        key = key.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)
        value = value.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)""",
        replace="""\
        key = key.repeat_interleave(groups, dim=2)
        value = value.repeat_interleave(groups, dim=2)""",
        says="You repeat the tokens instead of the heads: in (batch, num_kv_heads, seq, head_dim) "
        "dimension 1 holds the heads. Every query head needs a key/value head of its own group, "
        "over the same tokens.",
    ),
    Mistake(
        "repeated-num-kv-heads-times",
        find="        groups = self.num_heads // self.num_kv_heads",
        replace="        groups = self.num_kv_heads",
        says="You repeat each key/value head num_kv_heads times. There are num_kv_heads of them and "
        "num_heads are needed, so repeat each num_heads // num_kv_heads times.",
    ),
    attention_mistakes.heads_split_without_transpose(SPLIT, heads="heads"),
    attention_mistakes.heads_interleaved(SPLIT),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT),
    Mistake(
        "kv-heads-not-shared",
        find="""\
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)""",
        replace="""\
        self.num_kv_heads = num_heads
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)""",
        says="Your k_proj and v_proj give a key and a value to every query head, which is multi-head "
        "attention. They map to num_kv_heads * head_dim features: that is what makes the KV cache "
        "small.",
    ),
    Mistake(
        "head-dim-from-kv-heads",
        find="""\
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)""",
        replace="""\
        self.k_proj = nn.Linear(hidden_size, hidden_size // num_kv_heads)
        self.v_proj = nn.Linear(hidden_size, hidden_size // num_kv_heads)""",
        says="Your k_proj and v_proj map to hidden_size // num_kv_heads features. A key/value head has "
        "as many features as a query head, head_dim = hidden_size // num_heads, and there are "
        "num_kv_heads of them: num_kv_heads * head_dim.",
    ),
    mask_mistakes.added(),
    mask_mistakes.fills_zero(),
    mask_mistakes.ignored(),
    mask_mistakes.times_minus_infinity(),
    score_mistakes.QUERY_AND_KEY_SWAPPED,
    score_mistakes.KEY_RESHAPED,
    score_mistakes.WEIGHTS_TRANSPOSED,
    score_mistakes.softmax_over_queries("(batch, num_heads, seq, seq)"),
    *mask_mistakes.with_either_fill(score_mistakes.SOFTMAX_OVER_HEADS),
    dropout_mistakes.MISSING,
    attention_mistakes.DIVISIBILITY_UNCHECKED,
    mask_mistakes.fill_not_low_enough(),
    mask_mistakes.added_number_not_low_enough(),
    mask_mistakes.after_softmax_renormalised(),
    mask_mistakes.after_softmax(),
    score_mistakes.max_not_subtracted(),
    score_mistakes.largest_of_all_subtracted(),
    dropout_mistakes.NOT_RESCALED,
    dropout_mistakes.ON_CONTEXT,
    dropout_mistakes.on_output(),
    Mistake(
        "dropout-shared-by-heads",
        find="        weights = self.dropout(weights)",
        replace="        weights = weights * self.dropout(torch.ones_like(weights[:, :1]))",
        says="You drop the same weights in all heads. Heads share keys and values, but no draws: as "
        "nn.Dropout does, drop each weight of (batch, num_heads, seq, seq) on its own.",
    ),
    dropout_mistakes.KEEPS_THAT_SHARE,
    Mistake(
        "heads-merged-in-group-order",
        find="context.transpose(1, 2).reshape(batch, seq, hidden_size)",
        replace="context.unflatten(1, (-1, groups)).permute(0, 3, 2, 1, 4).reshape(batch, seq, hidden_size)",
        says="You merge the heads with the place in the group first, so o_proj gets the first head of every "
        "group, then the second ones. The query heads' results stand side by side in their order: the group "
        "(num_kv_heads) comes first, the place in it second.",
    ),
    Mistake(
        "scale-by-kv-heads",
        find="math.sqrt(self.head_dim)",
        replace="math.sqrt(hidden_size // self.num_kv_heads)",
        says="You divide the scores by sqrt(hidden_size // num_kv_heads). A key/value head has as many "
        "features as a query head, hidden_size // num_heads: divide by the root of that.",
    ),
]
