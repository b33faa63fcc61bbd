"""Checks of `CrossAttention`: parameters, values, context sizes, masks, dropout, gradients."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    Mistake,
    assert_close,
    assert_dropout_in_training_only,
    assert_inputs_unchanged,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
    assert_true,
)

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")

ALL = torch.ones(1, 1, 1, 1, dtype=torch.bool)


def workload(submission, rng):
    x, context = rng.normal(2, 32, 64, dtype=torch.float32), rng.normal(2, 64, 96, dtype=torch.float32)
    return submission.CrossAttention(64, 4, 96).measure(x, context)


def built_in(weights, x, context, mask=ALL, *, num_heads=3):
    """The function behind nn.MultiheadAttention(kdim=, vdim=), where True in the mask means forbidden."""
    batch, tgt, hidden_size = x.shape
    forbidden = ~mask.expand(batch, num_heads, tgt, context.shape[1]).flatten(0, 1)
    biases = torch.cat([weights[f"{name}_proj.bias"] for name in "qkv"])
    result, _ = F.multi_head_attention_forward(
        *(tokens.transpose(0, 1) for tokens in (x, context, context)),
        *(hidden_size, num_heads, None, biases, None, None, False, 0.0),
        *(weights["o_proj.weight"], weights["o_proj.bias"]),
        training=False,
        need_weights=False,
        attn_mask=forbidden,
        use_separate_proj_weight=True,
        **{f"{name}_proj_weight": weights[f"{name}_proj.weight"] for name in "qkv"},
    )
    return result.transpose(0, 1)


def tokens(rng, *shape):
    """Small values, so that the scores are about 1 and the weights not one-hot."""
    return rng.normal(*shape, scale=0.5)


def inputs(rng, batch=2, tgt=5, src=7, context_size=11):
    return tokens(rng, batch, tgt, 15), tokens(rng, batch, src, context_size)


@pytest.mark.parametrize("context_size", [11, None])
def test_parameters(submission, context_size):
    """K and V project from context_size (by default hidden_size), Q and O from hidden_size, with biases"""
    sizes = {"q_proj": 15, "k_proj": context_size or 15, "v_proj": context_size or 15, "o_proj": 15}
    expected = {f"{name}.weight": (15, size) for name, size in sizes.items()}
    expected |= {f"{name}.bias": (15,) for name in sizes}
    assert_parameters(submission.CrossAttention(15, 3, context_size), expected)


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
    weights, (x, context), mask = attention.randomize(rng), inputs(rng, tgt=11), rng.mask(2, 3, 11, 7)
    # By turns queries score the last key 3000 below all others, like them, and 3000 above.
    for name, factor in [("q_proj", 5.0), ("k_proj", 700.0)]:
        weights[f"{name}.weight"][::5], weights[f"{name}.bias"][::5] = 0.0, 0.0
        weights[f"{name}.weight"][::5, 0] = factor
    attention.load(weights)
    x[..., 0] = 1.0 - torch.arange(x.shape[1]) % 3
    context[..., 0], context[:, -1, 0] = 1.0, -1.0
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_close(attention(x, context, mask), built_in(weights, x, context, mask), tolerance=1e-3)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the x, the context and the mask of the calls before it"""
    attention = submission.CrossAttention(15, 3, 11)
    weights = attention.randomize(rng)
    pairs = [inputs(rng), inputs(rng), inputs(rng, 3, 1, 2)]
    masks = [rng.mask(2, 1, 5, 7), rng.mask(2, 1, 5, 7), ALL]
    came = [attention(*pairs[0], masks[0]), attention(*pairs[1], masks[1]), attention(*pairs[2])]
    assert_close(came, [built_in(weights, *pair, mask) for pair, mask in zip(pairs, masks, strict=True)])


def test_other_layouts(submission, rng):
    """one token on either side, a batch of one and inputs that are not contiguous are right"""
    attention = submission.CrossAttention(15, 3, 11)
    weights = attention.randomize(rng)
    pairs = [inputs(rng, tgt=1), inputs(rng, src=1), inputs(rng, batch=1)]
    pairs.append((tokens(rng, 5, 2, 15).transpose(0, 1), tokens(rng, 7, 11, 2).permute(2, 0, 1)))
    assert_close([attention(*pair) for pair in pairs], [built_in(weights, *pair) for pair in pairs])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.CrossAttention(15, 3, 11, 0.5).eval()
    weights, (x, context), mask = attention.randomize(rng), inputs(rng), rng.mask(2, 1, 5, 7)
    assert_close(attention(x, context, mask), built_in(weights, x, context, mask))


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.CrossAttention(15, 3, 11, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, *inputs(rng), mask=rng.mask(2, 1, 5, 7))


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops attention weights with its probability, and divides the others by 1 - dropout"""
    attention = submission.CrossAttention(9, 3, 4, dropout=0.3)
    sizes = {"q_proj": 9, "k_proj": 4, "v_proj": 4, "o_proj": 9}
    weights = {f"{name}.weight": torch.zeros(9, size).double() for name, size in sizes.items()}
    weights |= {f"{name}.bias": torch.zeros(9).double() for name in sizes}
    weights["v_proj.bias"] += torch.tensor([1.0, 1.0, 0.0]).repeat(3)
    weights["v_proj.weight"][2::3] = rng.normal(3, 4)
    weights["o_proj.weight"] += torch.eye(9)
    attention.load(weights)
    # The weights are all 1 / 13. The first two values of a head are 1: both count the weights that it kept.
    came = attention.train()(rng.normal(5, 17, 9), rng.normal(5, 13, 4)).unflatten(2, (3, 3))
    kept = came[..., :2] * 13 * (1 - 0.3)
    message = "with equal weights and values of 1 the result does not count the weights that were kept: "
    message += "something else is dropped, or what is kept is not divided by 1 - dropout"
    assert_true(torch.allclose(kept, kept[..., :1].round().expand_as(kept)), message, seen=came)
    assert_close(
        kept.mean() / 13, torch.tensor(0.7).double(), absolute=0.08, what="the share of weights kept"
    )
    spreads = torch.stack([kept[..., 0].var(dim).mean() for dim in range(3)])
    expected = torch.full_like(spreads, 13 * 0.3 * 0.7)
    # Five standard deviations; zero where a dimension shares its draws.
    what = "the variance of the number of weights kept, over batch, queries and heads"
    assert_close(spreads, expected, absolute=1.6, what=what)


@pytest.mark.parametrize("hidden_size, num_heads, context_size", [(10, 3, 9), (3, 5, None)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads, context_size):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.CrossAttention, hidden_size, num_heads, context_size)


def test_inputs_are_not_modified(submission, rng):
    """x, context and mask are not modified"""
    attention = submission.CrossAttention(15, 3, 11).to(torch.float64)
    assert_inputs_unchanged(attention, *inputs(rng), mask=rng.mask(2, 3, 5, 7))
    assert_inputs_unchanged(attention, *inputs(rng))


MISTAKES = [
    Mistake(
        "biases-left-out",
        find="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(context_size, hidden_size)
        self.v_proj = nn.Linear(context_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)""",
        replace="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(context_size, hidden_size, bias=False)
        self.v_proj = nn.Linear(context_size, hidden_size, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)""",
        says="Your projections have no biases. Many newer models leave them out, but here they are asked "
        "for, as in nn.MultiheadAttention: nn.Linear has one unless bias=False says otherwise.",
    ),
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
        find="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(context_size, hidden_size)
        self.v_proj = nn.Linear(context_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)""",
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
    Mistake(
        "heads-split-without-transpose",
        find="""\
        query = self.q_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        # Nothing here depends on x: while a decoder generates, keys and values are computed only once.
        key = self.k_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        query = self.q_proj(x).view(batch, self.num_heads, tgt, self.head_dim)
        key = self.k_proj(context).view(batch, self.num_heads, src, self.head_dim)
        value = self.v_proj(context).view(batch, self.num_heads, src, self.head_dim)""",
        says="You view the projections directly as (batch, num_heads, length, head_dim), which mixes "
        "features of different tokens. A view does not move data: split the last dimension, "
        "view(batch, length, num_heads, head_dim), and then transpose(1, 2).",
    ),
    Mistake(
        "heads-interleaved",
        find="""\
        query = self.q_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        # Nothing here depends on x: while a decoder generates, keys and values are computed only once.
        key = self.k_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        query = self.q_proj(x).view(batch, tgt, self.head_dim, self.num_heads).permute(0, 3, 1, 2)
        key = self.k_proj(context).view(batch, src, self.head_dim, self.num_heads).permute(0, 3, 1, 2)
        value = self.v_proj(context).view(batch, src, self.head_dim, self.num_heads).permute(0, 3, 1, 2)""",
        says="You give head i every num_heads-th feature, i, i + num_heads and so on. A head owns a "
        "block of neighbouring features, i * head_dim … (i + 1) * head_dim - 1: split the last "
        "dimension as (num_heads, head_dim).",
    ),
    Mistake(
        "heads-merged-without-transpose",
        find="results.transpose(1, 2).reshape(batch, tgt, hidden_size)",
        replace="results.reshape(batch, tgt, hidden_size)",
        says="You merge the heads without moving them back behind the sequence, so one head's results "
        "for several tokens end up in one row. transpose(1, 2) first, then reshape to (batch, "
        "tgt, hidden_size).",
    ),
    Mistake(
        "value-from-key",
        find="        value = self.v_proj(context)",
        replace="        value = self.k_proj(context)",
        says="Your values are reshaped from the projected keys, a slip of copying a line: v_proj is "
        "never used. Values have their own projection of context.",
    ),
    Mistake(
        "scale-by-hidden-size",
        find="math.sqrt(self.head_dim)",
        replace="math.sqrt(hidden_size)",
        says="You divide the scores by sqrt(hidden_size). Each head's dot product has head_dim terms, "
        "so divide by sqrt(head_dim).",
    ),
    Mistake(
        "scale-missing",
        find="""\
        scores = scores / math.sqrt(self.head_dim)
""",
        replace="",
        says="You do not scale the scores. Divide them by sqrt(head_dim): a dot product of head_dim "
        "terms has that standard deviation, and unscaled the softmax saturates.",
    ),
    Mistake(
        "mask-as-truth-value",
        find="        if mask is not None:",
        replace="        if mask:",
        says="You write `if mask:` for a tensor, whose truth value is ambiguous (and for a single False it "
        "would skip the mask). Ask whether there is one: `if mask is not None:`.",
    ),
    Mistake(
        "mask-inverted",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(mask, -math.inf)",
        says="You read the mask the wrong way round: you drop the tokens that may be attended to. True "
        'means "may be attended to" here, the opposite of nn.MultiheadAttention\'s masks, so fill '
        "where the mask is False.",
    ),
    Mistake(
        "mask-added",
        find="scores = scores.masked_fill(~mask, -math.inf)",
        replace="scores = scores + mask",
        says="You add the boolean mask to the scores, which only raises the allowed ones by 1. Fill "
        "the forbidden scores with -inf instead.",
    ),
    Mistake(
        "mask-after-softmax",
        find="""\
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)""",
        replace="""\
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights * mask""",
        says="You zero the forbidden weights after the softmax, so a row no longer sums to 1 and the "
        "forbidden tokens still count in its denominator. Mask the scores with -inf before the "
        "softmax.",
    ),
    Mistake(
        "mask-ignored",
        find="""\
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
""",
        replace="",
        says="You do not use the mask (or throw the result of masked_fill away: it returns a new tensor). "
        "Assign it: scores = scores.masked_fill(~mask, -inf), before the softmax.",
    ),
    Mistake(
        "fill-not-low-enough",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(~mask, -100.0)",
        says="You fill the masked scores with a number that ordinary scores can reach, so where the "
        "allowed scores are lower still the forbidden tokens win. Use -inf, or "
        "torch.finfo(scores.dtype).min.",
    ),
    Mistake(
        "softmax-over-queries",
        find="torch.softmax(scores, dim=-1)",
        replace="torch.softmax(scores, dim=-2)",
        says="Your softmax runs over the tokens of x, so every column sums to 1. Each query shares out "
        "its weight among the tokens of context: softmax over the last dimension of (batch, num_heads, tgt, "
        "src).",
    ),
    Mistake(
        "dropout-on-context",
        find="""\
        weights = self.dropout(weights)
        results = weights @ value  # (batch, num_heads, tgt, head_dim)""",
        replace="        results = self.dropout(weights @ value)",
        says="You drop single features of the heads' results. Dropout acts on the attention weights, after "
        "the softmax and before the product with the values, so that a query ignores whole tokens.",
    ),
    Mistake(
        "dropout-on-output",
        find="""\
        weights = self.dropout(weights)
        results = weights @ value  # (batch, num_heads, tgt, head_dim)

        merged = results.transpose(1, 2).reshape(batch, tgt, hidden_size)  # (batch, tgt, hidden_size)
        return self.o_proj(merged)""",
        replace="""\
        results = weights @ value
        merged = results.transpose(1, 2).reshape(batch, tgt, hidden_size)
        return self.dropout(self.o_proj(merged))""",
        says="You drop entries of the output. That is the dropout of the transformer block around the "
        "attention; the attention's own acts on its weights, after the softmax and before the "
        "product with the values.",
    ),
    Mistake(
        "dropout-before-softmax",
        find="""\
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)""",
        replace="        weights = torch.softmax(self.dropout(scores), dim=-1)",
        says="You drop scores before the softmax. A score of 0 is no zero weight, so nothing is dropped, "
        "and a masked -inf that is dropped becomes NaN. Apply the dropout after the softmax, to the weights.",
    ),
    Mistake(
        "dropout-in-evaluation",
        find="self.dropout(weights)",
        replace="nn.functional.dropout(weights, self.dropout.p)",
        says="Your dropout also acts in evaluation: F.dropout has training=True by default. Use an "
        "nn.Dropout module, or pass training=self.training.",
    ),
    Mistake(
        "dropout-missing",
        find="""\
        weights = self.dropout(weights)
""",
        replace="",
        says="You never apply the dropout (or throw its result away: self.dropout(weights) returns a "
        "new tensor). Apply it to the attention weights, after the softmax: weights = "
        "self.dropout(weights).",
    ),
    Mistake(
        "dropout-keeps-that-share",
        find="nn.Dropout(dropout)",
        replace="nn.Dropout(1 - dropout)",
        says="You take dropout as the probability of keeping a weight. It is the probability of "
        "dropping one, as in nn.Dropout, so the default of 0.0 drops nothing.",
    ),
    Mistake(
        "output-projection-forgotten",
        find="        return self.o_proj(merged)",
        replace="        return merged",
        says="You return the merged heads without the output projection. o_proj mixes what the heads "
        "found; without it, it never gets a gradient.",
    ),
    Mistake(
        "divisibility-unchecked",
        find="""\
        if hidden_size % num_heads != 0:
            raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
""",
        replace="",
        says="You accept a hidden_size that num_heads does not divide; integer division then silently "
        "makes the heads too small, and the failure comes later as a shape error. Raise a "
        "ValueError in the constructor.",
    ),
    Mistake(
        "mask-after-softmax-renormalised",
        find="""\
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)""",
        replace="""\
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights * mask
            weights = weights / weights.sum(dim=-1, keepdim=True)""",
        says="You take the softmax over all keys, zero the forbidden weights and renormalise. On paper that "
        "is right, but a forbidden score far above the allowed ones makes their exponentials underflow "
        "to 0, and 0 / 0 is NaN. Mask the scores with -inf before the softmax.",
    ),
    Mistake(
        "max-not-subtracted",
        find="        weights = torch.softmax(scores, dim=-1)",
        replace="""\
        exps = torch.exp(scores)
        weights = exps / exps.sum(dim=-1, keepdim=True)""",
        says="You write the softmax out without subtracting the maximum: exp overflows above 88 in "
        "float32 and 709 in float64, and inf / inf is NaN; far below it every exponential is 0, "
        "and 0 / 0 is NaN. Subtract each row's largest score first, or use torch.softmax.",
    ),
]
