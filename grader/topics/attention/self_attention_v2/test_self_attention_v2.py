"""Checks of `SelfAttention`, level 2: parameters, values, the one projection, gradients, large scores."""

import math

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    Mistake,
    assert_close,
    assert_inputs_unchanged,
    assert_parameters,
    assert_same_gradients,
    assert_true,
)
from grader.kit.families.attention import mistakes as attention_mistakes
from grader.kit.families.attention import score_mistakes
from grader.kit.families.attention.checks import linear_layers, other_layouts, project, separated, tokens

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")


def workload(submission, rng):
    return submission.SelfAttention(64).measure(rng.normal(2, 64, 64, dtype=torch.float32))


def built_in(weights, x):
    """The built-in on query, key and value, each projected with its own rows of the weight."""
    query, key, value = (project(separated(weights), name, x) for name in "qkv")
    return F.scaled_dot_product_attention(query, key, value)


def test_parameters(submission):
    """the parameters are one linear layer from hidden_size to 3 * hidden_size, with a bias"""
    assert_parameters(submission.SelfAttention(11), linear_layers(qkv_proj=(11, 33)))


@pytest.mark.parametrize("batch, seq, hidden_size", [(2, 7, 11), (3, 13, 5), (5, 2, 1)])
def test_equals_the_built_in(submission, rng, batch, seq, hidden_size):
    """equals F.scaled_dot_product_attention on the projections of x"""
    attention = submission.SelfAttention(hidden_size)
    weights, x = attention.randomize(rng), tokens(rng, batch, seq, hidden_size)
    assert_close(attention(x), built_in(weights, x))


def test_one_projection(submission, rng):
    """query, key and value are projected by exactly one matrix product"""
    attention, x = submission.SelfAttention(23).to(torch.float64), tokens(rng, 2, 7, 23)
    # Sums over 23 features or more, that give features: the attention's own sum over tokens or give scores.
    flops = [
        product.matmul_flops
        for product in attention.measure(x).operations
        if product.matmul_flops >= 2 * 23 * math.prod(product.shapes[0])
        and any(size % 23 == 0 for size in product.shapes[0])
    ]
    message = f"{len(flops)} matrix products project tokens, it should be one: for all tokens of the batch, "
    message += "and for query, key and value together"
    assert_true(len(flops) == 1, message, seen=flops)


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
    weights["qkv_proj.bias"][11:22] *= 5e3
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
    Mistake(
        "three-products",
        find="""\
        qkv = self.qkv_proj(x)  # (batch, seq, 3 * hidden_size)
        # Views, no copies: three windows on the same memory.
        query, key, value = qkv.chunk(3, dim=-1)  # (batch, seq, hidden_size) each""",
        replace="""\
        slices = zip(self.qkv_proj.weight.chunk(3), self.qkv_proj.bias.chunk(3), strict=True)
        query, key, value = (nn.functional.linear(x, weight, bias) for weight, bias in slices)""",
        says="You cut the weight in three and multiply three times. Multiply once with the whole weight, and "
        "cut the result: that is what the fused layer is for.",
    ),
    Mistake(
        "projected-three-times",
        find="""\
        qkv = self.qkv_proj(x)  # (batch, seq, 3 * hidden_size)
        # Views, no copies: three windows on the same memory.
        query, key, value = qkv.chunk(3, dim=-1)  # (batch, seq, hidden_size) each""",
        replace="""\
        query = self.qkv_proj(x).chunk(3, dim=-1)[0]
        key = self.qkv_proj(x).chunk(3, dim=-1)[1]
        value = self.qkv_proj(x).chunk(3, dim=-1)[2]""",
        says="You call qkv_proj three times and throw two thirds of each result away, which triples the "
        "work. Call it once, keep the result, and cut it in three.",
    ),
    Mistake(
        "projected-one-by-one",
        find="self.qkv_proj(x)  #",
        replace="torch.stack([self.qkv_proj(tokens) for tokens in x])  #",
        says="You project each sequence of the batch with a product of its own. nn.Linear takes any number "
        "of leading dimensions: one product projects all tokens of the batch.",
    ),
    attention_mistakes.KEY_FIRST,
    attention_mistakes.VALUE_BEFORE_KEY,
    attention_mistakes.VALUE_FIRST,
    Mistake(
        "features-interleaved",
        find="qkv.chunk(3, dim=-1)",
        replace="qkv.unflatten(-1, (-1, 3)).unbind(-1)",
        says="You deal the features out in turn: 0, 3, 6 … to the query, 1, 4, 7 … to the key. They lie "
        "side by side: the first hidden_size are the query. View as (…, 3, hidden_size), not "
        "(…, hidden_size, 3), or use chunk(3, dim=-1).",
    ),
    Mistake(
        "tokens-mixed",
        find="qkv.chunk(3, dim=-1)",
        replace="qkv.reshape(3, *x.shape).unbind(0)",
        says="You reshape to (3, batch, seq, hidden_size), which mixes features of different tokens. A "
        "reshape does not move data: split the last dimension, (batch, seq, 3, hidden_size), and unbind "
        "that 3.",
    ),
    Mistake(
        "cut-along-the-sequence",
        find="qkv.chunk(3, dim=-1)",
        replace="qkv.chunk(3, dim=1)",
        says="You cut the sequence in three: dimension 1 of (batch, seq, 3 * hidden_size) holds the tokens. "
        "Query, key and value lie side by side in the last dimension: chunk(3, dim=-1).",
    ),
    Mistake(
        "scale-by-the-fused-width",
        find="math.sqrt(query.shape[-1])",
        replace="math.sqrt(qkv.shape[-1])",
        says="You divide the scores by the root of 3 * hidden_size, the width of qkv_proj's output. A score "
        "is a sum over the query's features: divide by sqrt(hidden_size).",
    ),
    score_mistakes.scale_missing("scores = scores / math.sqrt(query.shape[-1])"),
    score_mistakes.SCALE_WITHOUT_ROOT,
    score_mistakes.softmax_over_queries("(batch, seq, seq)"),
    score_mistakes.SOFTMAX_WITHOUT_DIM,
    score_mistakes.SOFTMAX_OVERFLOWS,
    score_mistakes.largest_of_all_subtracted(),
    score_mistakes.KEY_RESHAPED,
    score_mistakes.WEIGHTS_TRANSPOSED,
    Mistake(
        "bias-left-out",
        find="self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)",
        replace="self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size, bias=False)",
        says="Your qkv_proj has no bias. Many newer models leave it out, but here it is asked for: "
        "nn.Linear has one unless bias=False says otherwise.",
    ),
    attention_mistakes.output_projection_added(
        "        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)"
    ),
    Mistake(
        "separate-projections",
        find="        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)",
        replace="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.qkv_proj = lambda x: torch.cat([self.q_proj(x), self.k_proj(x), self.v_proj(x)], dim=-1)""",
        says="You kept level 1's three layers q_proj, k_proj and v_proj. This level has one, qkv_proj = "
        "nn.Linear(hidden_size, 3 * hidden_size), so that one matrix product makes all three.",
    ),
]
