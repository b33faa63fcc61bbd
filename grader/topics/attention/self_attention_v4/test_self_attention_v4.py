"""Checks of `SelfAttention`, level 4: padding, causality, both, float16, dropout, gradients, long inputs."""

from dataclasses import replace

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
    assert_same_gradients,
)
from grader.kit.families import dropout_mistakes
from grader.kit.families.attention import mask_mistakes, score_mistakes
from grader.kit.families.attention import mistakes as attention_mistakes
from grader.kit.families.attention.checks import (
    assert_dropout_acts_on_weights,
    counting_weights,
    linear_layers,
    other_layouts,
    project,
    separated,
    tokens,
    with_large_scores,
)

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")


def workload(submission, rng):
    attention, x = submission.SelfAttention(64), rng.normal(2, 64, 64, dtype=torch.float32)
    return attention.measure(x, padding_mask=padding(rng, 2, 64), is_causal=True)


def built_in(weights, x, padding_mask=None, is_causal=False):
    """The built-in on query, key and value, with both masks in one."""
    position = torch.arange(x.shape[1])
    mask = (position <= position[:, None]) | (not is_causal)
    if padding_mask is not None:
        mask = mask & padding_mask.unsqueeze(1)
    query, key, value = (project(separated(weights), name, x) for name in "qkv")
    return project(weights, "o", F.scaled_dot_product_attention(query, key, value, mask))


def parameters(size):
    return linear_layers(qkv_proj=(size, 3 * size), o_proj=(size, size))


def padding(rng, batch, seq):
    """The first tokens are real; of the others of a sequence at least one is, and one is not."""
    return torch.cat([torch.ones(batch, 1, dtype=torch.bool), rng.mask(batch, seq - 1)], dim=1)


def test_parameters(submission):
    """the parameters are qkv_proj to 3 * hidden_size and o_proj to hidden_size, with biases"""
    assert_parameters(submission.SelfAttention(11), parameters(11))


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
    weights, x = with_large_scores(attention.randomize(rng), tokens(rng, 3, 7, 11), head_dim=11, fused=True)
    attention.load(weights)
    mask = padding(rng, 3, 7)
    came, expected = attention(x, mask, is_causal), built_in(weights, x, mask, is_causal)
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_close(came, expected, tolerance=1e-3, where=mask)


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
    xs = other_layouts(rng, 2, 7, 11)
    masks = [torch.ones(2, 1, dtype=torch.bool), padding(rng, 1, 7), padding(rng, 2, 7).T.contiguous().T]
    for x, mask in zip(xs, masks, strict=True):
        assert_close(attention(x, mask, True), built_in(weights, x, mask, True), where=mask)


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    attention = submission.SelfAttention(11, dropout=0.5)
    weights, x, mask = attention.randomize(rng), tokens(rng, 3, 7, 11), padding(rng, 3, 7)
    assert_nothing_dropped(attention, x, mask, True, expected=built_in(weights, x, mask, True), where=mask)


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    attention = submission.SelfAttention(11, dropout=0.5)
    attention.randomize(rng)
    assert_dropout_in_training_only(attention, tokens(rng, 3, 7, 11), is_causal=True)


def test_dropout_acts_on_the_weights(submission, rng):
    """dropout drops attention weights, each on its own, and divides the others by 1 - dropout"""
    attention = submission.SelfAttention(3, dropout=0.3)
    attention.load(counting_weights(rng, parameters(3)))
    came = attention.train()(rng.normal(17, 13, 3))
    assert_dropout_acts_on_weights(came, kv_len=13, num_heads=1, dropout=0.3)


def test_inputs_are_not_modified(submission, rng):
    """x and padding_mask are not modified"""
    attention = submission.SelfAttention(11).to(torch.float64)
    x, mask = tokens(rng, 3, 7, 11), padding(rng, 3, 7)
    assert_inputs_unchanged(attention, x, padding_mask=mask, is_causal=True)
    assert_inputs_unchanged(attention, x, padding_mask=mask)
    assert_inputs_unchanged(attention, x)


MASKING = "        scores = scores.masked_fill(~allowed, -math.inf)\n"

MISTAKES = [
    attention_mistakes.PROJECTION_INTERLEAVED,
    Mistake(
        "padding-along-the-wrong-axis",
        find="padding_mask[:, None, :]",
        replace="padding_mask[:, :, None]",
        says="Your real tokens still read the padding: the padding mask has no effect on them, or acts along "
        "the wrong axis, where (batch, seq, 1) silences the padded queries. Hide padding as keys, the last "
        "axis: padding_mask[:, None, :].",
    ),
    Mistake(
        "padding-hidden-as-queries-too",
        find="allowed = allowed & padding_mask[:, None, :]",
        replace="allowed = allowed & padding_mask[:, None, :] & padding_mask[:, :, None]",
        says="You also hide the padded queries, so their rows have no key left and are NaN. The loss may "
        "leave them out, but in backward NaN * 0 is NaN, and the gradients of the whole sequence are "
        "lost. Hide padding as keys only: padding_mask[:, None, :].",
    ),
    *mask_mistakes.with_either_fill(
        Mistake(
            "padding-inverted",
            find="padding_mask[:, None, :]",
            replace="~padding_mask[:, None, :]",
            says="You read padding_mask the wrong way round and hide the real tokens. True marks real tokens "
            "here, the opposite of key_padding_mask in nn.MultiheadAttention.",
        )
    ),
    Mistake(
        "padding-ignored-when-causal",
        find="        if padding_mask is not None:",
        replace="        elif padding_mask is not None:",
        says="With is_causal you leave the padding mask out (an elif, or an early return). When both are "
        "given both hold: two separate ifs, and the masks joined by &.",
    ),
    Mistake(
        "causal-ignored",
        find="            allowed = allowed.tril()",
        replace="            pass",
        says="is_causal has no effect: it is not used, or what is made with it is thrown away (tril, triu "
        "and masked_fill give new tensors). Token i may attend to the tokens 0 … i only.",
    ),
    Mistake(
        "causal-overwritten-by-padding",
        find="allowed = allowed & padding_mask[:, None, :]",
        replace="allowed = padding_mask[:, None, :]",
        says="With padding your causal mask does not act (it is overwritten, or stands in an elif), so "
        "tokens see the future. When both are given both hold: two separate ifs, and the masks joined by &.",
    ),
    *(
        Mistake(
            name,
            find="allowed & padding_mask[:, None, :]",
            replace=joined,
            says="You join the masks by |, which allows a key that either allows. A key has to be allowed by "
            "both: join masks of what is allowed by &. (| is right for masks of what is forbidden.)",
        )
        for name, joined in [
            # Without is_causal a mask of ones is joined too, or none.
            ("masks-joined-by-or", "allowed | padding_mask[:, None, :]"),
            ("both-masks-joined-by-or", "(allowed & is_causal) | padding_mask[:, None, :]"),
        ]
    ),
    mask_mistakes.as_a_condition("padding_mask"),
    *(
        Mistake(
            f"causal-mask-of-{size}-tokens",
            find="torch.ones(1, seq, seq, dtype=torch.bool, device=x.device)",
            replace=f"torch.ones(1, {size}, {size}, dtype=torch.bool, device=x.device)[:, :seq, :seq]",
            says=f"Your causal mask is frozen at {size} tokens, as if made in the constructor, and a longer "
            "sequence fails. A mask belongs to the call: make it in forward for the seq that came.",
        )
        for size in (64, 128, 256, 512, 1000, 1024)
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
    *mask_mistakes.with_either_fill(mask_mistakes.CAUSAL_DROPS_THE_DIAGONAL),
    replace(
        mask_mistakes.CAUSAL_DROPS_THE_DIAGONAL,
        id="causal-drops-the-diagonal-with-two-fills",
        also=(
            (
                MASKING,
                """\
        scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
        if padding_mask is not None:
            scores = scores.masked_fill(~padding_mask[:, None, :], -math.inf)
""",
            ),
        ),
    ),
    mask_mistakes.CAUSAL_SEES_ONE_AHEAD,
    mask_mistakes.CAUSAL_TRANSPOSED,
    mask_mistakes.fill_too_large_for_float16("allowed"),
    mask_mistakes.fill_not_low_enough("allowed"),
    mask_mistakes.added_number_not_low_enough("allowed"),
    mask_mistakes.fills_zero("allowed"),
    mask_mistakes.ignored(MASKING, "allowed"),
    replace(
        mask_mistakes.times_minus_infinity("allowed"),
        find=MASKING,
        replace="""\
        if is_causal or padding_mask is not None:
            scores = scores + (1 - allowed.to(scores.dtype)) * -math.inf
""",
    ),
    mask_mistakes.added("allowed"),
    mask_mistakes.after_softmax(MASKING, "allowed"),
    Mistake(
        "softmax-not-cast-back",
        find="torch.softmax(scores, dim=-1)",
        replace="torch.softmax(scores, dim=-1, dtype=torch.float32)",
        says="You take the softmax in float32, which is good for float16, but do not cast the weights "
        "back, so their product with values of another dtype raises: add .to(value.dtype).",
    ),
    dropout_mistakes.ON_CONTEXT,
    dropout_mistakes.on_output(),
    dropout_mistakes.IN_EVALUATION,
    dropout_mistakes.MISSING,
    score_mistakes.scale_missing("query = query / math.sqrt(hidden_size)"),
    attention_mistakes.KEY_FIRST,
    attention_mistakes.VALUE_BEFORE_KEY,
    attention_mistakes.VALUE_FIRST,
    score_mistakes.KEY_RESHAPED,
    score_mistakes.WEIGHTS_TRANSPOSED,
    attention_mistakes.OUTPUT_PROJECTION_FORGOTTEN,
    *mask_mistakes.with_either_fill(score_mistakes.softmax_over_queries("(batch, seq, seq)")),
    score_mistakes.max_not_subtracted(),
    score_mistakes.largest_of_all_subtracted(),
    mask_mistakes.after_softmax_renormalised(MASKING, "allowed"),
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
        says="With is_causal the future's scores take part in your softmax, or at least in the maximum that "
        "it subtracts; only then do you zero the future's weights and normalise. On paper that is right, but "
        "a future score far above the allowed ones makes their exponentials underflow to 0, and 0 / 0 is "
        "NaN. Mask the scores with -inf first, before the maximum is taken.",
    ),
]
