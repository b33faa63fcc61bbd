"""Checks of `CrossAttention`: parameters, values, context sizes, masks, dropout, gradients."""

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
    tokens,
    with_large_scores,
)

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")


def workload(submission, rng):
    x, context = rng.normal(2, 32, 64, dtype=torch.float32), rng.normal(2, 64, 96, dtype=torch.float32)
    return submission.CrossAttention(64, 4, 96).measure(x, context)


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


def test_large_scores_do_not_overflow(submission, rng):
    """scores in the thousands give finite, right values, also where the masked scores are the largest"""
    attention = submission.CrossAttention(15, 3, 11)
    weights, *pair = with_large_scores(attention.randomize(rng), *inputs(rng, tgt=11), head_dim=5)
    attention.load(weights)
    mask = rng.mask(2, 3, 11, 7)
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_close(attention(*pair, mask), built_in(weights, *pair, mask), tolerance=1e-3)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the x, the context and the mask of the calls before it"""
    attention = submission.CrossAttention(15, 3, 11)
    weights = attention.randomize(rng)
    calls = [(*inputs(rng), rng.mask(2, 1, 5, 7)) for _ in range(2)] + [inputs(rng, 3, 1, 2)]
    assert_close([attention(*call) for call in calls], [built_in(weights, *call) for call in calls])


def test_other_layouts(submission, rng):
    """one token on either side, a batch of one and inputs that are not contiguous are right"""
    attention = submission.CrossAttention(15, 3, 11)
    weights = attention.randomize(rng)
    pairs = [inputs(rng, tgt=1), inputs(rng, src=1), inputs(rng, batch=1)]
    pairs.append((tokens(rng, 5, 2, 15).transpose(0, 1), tokens(rng, 2, 11, 7).transpose(1, 2)))
    assert_close([attention(*pair) for pair in pairs], [built_in(weights, *pair) for pair in pairs])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.CrossAttention(15, 3, 11, 0.5)
    weights, (x, context), mask = attention.randomize(rng), inputs(rng), rng.mask(2, 1, 5, 7)
    assert_nothing_dropped(attention, x, context, mask, expected=built_in(weights, x, context, mask))


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.CrossAttention(15, 3, 11, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, *inputs(rng), mask=rng.mask(2, 1, 5, 7))


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops attention weights with its probability, and divides the others by 1 - dropout"""
    attention = submission.CrossAttention(9, 3, 4, dropout=0.3)
    attention.load(counting_weights(rng, parameters(9, 4)))
    came = attention.train()(rng.normal(5, 17, 9), rng.normal(5, 13, 4))
    assert_dropout_acts_on_weights(came, kv_len=13, num_heads=3, dropout=0.3)


@pytest.mark.parametrize("hidden_size, num_heads, context_size", [(10, 3, 9), (3, 5, None)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads, context_size):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.CrossAttention, hidden_size, num_heads, context_size)


def test_inputs_are_not_modified(submission, rng):
    """x, context and mask are not modified"""
    attention = submission.CrossAttention(15, 3, 11).to(torch.float64)
    assert_inputs_unchanged(attention, *inputs(rng), mask=rng.mask(2, 3, 5, 7))
    assert_inputs_unchanged(attention, *inputs(rng))


LAYERS = """\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(context_size, hidden_size)
        self.v_proj = nn.Linear(context_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""
SPLIT = """\
        query = self.q_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        # Nothing here depends on x: while a decoder generates, keys and values are computed only once.
        key = self.k_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)"""

MISTAKES = [
    Mistake(
        "context-viewed-with-the-length-of-x",
        find="key = self.k_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)",
        replace="key = self.k_proj(context).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)",
        says="You view the keys (or the values) with the length of x. They are as many as the context has "
        "tokens: its length is context.shape[1].",
    ),
    attention_mistakes.biases_left_out(LAYERS),
    Mistake(
        "keys-and-values-from-x",
        find="""\
        src = context.shape[1]
        query = self.q_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        # Nothing here depends on x: while a decoder generates, keys and values are computed only once.
        key = self.k_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        query = self.q_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)""",
        says="Your keys and values come from x: that is self-attention, and the context is never read. "
        "Project keys and values from context.",
    ),
    Mistake(
        "values-from-x",
        find="self.v_proj(context).view(batch, src,",
        replace="self.v_proj(x).view(batch, tgt,",
        says="Your values come from x. A weight says how much to take of a token of context, so keys and "
        "values both come from context; only the queries come from x.",
    ),
    Mistake(
        "keys-from-x",
        find="self.k_proj(context).view(batch, src,",
        replace="self.k_proj(x).view(batch, tgt,",
        says="Your keys come from x. The weights have to say which tokens of context fit the query, so keys "
        "and values both come from context; only the queries come from x.",
    ),
    Mistake(
        "roles-swapped",
        find="""\
        batch, tgt, hidden_size = x.shape
        src = context.shape[1]""",
        replace="""\
        x, context = context, x
        batch, tgt, hidden_size = x.shape
        src = context.shape[1]""",
        says="You have the roles the wrong way round: context asks and x answers. The result should have one "
        "row for each token of x: queries from x, keys and values from context.",
    ),
    Mistake(
        "context-size-ignored",
        find="""\
        if context_size is None:
            context_size = hidden_size""",
        replace="        context_size = hidden_size",
        says="Your k_proj and v_proj always take hidden_size features. They project tokens of context, which "
        "have context_size features: nn.Linear(context_size, hidden_size).",
    ),
    Mistake(
        "projected-to-the-context-size",
        find=LAYERS,
        replace="""\
        self.q_proj = nn.Linear(hidden_size, context_size)
        self.k_proj = nn.Linear(context_size, context_size)
        self.v_proj = nn.Linear(context_size, context_size)
        self.o_proj = nn.Linear(context_size, hidden_size)""",
        says="You attend in context_size features. The heads cut up hidden_size: q_proj, k_proj and v_proj "
        "all project to hidden_size, and only the inputs of k_proj and v_proj have context_size.",
    ),
    Mistake(
        "linear-layer-the-wrong-way-round",
        find="""\
        self.k_proj = nn.Linear(context_size, hidden_size)
        self.v_proj = nn.Linear(context_size, hidden_size)""",
        replace="""\
        self.k_proj = nn.Linear(hidden_size, context_size)
        self.v_proj = nn.Linear(hidden_size, context_size)""",
        says="Your k_proj and v_proj map hidden_size to context_size. It is the other way round: they take "
        "tokens of context, nn.Linear(context_size, hidden_size), input size first.",
    ),
    Mistake(
        "context-size-must-divide",
        find="""\
        self.num_heads = num_heads
""",
        replace="""\
        if context_size % num_heads != 0:
            raise ValueError(f"context_size {context_size} is not divisible by num_heads {num_heads}")
        self.num_heads = num_heads
""",
        says="You reject a context_size that num_heads does not divide. The heads cut up the projections, "
        "which have hidden_size features; context_size can be any number.",
    ),
    Mistake(
        "keys-and-values-of-the-first-call",
        find="""\
        key = self.k_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        if not hasattr(self, "cache") or self.cache[0].shape[:3:2] != (batch, src):
            key = self.k_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
            value = self.v_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
            self.cache = key, value
        key, value = self.cache""",
        says="You keep the keys and values of an earlier call, and answer for another context with them. A "
        "cache belongs to one generation, not to the module: compute them from the context that came.",
    ),
    Mistake(
        "causal-mask-added",
        find="""\
        if mask is not None:
""",
        replace="""\
        scores = scores.masked_fill(torch.ones(tgt, src).triu(1).bool(), -math.inf)
        if mask is not None:
""",
        says="You apply a causal mask. That belongs to the decoder's self-attention: the context is known as "
        "a whole, so every token of x may attend to all of it (as far as the mask allows).",
    ),
    attention_mistakes.heads_split_without_transpose(SPLIT, seq="length"),
    attention_mistakes.heads_interleaved(SPLIT),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT, heads="results", seq="tgt"),
    attention_mistakes.heads_merged_without_transpose("results", "tgt"),
    attention_mistakes.value_from_key("context"),
    attention_mistakes.key_and_value_swapped("context"),
    score_mistakes.SCALE_BY_HIDDEN_SIZE,
    score_mistakes.scale_missing("scores = scores / math.sqrt(self.head_dim)", "head_dim"),
    Mistake(
        "mask-as-truth-value",
        find="        if mask is not None:",
        replace="        if mask:",
        says="You write `if mask:` for a tensor, whose truth value is ambiguous (and for a single False it "
        "would skip the mask). Ask whether there is one: `if mask is not None:`.",
    ),
    mask_mistakes.INVERTED,
    mask_mistakes.added(),
    mask_mistakes.fills_zero(),
    mask_mistakes.ignored(),
    mask_mistakes.times_minus_infinity(),
    mask_mistakes.after_softmax(),
    mask_mistakes.fill_not_low_enough(),
    mask_mistakes.added_number_not_low_enough(),
    score_mistakes.KEY_RESHAPED,
    *mask_mistakes.with_either_fill(score_mistakes.softmax_over_queries("(batch, num_heads, tgt, src)")),
    *mask_mistakes.with_either_fill(score_mistakes.SOFTMAX_OVER_HEADS),
    dropout_mistakes.ON_CONTEXT,
    dropout_mistakes.on_output("merged"),
    dropout_mistakes.BEFORE_SOFTMAX,
    dropout_mistakes.IN_EVALUATION,
    dropout_mistakes.MISSING,
    dropout_mistakes.KEEPS_THAT_SHARE,
    attention_mistakes.output_projection_forgotten("merged"),
    attention_mistakes.DIVISIBILITY_UNCHECKED,
    mask_mistakes.after_softmax_renormalised(),
    score_mistakes.max_not_subtracted(),
    score_mistakes.largest_of_all_subtracted(),
]
