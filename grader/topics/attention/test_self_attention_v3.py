"""Checks of `SelfAttention`, level 3: parameters, values, masks, dropout, gradients, large scores."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    Mistake,
    assert_close,
    assert_dropout_in_training_only,
    assert_inputs_unchanged,
    assert_parameters,
    assert_same_gradients,
    assert_true,
)

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")


def workload(submission, rng):
    return submission.SelfAttention(64).measure(rng.normal(2, 64, 64, dtype=torch.float32))


def built_in(weights, x, mask=None):
    """The built-in on query, key and value, each projected with its own rows of the weight."""
    parts = [weights[f"qkv_proj.{kind}"].unflatten(0, (3, x.shape[-1])) for kind in ("weight", "bias")]
    query, key, value = (F.linear(x, weight, bias) for weight, bias in zip(*parts, strict=True))
    context = F.scaled_dot_product_attention(query, key, value, mask)
    return F.linear(context, weights["o_proj.weight"], weights["o_proj.bias"])


def tokens(rng, *shape):
    """Small values, so that the scores are about 1 and the weights not one-hot."""
    return rng.normal(*shape, scale=0.5)


def test_parameters(submission):
    """the parameters are qkv_proj to 3 * hidden_size and o_proj to hidden_size, with biases"""
    expected = {"qkv_proj.weight": (33, 11), "qkv_proj.bias": (33,)}
    expected |= {"o_proj.weight": (11, 11), "o_proj.bias": (11,)}
    assert_parameters(submission.SelfAttention(11), expected)


@pytest.mark.parametrize("batch, seq, hidden_size", [(2, 7, 11), (3, 13, 5)])
def test_equals_the_built_in(submission, rng, batch, seq, hidden_size):
    """equals F.scaled_dot_product_attention between the projections"""
    attention = submission.SelfAttention(hidden_size)
    weights, x = attention.randomize(rng), tokens(rng, batch, seq, hidden_size)
    assert_close(attention(x), built_in(weights, x))


@pytest.mark.parametrize("shape", [(2, 7, 7), (2, 1, 7), (1, 7, 7), (1, 1, 7), (2, 7, 1)])
def test_mask_broadcasts(submission, rng, shape):
    """keys where the mask is False get no weight, in every shape that broadcasts"""
    attention = submission.SelfAttention(11)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 11), rng.mask(*shape)
    assert_close(attention(x, mask), built_in(weights, x, mask))


def test_gradients(submission, rng):
    """the gradients of x and of every parameter equal the built-in's, with a mask"""
    attention = submission.SelfAttention(11)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 11), rng.mask(2, 7, 7)
    assert_same_gradients(attention, built_in, x, weights=weights, mask=mask)


def test_float32_is_kept(submission, rng):
    """float32 is kept, with a mask"""
    attention = submission.SelfAttention(11)
    weights = attention.randomize(rng, dtype=torch.float32)
    x, mask = tokens(rng, 2, 7, 11).float(), rng.mask(2, 1, 7)
    assert_close(attention(x, mask=mask), built_in(weights, x, mask))


def test_large_scores_do_not_overflow(submission, rng):
    """scores in the thousands give finite, right values, also where the masked scores are the largest"""
    attention = submission.SelfAttention(11)
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 11), rng.mask(2, 7, 7)
    # By turns queries score the last key 3000 below all others, like them, and 3000 above.
    for row, factor, column in [(0, 5.0, 0), (11, 1e3, 1)]:
        weights["qkv_proj.weight"][row], weights["qkv_proj.bias"][row] = 0.0, 0.0
        weights["qkv_proj.weight"][row, column] = factor
    attention.load(weights)
    x[..., 0] = 1.0 - torch.arange(x.shape[1]) % 3
    x[..., 1], x[:, -1, 1] = 1.0, -1.0
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_close(attention(x, mask), built_in(weights, x, mask), tolerance=1e-3)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the size and the mask of the calls before it"""
    attention = submission.SelfAttention(11)
    weights = attention.randomize(rng)
    xs = [tokens(rng, 2, 7, 11), tokens(rng, 2, 7, 11), tokens(rng, 2, 7, 11), tokens(rng, 5, 13, 11)]
    masks = [rng.mask(2, 7, 7), rng.mask(2, 7, 7), None, rng.mask(1, 13, 13)]
    came = [attention(x, mask) for x, mask in zip(xs, masks, strict=True)]
    assert_close(came, [built_in(weights, x, mask) for x, mask in zip(xs, masks, strict=True)])


def test_other_layouts(submission, rng):
    """a single token, a batch of one, and an x and a mask that are not contiguous are right"""
    attention = submission.SelfAttention(11)
    weights = attention.randomize(rng)
    xs = [tokens(rng, 2, 1, 11), tokens(rng, 1, 7, 11), tokens(rng, 7, 2, 11).transpose(0, 1)]
    masks = [torch.ones(2, 1, 1, dtype=torch.bool), None, rng.mask(7, 2, 7).transpose(0, 1)]
    came = [attention(x, mask) for x, mask in zip(xs, masks, strict=True)]
    assert_close(came, [built_in(weights, x, mask) for x, mask in zip(xs, masks, strict=True)])


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.SelfAttention(11, dropout=0.5).eval()
    weights, x, mask = attention.randomize(rng), tokens(rng, 2, 7, 11), rng.mask(2, 7, 7)
    assert_close(attention(x, mask), built_in(weights, x, mask))


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.SelfAttention(11, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 2, 7, 11), mask=rng.mask(2, 7, 7))


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops attention weights, each on its own, and divides the others by 1 - dropout"""
    attention = submission.SelfAttention(3, dropout=0.3)
    weights = attention.randomize(rng)
    for value in weights.values():
        value.zero_()
    weights["qkv_proj.bias"][6:] = torch.tensor([1.0, 1.0, 0.0])
    weights["qkv_proj.weight"][8] = rng.normal(3)
    weights["o_proj.weight"] += torch.eye(3)
    weights["o_proj.bias"] += 1.0
    attention.load(weights)
    # The weights are all 1 / 13. The first two values are 1: both count the weights that a query kept.
    came = attention.train()(rng.normal(17, 13, 3))
    kept = (came[..., :2] - 1.0) * 13 * (1 - 0.3)
    message = "with equal weights and values of 1 the result does not count the weights that were kept: "
    message += "something else is dropped, or what is kept is not divided by 1 - dropout"
    assert_true(torch.allclose(kept, kept[..., :1].round().expand_as(kept)), message, seen=came)
    assert_close(
        kept.mean() / 13, torch.tensor(0.7).double(), absolute=0.08, what="the share of weights kept"
    )
    spreads = torch.stack([kept[..., 0].var(dim).mean() for dim in range(2)])
    expected = torch.full_like(spreads, 13 * 0.3 * 0.7)
    # Five standard deviations; zero where a dimension shares its draws.
    what = "the variance of the number of weights kept, over batch and queries"
    assert_close(spreads, expected, absolute=1.4, what=what)


def test_inputs_are_not_modified(submission, rng):
    """x and mask are not modified"""
    attention = submission.SelfAttention(11).to(torch.float64)
    x = tokens(rng, 2, 7, 11)
    assert_inputs_unchanged(attention, x, mask=rng.mask(2, 7, 7))
    assert_inputs_unchanged(attention, x)


MISTAKES = [
    Mistake(
        "dropout-on-context",
        find="""\
        weights = self.dropout(weights)
        context = weights @ value  # (batch, seq, hidden_size)""",
        replace="        context = self.dropout(weights @ value)",
        says="You drop entries of the context, single features of the mean. Dropout acts on the attention "
        "weights, after the softmax and before the product with the values, so that a query misses whole "
        "tokens.",
    ),
    Mistake(
        "dropout-on-values",
        find="""\
        weights = self.dropout(weights)
        context = weights @ value  # (batch, seq, hidden_size)""",
        replace="        context = weights @ self.dropout(value)",
        says="You drop entries of the values, so that all queries miss the same features of a token. Dropout "
        "acts on the attention weights: each query misses tokens of its own.",
    ),
    Mistake(
        "dropout-on-output",
        find="""\
        weights = self.dropout(weights)
        context = weights @ value  # (batch, seq, hidden_size)
        return self.o_proj(context)""",
        replace="""\
        context = weights @ value
        return self.dropout(self.o_proj(context))""",
        says="You drop entries of the output. That is the dropout of the transformer block around the "
        "attention; the attention's own acts on its weights, after the softmax and before the product "
        "with the values.",
    ),
    Mistake(
        "dropout-before-softmax",
        find="""\
        weights = torch.softmax(scores, dim=-1)
        # On the weights: a query then misses whole tokens. On the context it would miss single features.
        weights = self.dropout(weights)""",
        replace="        weights = torch.softmax(self.dropout(scores), dim=-1)",
        says="You drop scores before the softmax. A score of 0 is no zero weight, so nothing is dropped, and "
        "the others are scaled up. Apply the dropout after the softmax, to the weights.",
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
        says="You never apply the dropout (or throw its result away: self.dropout(weights) returns a new "
        "tensor). Apply it to the attention weights, after the softmax: weights = self.dropout(weights).",
    ),
    Mistake(
        "dropout-keeps-that-share",
        find="nn.Dropout(dropout)",
        replace="nn.Dropout(1 - dropout)",
        says="You take dropout as the probability of keeping a weight. It is the probability of dropping "
        "one, as in nn.Dropout, so the default of 0.0 drops nothing.",
    ),
    Mistake(
        "dropout-not-rescaled",
        find="        weights = self.dropout(weights)",
        replace="""\
        if self.training:
            weights = weights * (torch.rand_like(weights) >= self.dropout.p)""",
        says="You drop weights, but leave the others as they are, so the context is too small on average in "
        "training. Divide what is kept by 1 - dropout, or use nn.Dropout, which does.",
    ),
    Mistake(
        "mask-inverted",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(mask, -math.inf)",
        says="You read the mask the wrong way round: you drop the keys that may be attended to. True means "
        '"may be attended to" here, the opposite of nn.MultiheadAttention\'s masks, so fill where the mask '
        "is False.",
    ),
    Mistake(
        "mask-along-the-wrong-axis",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(~mask.transpose(-2, -1), -math.inf)",
        says="You apply the mask along the wrong axis: its rows are queries and its columns keys, like those "
        "of the scores. (A padding mask therefore comes as (batch, 1, seq), the same keys hidden from every "
        "query; along the rows it would silence whole queries, which gives NaN.)",
    ),
    Mistake(
        "mask-with-a-head-dimension",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(~mask.unsqueeze(1), -math.inf)",
        says="You add a dimension for heads to the mask. There is one head and the scores are (batch, seq, "
        "seq), so the batch broadcasts against itself and the result has four dimensions. Use the mask as "
        "it comes.",
    ),
    Mistake(
        "mask-as-a-condition",
        find="        if mask is not None:",
        replace="        if mask:",
        says="You write `if mask:`. A tensor of more than one element has no truth value, so that raises. "
        "Ask whether there is a mask: `if mask is not None:`.",
    ),
    Mistake(
        "mask-frozen",
        find="            scores = scores.masked_fill(~mask, -math.inf)",
        replace="""\
            if not hasattr(self, "mask"):
                self.mask = mask
            scores = scores.masked_fill(~self.mask, -math.inf)""",
        says="You keep the first mask in the module and use it for every later call. Padding and length "
        "change with each batch: use the mask of the call, and store none, neither here nor in the "
        "constructor.",
    ),
    Mistake(
        "mask-added",
        find="scores = scores.masked_fill(~mask, -math.inf)",
        replace="scores = scores + mask",
        says="You add the boolean mask to the scores, which only raises the allowed ones by 1. Fill the "
        "forbidden scores with -inf instead.",
    ),
    Mistake(
        "mask-fills-zero",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(~mask, 0.0)",
        says="You set forbidden scores to 0, but exp(0) is 1: these keys still get weight. A score has to be "
        "-inf for its weight to be 0.",
    ),
    Mistake(
        "mask-after-softmax",
        find="""\
        if mask is not None:
            # Before the softmax, so that the allowed weights still sum to 1: exp(-inf) is exactly 0.
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)""",
        replace="""\
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights * mask""",
        says="You zero the forbidden weights after the softmax, so a row no longer sums to 1 and the "
        "forbidden keys still count in its denominator. Mask the scores with -inf before the softmax.",
    ),
    Mistake(
        "fill-not-low-enough",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(~mask, -100.0)",
        says="You fill the masked scores with a number that ordinary scores can reach, so where the allowed "
        "scores are lower still the forbidden keys win. Use -inf, or torch.finfo(scores.dtype).min.",
    ),
    Mistake(
        "output-projection-forgotten",
        find="        return self.o_proj(context)",
        replace="        return context",
        says="You return the weighted mean without the output projection. Here o_proj follows; without it, "
        "it never gets a gradient.",
    ),
    Mistake(
        "scale-missing",
        find="""\
        scores = scores / math.sqrt(query.shape[-1])
""",
        replace="",
        says="You do not scale the scores. Divide them by sqrt(hidden_size): a dot product of hidden_size "
        "terms has that standard deviation, and unscaled the softmax saturates.",
    ),
    Mistake(
        "key-first",
        find="query, key, value = self.qkv_proj(x)",
        replace="key, query, value = self.qkv_proj(x)",
        says="You take the first third of qkv_proj's output as the key and the second as the query. The "
        "order is query, key, value.",
    ),
    Mistake(
        "softmax-over-queries",
        find="torch.softmax(scores, dim=-1)",
        replace="torch.softmax(scores, dim=-2)",
        says="Your softmax runs over the queries, so every column sums to 1. Each query shares out its "
        "weight among the keys: softmax over the last dimension of (batch, seq, seq).",
    ),
    Mistake(
        "biases-left-out",
        find="""\
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)""",
        replace="""\
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)""",
        says="Your projections have no biases. Many newer models leave them out, but here they are asked "
        "for: nn.Linear has one unless bias=False says otherwise.",
    ),
    Mistake(
        "mask-after-softmax-renormalised",
        find="""\
        if mask is not None:
            # Before the softmax, so that the allowed weights still sum to 1: exp(-inf) is exactly 0.
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
