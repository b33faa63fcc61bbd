"""Checks of `MultiHeadAttention`: parameters, values, masks, dropout, gradients, bad configuration."""

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
    return submission.MultiHeadAttention(64, 4).measure(rng.normal(2, 64, 64, dtype=torch.float32))


def built_in(weights, x, mask=ALL, *, num_heads=3):
    """The function behind nn.MultiheadAttention, where True in the mask means forbidden."""
    batch, seq, hidden_size = x.shape
    forbidden = ~mask.expand(batch, num_heads, seq, seq).reshape(-1, seq, seq)
    joint = [torch.cat([weights[f"{name}_proj.{kind}"] for name in "qkv"]) for kind in ("weight", "bias")]
    out = weights["o_proj.weight"], weights["o_proj.bias"]
    x = x.transpose(0, 1)
    options = {"training": False, "need_weights": False, "attn_mask": forbidden}
    result, _ = F.multi_head_attention_forward(
        x, x, x, hidden_size, num_heads, *joint, None, None, False, 0.0, *out, **options
    )
    return result.transpose(0, 1)


def tokens(rng, *shape):
    """Small values, so that the scores are about 1 and the weights not one-hot."""
    return rng.normal(*shape, scale=0.5)


def test_parameters(submission):
    """the parameters are four linear layers from hidden_size to hidden_size, with biases"""
    names = ["q_proj", "k_proj", "v_proj", "o_proj"]
    expected = {f"{name}.weight": (15, 15) for name in names} | {f"{name}.bias": (15,) for name in names}
    assert_parameters(submission.MultiHeadAttention(15, 3), expected)


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
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 15), rng.mask(2, 3, 7, 7)
    # By turns queries score the last key 3000 below all others, like them, and 3000 above.
    for name, factor, column in [("q_proj", 5.0, 0), ("k_proj", 700.0, 1)]:
        weights[f"{name}.weight"][::5], weights[f"{name}.bias"][::5] = 0.0, 0.0
        weights[f"{name}.weight"][::5, column] = factor
    attention.load(weights)
    x[..., 0] = 1.0 - torch.arange(x.shape[1]) % 3
    x[..., 1], x[:, -1, 1] = 1.0, -1.0
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_close(attention(x, mask), built_in(weights, x, mask), tolerance=1e-3)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the size and the mask of the calls before it"""
    attention = submission.MultiHeadAttention(15, 3)
    weights, xs = (
        attention.randomize(rng),
        [tokens(rng, 2, 7, 15), tokens(rng, 2, 7, 15), tokens(rng, 5, 3, 15)],
    )
    masks = [rng.mask(2, 1, 7, 7), rng.mask(2, 1, 7, 7), ALL]
    came = [attention(xs[0], masks[0]), attention(xs[1], masks[1]), attention(xs[2])]
    assert_close(came, [built_in(weights, x, mask) for x, mask in zip(xs, masks, strict=True)])


def test_other_layouts(submission, rng):
    """a single token, a batch of one and an x that is not contiguous are right"""
    attention = submission.MultiHeadAttention(15, 3)
    weights = attention.randomize(rng)
    xs = [tokens(rng, 2, 1, 15), tokens(rng, 1, 7, 15), tokens(rng, 7, 2, 15).transpose(0, 1)]
    assert_close([attention(x) for x in xs], [built_in(weights, x) for x in xs])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.MultiHeadAttention(15, 3, dropout=0.5).eval()
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 15), rng.mask(2, 1, 7, 7)
    assert_close(attention(x, mask), built_in(weights, x, mask))


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.MultiHeadAttention(15, 3, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 2, 7, 15))


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops attention weights with its probability, and divides the others by 1 - dropout"""
    attention = submission.MultiHeadAttention(9, 3, dropout=0.3).to(torch.float64)
    weights = attention.randomize(rng)
    for value in weights.values():
        value.zero_()
    weights["v_proj.bias"] += torch.tensor([1.0, 1.0, 0.0]).repeat(3)
    weights["v_proj.weight"][2::3] = rng.normal(3, 9)
    weights["o_proj.weight"] += torch.eye(9)
    attention.load(weights)
    # The weights are all 1 / 13. The first two values of a head are 1: both count the weights that it kept.
    came = attention.train()(rng.normal(5, 13, 9)).unflatten(2, (3, 3))
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
    assert_close(spreads, expected, absolute=1.8, what=what)


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


MISTAKES = [
    Mistake(
        "biases-left-out",
        find="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)""",
        replace="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.v_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)""",
        says="Your projections have no biases. Many newer models leave them out, but here they are asked "
        "for, as in nn.MultiheadAttention: nn.Linear has one unless bias=False says otherwise.",
    ),
    Mistake(
        "heads-split-without-transpose",
        find="""\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        query = self.q_proj(x).view(batch, self.num_heads, seq, self.head_dim)
        key = self.k_proj(x).view(batch, self.num_heads, seq, self.head_dim)
        value = self.v_proj(x).view(batch, self.num_heads, seq, self.head_dim)""",
        says="You view the projections directly as (batch, num_heads, seq, head_dim), which mixes "
        "features of different tokens. A view does not move data: split the last dimension, "
        "view(batch, seq, num_heads, head_dim), and then transpose(1, 2).",
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
        "mask-inverted",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(mask, -math.inf)",
        says="You read the mask the wrong way round: you drop the keys that may be attended to. True "
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
        "softmax-over-queries",
        find="torch.softmax(scores, dim=-1)",
        replace="torch.softmax(scores, dim=-2)",
        says="Your softmax runs over the queries, so every column sums to 1. Each query shares out its "
        "weight among the keys: softmax over the last dimension of (batch, num_heads, seq, seq).",
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
        "dropout-in-evaluation",
        find="self.dropout(weights)",
        replace="nn.functional.dropout(weights, self.dropout.p)",
        says="Your dropout also acts in evaluation: F.dropout has training=True by default. Use an "
        "nn.Dropout module, or pass training=self.training.",
    ),
    Mistake(
        "output-projection-forgotten",
        find="        return self.o_proj(context)",
        replace="        return context",
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
        find="""\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        query = self.q_proj(x).view(batch, seq, self.head_dim, self.num_heads).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.head_dim, self.num_heads).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.head_dim, self.num_heads).transpose(1, 2)""",
        says="You view the features as (head_dim, num_heads), so there are head_dim heads with "
        "num_heads features each. The heads come first: view(batch, seq, num_heads, head_dim) "
        "gives head i the features i * head_dim … (i + 1) * head_dim - 1.",
    ),
    Mistake(
        "heads-interleaved",
        find="""\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        query = self.q_proj(x).view(batch, seq, self.head_dim, self.num_heads).permute(0, 3, 1, 2)
        key = self.k_proj(x).view(batch, seq, self.head_dim, self.num_heads).permute(0, 3, 1, 2)
        value = self.v_proj(x).view(batch, seq, self.head_dim, self.num_heads).permute(0, 3, 1, 2)""",
        says="You give head i every num_heads-th feature, i, i + num_heads and so on. A head owns a "
        "block of neighbouring features, i * head_dim … (i + 1) * head_dim - 1: split the last "
        "dimension as (num_heads, head_dim).",
    ),
    Mistake(
        "value-from-key",
        find="        value = self.v_proj(x)",
        replace="        value = self.k_proj(x)",
        says="Your values are reshaped from the projected keys, a slip of copying a line: v_proj is "
        "never used. Values have their own projection of x.",
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
        "dropout-before-softmax",
        find="""\
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)""",
        replace="        weights = torch.softmax(self.dropout(scores), dim=-1)",
        says="You drop scores before the softmax. A score of 0 is no zero weight, so nothing is "
        "dropped, and the others are scaled up. Apply the dropout after the softmax, to the "
        "weights.",
    ),
    Mistake(
        "dropout-on-output",
        find="""\
        weights = self.dropout(weights)
        context = weights @ value  # (batch, num_heads, seq, head_dim)

        # reshape, not view: after the transpose the memory is no longer contiguous.
        context = context.transpose(1, 2).reshape(batch, seq, hidden_size)  # (batch, seq, hidden_size)
        return self.o_proj(context)""",
        replace="""\
        context = weights @ value
        context = context.transpose(1, 2).reshape(batch, seq, hidden_size)
        return self.dropout(self.o_proj(context))""",
        says="You drop entries of the output. That is the dropout of the transformer block around the "
        "attention; the attention's own acts on its weights, after the softmax and before the "
        "product with the values.",
    ),
    Mistake(
        "dropout-keeps-that-share",
        find="nn.Dropout(dropout)",
        replace="nn.Dropout(1 - dropout)",
        says="You take dropout as the probability of keeping a weight. It is the probability of "
        "dropping one, as in nn.Dropout, so the default of 0.0 drops nothing.",
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
        "mask-of-the-first-head",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(~mask[:, :1], -math.inf)",
        says="You use the first head's mask for all heads. A mask of shape (batch, num_heads, seq, seq) says "
        "for each head what it may attend to.",
    ),
    Mistake(
        "mask-transposed",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(~mask.transpose(-2, -1), -math.inf)",
        says="You swap queries and keys in the mask: its rows are queries and its columns keys, like those "
        "of the scores, so it fits them as it comes.",
    ),
    Mistake(
        "mask-modified",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(mask.logical_not_(), -math.inf)",
        says="You invert the mask in place, so the caller's mask is another one after the call, and the "
        "next layer gets that. Make a new tensor: ~mask.",
    ),
]
