"""Checks of `GroupedQueryAttention`: parameters, groups, masks, dropout, gradients, bad configuration."""

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


def workload(submission, rng):
    return submission.GroupedQueryAttention(64, 8, 2).measure(rng.normal(2, 64, 64, dtype=torch.float32))


def built_in(weights, x, mask=None):
    """The built-in on the projections, cut into heads of 7 features."""
    query, key, value = (
        F.linear(x, weights[f"{name}_proj.weight"], weights[f"{name}_proj.bias"])
        .unflatten(2, (-1, 7))
        .transpose(1, 2)
        for name in "qkv"
    )
    context = F.scaled_dot_product_attention(query, key, value, mask, enable_gqa=True)
    return F.linear(context.transpose(1, 2).flatten(2), weights["o_proj.weight"], weights["o_proj.bias"])


def tokens(rng, *shape):
    """Small values, so that the scores are about 1 and the weights not one-hot."""
    return rng.normal(*shape, scale=0.3)


@pytest.mark.parametrize("num_kv_heads, kv_size", [(2, 14), (1, 7), (6, 42)])
def test_parameters(submission, num_kv_heads, kv_size):
    """K and V project to num_kv_heads * head_dim features, Q and O to hidden_size, all with biases"""
    sizes = {"q_proj": 42, "k_proj": kv_size, "v_proj": kv_size, "o_proj": 42}
    expected = {f"{name}.weight": (size, 42) for name, size in sizes.items()}
    expected |= {f"{name}.bias": (size,) for name, size in sizes.items()}
    assert_parameters(submission.GroupedQueryAttention(42, 6, num_kv_heads), expected)


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
    weights, x, mask = attention.randomize(rng), tokens(rng, 5, 11, 42), rng.mask(5, 6, 11, 11)
    # By turns queries score the last key 3000 below all others, like them, and 3000 above.
    for name, factor, column in [("q_proj", 5.0, 0), ("k_proj", 800.0, 1)]:
        weights[f"{name}.weight"][::7], weights[f"{name}.bias"][::7] = 0.0, 0.0
        weights[f"{name}.weight"][::7, column] = factor
    attention.load(weights)
    x[..., 0] = 1.0 - torch.arange(x.shape[1]) % 3
    x[..., 1], x[:, -1, 1] = 1.0, -1.0
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_close(attention(x, mask), built_in(weights, x, mask), tolerance=1e-3)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the size and the mask of the calls before it"""
    attention = submission.GroupedQueryAttention(42, 6, 2)
    weights, xs = (
        attention.randomize(rng),
        [tokens(rng, 5, 11, 42), tokens(rng, 5, 11, 42), tokens(rng, 2, 3, 42)],
    )
    masks = [rng.mask(5, 1, 11, 11), rng.mask(5, 1, 11, 11), None]
    came = [attention(xs[0], masks[0]), attention(xs[1], masks[1]), attention(xs[2])]
    assert_close(came, [built_in(weights, x, mask) for x, mask in zip(xs, masks, strict=True)])


def test_other_layouts(submission, rng):
    """a single token, a batch of one and an x that is not contiguous are right"""
    attention = submission.GroupedQueryAttention(42, 6, 2)
    weights = attention.randomize(rng)
    xs = [tokens(rng, 5, 1, 42), tokens(rng, 1, 11, 42), tokens(rng, 11, 5, 42).transpose(0, 1)]
    assert_close([attention(x) for x in xs], [built_in(weights, x) for x in xs])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.GroupedQueryAttention(42, 6, 2, dropout=0.5).eval()
    weights, x, mask = attention.randomize(rng), tokens(rng, 5, 11, 42), rng.mask(5, 1, 11, 11)
    assert_close(attention(x, mask), built_in(weights, x, mask))


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.GroupedQueryAttention(42, 6, 2, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 5, 11, 42), mask=rng.mask(5, 1, 11, 11))


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops each query head's attention weights, and divides the others by 1 - dropout"""
    attention = submission.GroupedQueryAttention(18, 6, 2, dropout=0.3)
    sizes = {"q_proj": 18, "k_proj": 6, "v_proj": 6, "o_proj": 18}
    weights = {f"{name}.weight": torch.zeros(size, 18).double() for name, size in sizes.items()}
    weights |= {f"{name}.bias": torch.zeros(size).double() for name, size in sizes.items()}
    weights["v_proj.bias"] += torch.tensor([1.0, 1.0, 0.0]).repeat(2)
    weights["v_proj.weight"][2::3] = rng.normal(2, 18)
    weights["o_proj.weight"] += torch.eye(18)
    attention.load(weights)
    # The weights are all 1 / 13. The first two values of a head are 1: both count the weights that it kept.
    came = attention.train()(rng.normal(11, 13, 18)).unflatten(2, (6, 3))
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
    assert_close(spreads, expected, absolute=0.8, what=what)


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


MISTAKES = [
    Mistake(
        "biases-left-out",
        find="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(hidden_size, hidden_size)""",
        replace="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)""",
        says="Your projections have no biases. Many models with grouped-query attention leave them out, but "
        "here they are asked for: nn.Linear has one unless bias=False says otherwise.",
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
    Mistake(
        "value-from-key",
        find="        value = self.v_proj(x)",
        replace="        value = self.k_proj(x)",
        says="Your values are reshaped from the projected keys, a slip of copying a line: v_proj is "
        "never used. Values have their own projection of x.",
    ),
    Mistake(
        "heads-merged-without-transpose",
        find="context.transpose(1, 2).reshape(batch, seq, hidden_size)",
        replace="context.reshape(batch, seq, hidden_size)",
        says="You merge the heads without moving them back behind the sequence, so one head's results "
        "for several tokens end up in one row. transpose(1, 2) first, then reshape to (batch, "
        "seq, hidden_size).",
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
        "output-projection-forgotten",
        find="        return self.o_proj(context)",
        replace="        return context",
        says="You return the merged heads without the output projection. o_proj mixes what the heads "
        "found; without it, it never gets a gradient.",
    ),
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
    Mistake(
        "dropout-in-evaluation",
        find="self.dropout(weights)",
        replace="nn.functional.dropout(weights, self.dropout.p)",
        says="Your dropout also acts in evaluation: F.dropout has training=True by default. Use an "
        "nn.Dropout module, or pass training=self.training.",
    ),
    Mistake(
        "mask-inverted",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(mask, -math.inf)",
        says="You read the mask the wrong way round: you drop the keys that may be attended to. True "
        'means "may be attended to" here, so fill where the mask is False.',
    ),
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
    Mistake(
        "heads-split-without-transpose",
        find="""\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_kv_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_kv_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        query = self.q_proj(x).view(batch, self.num_heads, seq, self.head_dim)
        key = self.k_proj(x).view(batch, self.num_kv_heads, seq, self.head_dim)
        value = self.v_proj(x).view(batch, self.num_kv_heads, seq, self.head_dim)""",
        says="You view the projections directly as (batch, heads, seq, head_dim), which mixes features "
        "of different tokens. A view does not move data: split the last dimension, view(batch, "
        "seq, heads, head_dim), and then transpose(1, 2).",
    ),
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
    Mistake(
        "mask-added",
        find="scores = scores.masked_fill(~mask, -math.inf)",
        replace="scores = scores + mask",
        says="You add the boolean mask to the scores, which only raises the allowed ones by 1. Fill "
        "the forbidden scores with -inf instead.",
    ),
    Mistake(
        "softmax-over-queries",
        find="torch.softmax(scores, dim=-1)",
        replace="torch.softmax(scores, dim=-2)",
        says="Your softmax runs over the queries, so every column sums to 1. Each query shares out its "
        "weight among the keys: softmax over the last dimension of (batch, num_heads, seq, seq).",
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
        "divisibility-unchecked",
        find="""\
        if hidden_size % num_heads != 0:
            raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
        if num_heads""",
        replace="        if num_heads",
        says="You accept a hidden_size that num_heads does not divide; integer division then silently "
        "makes the heads too small, and the failure comes later as a shape error. Raise a "
        "ValueError in the constructor, for this as for num_heads and num_kv_heads.",
    ),
    Mistake(
        "fill-not-low-enough",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(~mask, -100.0)",
        says="You fill the masked scores with a number that ordinary scores can reach, so where the "
        "allowed scores are lower still the forbidden keys win. Use -inf, or "
        "torch.finfo(scores.dtype).min.",
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
        "forbidden keys still count in its denominator. Mask the scores with -inf before the "
        "softmax.",
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
    Mistake(
        "dropout-not-rescaled",
        find="        weights = self.dropout(weights)",
        replace="""\
        if self.training:
            weights = weights * (torch.rand_like(weights) >= self.dropout.p)""",
        says="You drop weights, but leave the others as they are, so the results are too small on average "
        "in training. Divide what is kept by 1 - dropout, or use nn.Dropout, which does.",
    ),
    Mistake(
        "dropout-on-context",
        find="""\
        weights = self.dropout(weights)
        context = weights @ value  # (batch, num_heads, seq, head_dim)""",
        replace="        context = self.dropout(weights @ value)",
        says="You drop entries of the context, single features of a head's result. Dropout acts on the "
        "attention weights, after the softmax and before the product with the values, so that a "
        "query ignores whole tokens.",
    ),
    Mistake(
        "dropout-shared-by-heads",
        find="        weights = self.dropout(weights)",
        replace="        weights = weights * self.dropout(torch.ones_like(weights[:, :1]))",
        says="You drop the same weights in all heads. Heads share keys and values, but no draws: as "
        "nn.Dropout does, drop each weight of (batch, num_heads, seq, seq) on its own.",
    ),
    Mistake(
        "dropout-keeps-that-share",
        find="nn.Dropout(dropout)",
        replace="nn.Dropout(1 - dropout)",
        says="You take dropout as the probability of keeping a weight. It is the probability of "
        "dropping one, as in nn.Dropout, so the default of 0.0 drops nothing.",
    ),
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
