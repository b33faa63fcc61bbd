"""Checks of `SelfAttention`, level 4: padding, causality, both, float16, dropout, gradients, long inputs."""

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
    attention, x = submission.SelfAttention(64), rng.normal(2, 64, 64, dtype=torch.float32)
    return attention.measure(x, padding_mask=padding(rng, 2, 64), is_causal=True)


def built_in(weights, x, padding_mask=None, is_causal=False):
    """The built-in on query, key and value, with both masks in one."""
    parts = [weights[f"qkv_proj.{kind}"].unflatten(0, (3, x.shape[-1])) for kind in ("weight", "bias")]
    query, key, value = (F.linear(x, weight, bias) for weight, bias in zip(*parts, strict=True))
    position = torch.arange(x.shape[1])
    mask = (position <= position[:, None]) | (not is_causal)
    if padding_mask is not None:
        mask = mask & padding_mask.unsqueeze(1)
    context = F.scaled_dot_product_attention(query, key, value, mask)
    return F.linear(context, weights["o_proj.weight"], weights["o_proj.bias"])


def tokens(rng, *shape):
    """Small values, so that the scores are about 1 and the weights not one-hot."""
    return rng.normal(*shape, scale=0.5)


def padding(rng, batch, seq):
    """The first tokens are real; of the others of a sequence at least one is, and one is not."""
    return torch.cat([torch.ones(batch, 1, dtype=torch.bool), rng.mask(batch, seq - 1)], dim=1)


def test_parameters(submission):
    """the parameters are qkv_proj to 3 * hidden_size and o_proj to hidden_size, with biases"""
    expected = {"qkv_proj.weight": (33, 11), "qkv_proj.bias": (33,)}
    expected |= {"o_proj.weight": (11, 11), "o_proj.bias": (11,)}
    assert_parameters(submission.SelfAttention(11), expected)


@pytest.mark.parametrize("batch, seq, hidden_size", [(2, 7, 11), (3, 13, 5)])
def test_equals_the_built_in(submission, rng, batch, seq, hidden_size):
    """without masks equals F.scaled_dot_product_attention between the projections"""
    attention = submission.SelfAttention(hidden_size)
    weights, x = attention.randomize(rng), tokens(rng, batch, seq, hidden_size)
    assert_close(attention(x), built_in(weights, x))


def test_padding_gets_no_weight(submission, rng):
    """no token attends to padding, wherever it stands"""
    attention = submission.SelfAttention(11)
    weights, x, mask = attention.randomize(rng), tokens(rng, 3, 7, 11), padding(rng, 3, 7)
    assert_close(attention(x, mask), built_in(weights, x, mask), where=mask)


def test_lengths_differ(submission, rng):
    """sequences of 7, 3 and 1 tokens, padded at the end, are right in one batch"""
    attention = submission.SelfAttention(11)
    weights, x = attention.randomize(rng), tokens(rng, 3, 7, 11)
    mask = torch.arange(7) < torch.tensor([[7], [3], [1]])
    assert_close(attention(x, padding_mask=mask), built_in(weights, x, mask), where=mask)


@pytest.mark.parametrize("batch, seq", [(2, 7), (3, 2)])
def test_causal(submission, rng, batch, seq):
    """with is_causal token i attends to the tokens 0 … i only"""
    attention = submission.SelfAttention(11)
    weights, x = attention.randomize(rng), tokens(rng, batch, seq, 11)
    assert_close(attention(x, is_causal=True), built_in(weights, x, is_causal=True))


def test_both_masks_hold(submission, rng):
    """with padding and is_causal a token attends to the real tokens up to itself"""
    attention = submission.SelfAttention(11)
    weights, x, mask = attention.randomize(rng), tokens(rng, 3, 7, 11), padding(rng, 3, 7)
    assert_close(attention(x, mask, True), built_in(weights, x, mask, True), where=mask)


@pytest.mark.parametrize("is_causal", [False, True])
def test_gradients(submission, rng, is_causal):
    """for a loss over the real tokens the gradients of x and of every parameter equal the built-in's"""
    attention = submission.SelfAttention(11)
    weights, x, mask = attention.randomize(rng), tokens(rng, 3, 7, 11), padding(rng, 3, 7)
    options = {"constants": {"is_causal": is_causal}, "where": mask}
    assert_same_gradients(attention, built_in, x, weights=weights, padding_mask=mask, **options)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_dtype_is_kept(submission, rng, dtype):
    """float32 and float16 are kept, with both masks"""
    attention = submission.SelfAttention(11)
    weights = attention.randomize(rng, dtype=getattr(torch, dtype))
    x, mask = tokens(rng, 3, 7, 11).to(getattr(torch, dtype)), padding(rng, 3, 7)
    precise = {name: value.double() for name, value in weights.items()}
    expected = built_in(precise, x.double(), mask, True).to(x.dtype)
    assert_close(attention(x, padding_mask=mask, is_causal=True), expected, where=mask)


@pytest.mark.parametrize("is_causal", [False, True])
def test_large_scores_do_not_overflow(submission, rng, is_causal):
    """scores in the thousands give finite, right values, also where the masked scores are the largest"""
    attention = submission.SelfAttention(11)
    weights, x, mask = attention.randomize(rng), tokens(rng, 3, 7, 11), padding(rng, 3, 7)
    # By turns queries score the last key 3000 below all others, like them, and 3000 above.
    for row, factor, column in [(0, 5.0, 0), (11, 1e3, 1)]:
        weights["qkv_proj.weight"][row], weights["qkv_proj.bias"][row] = 0.0, 0.0
        weights["qkv_proj.weight"][row, column] = factor
    attention.load(weights)
    x[..., 0] = 1.0 - torch.arange(x.shape[1]) % 3
    x[..., 1], x[:, -1, 1] = 1.0, -1.0
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_close(
        attention(x, mask, is_causal), built_in(weights, x, mask, is_causal), tolerance=1e-3, where=mask
    )


def test_long_sequences(submission, rng):
    """a sequence of 1031 tokens is right, after a short one"""
    attention = submission.SelfAttention(3)
    weights = attention.randomize(rng, dtype=torch.float32)
    for seq in (5, 1031):
        x, mask = tokens(rng, 1, seq, 3).float(), padding(rng, 1, seq)
        assert_close(attention(x, mask, is_causal=True), built_in(weights, x, mask, True), where=mask)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the sizes and masks of the calls before it"""
    attention = submission.SelfAttention(11)
    weights, xs = attention.randomize(rng), [tokens(rng, 3, 7, 11) for _ in range(4)]
    masks = [padding(rng, 3, 7), padding(rng, 3, 7), None, None]
    for x, mask, is_causal in zip(xs, masks, [True, False, True, False], strict=True):
        came, everywhere = attention(x, mask, is_causal), torch.ones(3, 7, dtype=torch.bool)
        expected = built_in(weights, x, mask, is_causal)
        assert_close(came, expected, where=everywhere if mask is None else mask)


def test_other_layouts(submission, rng):
    """a single token, a batch of one, and an x and a mask that are not contiguous are right"""
    attention = submission.SelfAttention(11)
    weights = attention.randomize(rng)
    xs = [tokens(rng, 2, 1, 11), tokens(rng, 1, 7, 11), tokens(rng, 7, 2, 11).transpose(0, 1)]
    masks = [torch.ones(2, 1, dtype=torch.bool), padding(rng, 1, 7), padding(rng, 2, 7).T.contiguous().T]
    for x, mask in zip(xs, masks, strict=True):
        assert_close(attention(x, mask, True), built_in(weights, x, mask, True), where=mask)


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.SelfAttention(11, dropout=0.5).eval()
    weights, x, mask = attention.randomize(rng), tokens(rng, 3, 7, 11), padding(rng, 3, 7)
    assert_close(attention(x, mask, True), built_in(weights, x, mask, True), where=mask)


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.SelfAttention(11, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 3, 7, 11), is_causal=True)


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
    """x and padding_mask are not modified"""
    attention = submission.SelfAttention(11).to(torch.float64)
    x, mask = tokens(rng, 3, 7, 11), padding(rng, 3, 7)
    assert_inputs_unchanged(attention, x, padding_mask=mask, is_causal=True)
    assert_inputs_unchanged(attention, x, padding_mask=mask)
    assert_inputs_unchanged(attention, x)


MISTAKES = [
    Mistake(
        "padding-along-the-wrong-axis",
        find="padding_mask[:, None, :]",
        replace="padding_mask[:, :, None]",
        says="You expand the padding mask along the wrong axis: (batch, seq, 1) silences the padded "
        "queries, and real tokens still read the padding. Hide padding as keys, the last axis: "
        "padding_mask[:, None, :].",
    ),
    Mistake(
        "padding-hidden-as-queries-too",
        find="allowed = allowed & padding_mask[:, None, :]",
        replace="allowed = allowed & padding_mask[:, None, :] & padding_mask[:, :, None]",
        says="You also hide the padded queries, so their rows have no key left and are NaN. The loss may "
        "leave them out, but in backward NaN * 0 is NaN, and the gradients of the whole sequence are "
        "lost. Hide padding as keys only: padding_mask[:, None, :].",
    ),
    Mistake(
        "padding-inverted",
        find="padding_mask[:, None, :]",
        replace="~padding_mask[:, None, :]",
        says="You read padding_mask the wrong way round and hide the real tokens. True marks real tokens "
        "here, the opposite of key_padding_mask in nn.MultiheadAttention.",
    ),
    Mistake(
        "padding-ignored-when-causal",
        find="        if padding_mask is not None:",
        replace="        elif padding_mask is not None:",
        says="With is_causal you leave the padding mask out (an elif, or an early return). When both are "
        "given both hold: two separate ifs, and the masks joined by &.",
    ),
    Mistake(
        "causal-overwritten-by-padding",
        find="allowed = allowed & padding_mask[:, None, :]",
        replace="allowed = padding_mask[:, None, :]",
        says="With padding you overwrite the causal mask, so tokens see the future. When both are given both "
        "hold: join the masks by &.",
    ),
    Mistake(
        "masks-joined-by-or",
        find="allowed & padding_mask[:, None, :]",
        replace="allowed | padding_mask[:, None, :]",
        says="You join the masks by |, which allows a key that either allows. A key has to be allowed by "
        "both: join masks of what is allowed by &. (| is right for masks of what is forbidden.)",
    ),
    Mistake(
        "mask-as-a-condition",
        find="        if padding_mask is not None:",
        replace="        if padding_mask:",
        says="You write `if padding_mask:`. A tensor of more than one element has no truth value, so that "
        "raises. Ask whether there is a mask: `if padding_mask is not None:`.",
    ),
    Mistake(
        "causal-mask-of-fixed-size",
        find="torch.ones(1, seq, seq, dtype=torch.bool, device=x.device)",
        replace="torch.ones(1, 1024, 1024, dtype=torch.bool, device=x.device)[:, :seq, :seq]",
        says="Your causal mask is frozen at 1024 tokens, as if made in the constructor, and a longer "
        "sequence fails. A mask belongs to the call: make it in forward for the seq that came.",
    ),
    Mistake(
        "causal-mask-of-the-first-call",
        find="            allowed = allowed.tril()",
        replace="""\
            if not hasattr(self, "causal"):
                self.causal = allowed.tril()
            allowed = self.causal""",
        says="You keep the causal mask of the first call, which does not fit a sequence of another length. "
        "Make it in forward for the seq that came.",
    ),
    Mistake(
        "causal-drops-the-diagonal",
        find=".tril()",
        replace=".tril(diagonal=-1)",
        says="Your causal mask leaves out the diagonal, so a token does not see itself and the first one "
        "sees nothing, which gives NaN. Token i attends to 0 … i, i included: tril() with diagonal 0.",
    ),
    Mistake(
        "causal-sees-one-ahead",
        find=".tril()",
        replace=".tril(diagonal=1)",
        says="Your causal mask allows one key too many: token i sees token i + 1, which it has to predict. "
        "Keep the diagonal and what is below it: tril() with diagonal 0.",
    ),
    Mistake(
        "causal-transposed",
        find=".tril()",
        replace=".triu()",
        says="Your causal mask is the wrong triangle: every token sees the future instead of the past. "
        "Rows are queries, columns are keys, and True means allowed, so keep the lower triangle.",
    ),
    Mistake(
        "fill-too-large-for-float16",
        find="scores.masked_fill(~allowed, -math.inf)",
        replace="scores.masked_fill(~allowed, -1e9)",
        says="Your fill value does not fit in float16, whose lowest number is -65504, so masking float16 "
        "scores raises (torch.finfo(torch.float32).min fails alike). Use -inf, or "
        "torch.finfo(scores.dtype).min.",
    ),
    Mistake(
        "fill-not-low-enough",
        find="scores.masked_fill(~allowed, -math.inf)",
        replace="scores.masked_fill(~allowed, -100.0)",
        says="You fill the masked scores with a number that ordinary scores can reach, so where the allowed "
        "scores are lower still the forbidden keys win. Use -inf, or torch.finfo(scores.dtype).min.",
    ),
    Mistake(
        "mask-added",
        find="scores.masked_fill(~allowed, -math.inf)",
        replace="scores + allowed",
        says="You add the boolean mask to the scores, which only raises the allowed ones by 1. Fill the "
        "forbidden scores with -inf instead.",
    ),
    Mistake(
        "mask-after-softmax",
        find="""\
        scores = scores.masked_fill(~allowed, -math.inf)
        weights = torch.softmax(scores, dim=-1)""",
        replace="        weights = torch.softmax(scores, dim=-1) * allowed",
        says="You zero the forbidden weights after the softmax, so a row no longer sums to 1 and the "
        "forbidden keys still count in its denominator. Mask the scores with -inf before the softmax.",
    ),
    Mistake(
        "softmax-not-cast-back",
        find="torch.softmax(scores, dim=-1)",
        replace="torch.softmax(scores, dim=-1, dtype=torch.float32)",
        says="You take the softmax in float32, which is good for float16, but do not cast the weights "
        "back, so their product with values of another dtype raises: add .to(value.dtype).",
    ),
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
        "scale-missing",
        find="""\
        query = query / math.sqrt(hidden_size)
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
        "output-projection-forgotten",
        find="        return self.o_proj(context)",
        replace="        return context",
        says="You return the weighted mean without the output projection. Here o_proj follows; without it, "
        "it never gets a gradient.",
    ),
    Mistake(
        "softmax-over-queries",
        find="torch.softmax(scores, dim=-1)",
        replace="torch.softmax(scores, dim=-2)",
        says="Your softmax runs over the queries, so every column sums to 1. Each query shares out its "
        "weight among the keys: softmax over the last dimension of (batch, seq, seq).",
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
        "mask-after-softmax-renormalised",
        find="""\
        scores = scores.masked_fill(~allowed, -math.inf)
        weights = torch.softmax(scores, dim=-1)""",
        replace="""\
        weights = torch.softmax(scores, dim=-1) * allowed
        weights = weights / weights.sum(dim=-1, keepdim=True)""",
        says="You take the softmax over all keys, zero the forbidden weights and renormalise. On paper that "
        "is right, but a forbidden score far above the allowed ones makes their exponentials underflow "
        "to 0, and 0 / 0 is NaN. Mask the scores with -inf before the softmax.",
    ),
    Mistake(
        "causal-after-softmax-renormalised",
        find="""\
        scores = scores.masked_fill(~allowed, -math.inf)
        weights = torch.softmax(scores, dim=-1)""",
        replace="""\
        if padding_mask is not None:
            scores = scores.masked_fill(~padding_mask[:, None, :], -math.inf)
        weights = torch.softmax(scores, dim=-1) * allowed
        weights = weights / weights.sum(dim=-1, keepdim=True)""",
        says="With is_causal you zero the future's weights after the softmax and renormalise. On paper that "
        "is right, but a future score far above the allowed ones makes their exponentials underflow to 0, "
        "and 0 / 0 is NaN. Mask the scores with -inf before the softmax.",
    ),
]
