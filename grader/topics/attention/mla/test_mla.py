"""Checks of `MultiHeadLatentAttention`: parameters, forward, what is cached, decoding in the latent space."""

from functools import partial

import pytest
import torch

from grader.kit import (
    assert_again,
    assert_arguments_unchanged,
    assert_at_most,
    assert_close,
    assert_fits,
    assert_parameters,
    assert_same_gradients,
    assert_true,
)
from grader.kit.families.attention.checks import with_zeros
from grader.kit.families.attention.latent import (
    NOPE,
    ROPE,
    V,
    attended,
    cache,
    decoding,
    expanded,
    overflowing,
)
from grader.kit.rounds import is_second_round
from grader.kit.rules.turns import Player, assert_by_turns, with_weights
from grader.kit.small import fill, whole

SIZES = (19, 3, 11, 13, NOPE, ROPE, V)  # hidden_size, num_heads, q_lora_rank, kv_lora_rank, nope, rope, v
OTHER_SIZES = (19, 4, 11, 13, 3, 6, 2)


def workload(submission, rng):
    attention = submission.MultiHeadLatentAttention(64, 8, 24, 16, 8, 4, 8)
    attention.randomize(rng, torch.float32)
    return attention.measure(tokens(rng, 2, 64, 64).float(), *tables(rng, 64, 4, torch.float32))


LADDER = [(1, 1), (2, 1), (2, 2), (3, 1)]


def smallest(submission, rng, seq, heads):
    """small whole numbers give what the built-in gives"""
    attention = submission.MultiHeadLatentAttention(2, heads, 2, 2, 1, 2, 1)
    weights, x, (cos, sin) = fill(rng, attention), whole(rng, 1, seq, 2), tables(rng, seq, 2)
    assert_close(attention(x, cos, sin), expanded(weights, x, cos, sin, nope=1, v=1))


def tables(rng, seq, rope=ROPE, dtype=torch.float64):
    """cos and sin at positions in no order, with gaps."""
    angles = rng.permutation(251)[:seq, None] * 100.0 ** (-torch.arange(rope // 2).double() / (rope // 2))
    return angles.repeat(1, 2).cos().to(dtype), angles.repeat(1, 2).sin().to(dtype)


def tokens(rng, *shape):
    """Small values, so that the scores are about 1 and the weights not one-hot."""
    return rng.normal(*shape, scale=0.5)


def test_parameters(submission):
    """seven projections and norms of the stated sizes, without biases"""
    expected = {
        "q_a_proj.weight": (11, 19),
        "q_a_norm.weight": (11,),
        "q_b_proj.weight": (3 * (5 + 6), 11),
        "kv_a_proj.weight": (13 + 6, 19),
        "kv_a_norm.weight": (13,),
        "kv_b_proj.weight": (3 * (5 + 7), 13),
        "o_proj.weight": (19, 3 * 7),
    }
    assert_parameters(submission.MultiHeadLatentAttention(*SIZES), expected)


@pytest.mark.parametrize("heads, nope, rope, v", [(3, 5, 6, 7), (2, 7, 2, 3), (5, 4, 4, 4), (1, 2, 8, 5)])
def test_forward_equals_the_built_in(submission, rng, heads, nope, rope, v):
    """forward equals F.scaled_dot_product_attention on the expanded heads"""
    attention = submission.MultiHeadLatentAttention(19, heads, 11, 13, nope, rope, v)
    weights, x, (cos, sin) = attention.randomize(rng), tokens(rng, 2, 9, 19), tables(rng, 9, rope)
    assert_close(attention(x, cos, sin), expanded(weights, x, cos, sin, nope=nope, v=v))


@pytest.mark.parametrize("shape", [(2, 3, 9, 9), (2, 1, 1, 9), (1, 3, 1, 9), (1, 1, 9, 9)])
def test_mask_broadcasts(submission, rng, shape):
    """keys where the mask is False get no weight, in every shape that broadcasts"""
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights, x, (cos, sin) = attention.randomize(rng), tokens(rng, 2, 9, 19), tables(rng, 9)
    mask = rng.mask(*shape)
    mask[: (len(mask) - 1) * is_second_round()] = True
    assert_close(attention(x, cos, sin, mask), expanded(weights, x, cos, sin, mask))


@pytest.mark.parametrize("batch, seq", [(2, 9), (3, 1)])
def test_compress_gives_what_is_cached(submission, rng, batch, seq):
    """compress gives the normalized latent and the turned rope key: kv_lora_rank + rope numbers per token"""
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights, x, (cos, sin) = attention.randomize(rng), tokens(rng, batch, seq, 19), tables(rng, seq)
    assert_close(attention.compress(x, cos, sin), cache(weights, x, cos, sin))


@pytest.mark.parametrize("batch, kv_len", [(2, 9), (1, 23), (3, 1)])
def test_decode_equals_the_last_row(submission, rng, batch, kv_len):
    """decode equals the last row of the causal forward over all tokens"""
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights, x, (cos, sin) = attention.randomize(rng), tokens(rng, batch, kv_len, 19), tables(rng, kv_len)
    inputs, expected = decoding(weights, x, cos, sin)
    assert_close(attention.decode(*inputs), expected)


def decode_cost(submission, rng, nope, v):
    """Of decoding over 211 tokens, with 7 heads and a latent of 13; and what it should give."""
    attention = submission.MultiHeadLatentAttention(19, 7, 11, 13, nope, 4, v)
    weights, x, (cos, sin) = attention.randomize(rng), tokens(rng, 2, 211, 19), tables(rng, 211, 4)
    inputs, expected = decoding(weights, x, cos, sin, nope, v)
    return attention.decode.measure(*inputs), expected


def decode_alone(answer, sizes, weights, inputs):
    """One decode of a module with these weights."""
    attention = answer.MultiHeadLatentAttention(*sizes)
    with torch.no_grad():
        for name, parameter in attention.named_parameters():
            parameter.copy_(weights[name])
        return attention.decode(*inputs)


def decode_long(submission, rng):
    """Decoding over so many tokens that the keys of one head take 128 MiB; and what it should give."""
    sizes, token = (19, 2, 11, 4, 2048, 2, 2048), tokens(rng, 1, 1, 19).float()
    weights = submission.MultiHeadLatentAttention(*sizes).randomize(rng, torch.float32)
    stored = [rng.normal(1, 64, width, dtype=torch.float32) for width in (4, 2)]
    table = tables(rng, 1, 2, torch.float32)
    # Each of 64 tokens stands there 256 times: what it gives is the same.
    inputs = [token, *(part.repeat(1, 256, 1) for part in stored), *table]
    expected = partial(attended, weights, token, *stored, *table, nope=2048, v=2048)
    return (sizes, dict(weights), inputs), expected


@pytest.mark.parametrize("nope, v", [(5, 7), (7, 5)])
def test_decode_makes_no_tensor_of_the_expanded_size(submission, rng, nope, v):
    """decode makes no tensor of batch * num_heads * kv_len * min(nope, v) elements"""
    measured, expected = decode_cost(submission, rng, nope, v)
    limit = 2 * 7 * 211 * 5 - 1
    cause = (
        "So a step needs keys or values of all heads for every cached token, which is what caching the "
        "latent avoids. Usual causes are kv_b_proj over the whole cache, or the latent expanded over the "
        "heads. Merge kv_b_proj into the query and into the result, and treat the heads as rows over one "
        "latent"
    )
    what = "elements of the largest tensor that decode makes"
    # The value first: where it is wrong, how many there are is no evidence of what makes it so.
    assert_close(measured.value, expected)
    assert_at_most(measured.largest_tensor, limit, what, cause=cause)
    arguments, expected = decode_long(submission, rng)
    assert_fits(submission, decode_alone, *arguments, expected=expected, memory=3 * 2**25)


def test_decode_absorbs_the_projections(submission, rng):
    """decode takes fewer FLOPs than expanding the keys or the values would"""
    (measured, expected), limit = decode_cost(submission, rng, 5, 7), 2 * 2 * 211 * 7 * 13 * 5 - 1
    cause = (
        "So every step costs as much as expanding the whole cache. The usual cause is kv_b_proj over all "
        "latents, at once or head by head. Merge it into the query and into the result: these are one token"
    )
    assert_close(measured.value, expected)
    assert_at_most(measured.matmul_flops, limit, "FLOPs of decode's matrix products", cause=cause)
    # A matrix product can be written as a multiplication and a sum. How many there are is no evidence for
    # diagnosis: it also depends on how an answer scales and turns.
    own = [o for o in measured.operations if o.name in ("mul", "mul_")]
    flops = measured.matmul_flops + 2 * sum(o.elements for o in own)
    message = f"FLOPs of decode's products, also elementwise ones: {flops:,}, at most {limit:,} is allowed"
    assert_true(flops <= limit, message)
    # Who makes keys or values of heads, of however few tokens at a time, has infinite ones here.
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights, inputs, last = overflowing(rng, attention.randomize(rng), tokens(rng, 2, 1, 19), *tables(rng, 1))
    attention.load(weights)
    what = "decode, where keys and values of heads would overflow"
    assert_again(lambda: attention.decode(*inputs), lambda: last, what=what)


@pytest.mark.parametrize("masked", [True, False])
def test_gradients(submission, rng, masked):
    """the gradients of x and of every parameter equal the built-in's, with a mask and without"""
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights, x, (cos, sin) = attention.randomize(rng), tokens(rng, 2, 9, 19), tables(rng, 9)
    constants = {"cos": cos, "sin": sin, "mask": rng.mask(2, 1, 9, 9) if masked else None}
    assert_same_gradients(attention, expanded, x, weights=weights, constants=constants)


def test_epsilon_of_the_norms(submission, rng):
    """eps is 1e-6 in both norms: it counts when x is small"""
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights, x, (cos, sin) = attention.randomize(rng), 1e-3 * tokens(rng, 2, 9, 19), tables(rng, 9)
    assert_close(attention.compress(x, cos, sin), cache(weights, x, cos, sin))
    assert_close(attention(x, cos, sin), expanded(weights, x, cos, sin))


def test_float32_is_kept(submission, rng):
    """float32 is kept by forward, compress and decode"""
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights = attention.randomize(rng, dtype=torch.float32)
    x, (cos, sin), mask = tokens(rng, 2, 9, 19).float(), tables(rng, 9, dtype=torch.float32), rng.mask(9, 9)
    inputs, last = decoding(weights, x, cos, sin)
    came = [
        attention(x, cos, sin, mask[None, None]),
        *attention.compress(x, cos, sin),
        attention.decode(*inputs),
    ]
    assert_close(came, [expanded(weights, x, cos, sin, mask), *cache(weights, x, cos, sin), last])


@pytest.mark.parametrize("masked", [True, False])
def test_large_scores_do_not_overflow(submission, rng, masked):
    """scores in the thousands give finite, right values, in decode and, masked or not, in forward"""
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights, x, (cos, sin) = attention.randomize(rng), tokens(rng, 2, 9, 19), tables(rng, 9)
    weights["q_b_proj.weight"] *= 3e3
    attention.load(weights)
    mask = rng.mask(2, 3, 9, 9)
    mask[:, :, ::2] = torch.eye(9, dtype=torch.bool)[::2]  # a single key, whose score may be far below -1000
    mask = mask if masked else None
    inputs, last = decoding(weights, x, cos, sin)
    alike = [inputs[0], *(part[:, :1].expand_as(part) for part in inputs[1:3]), *inputs[3:]]
    came = [attention(x, cos, sin, mask), attention.decode(*inputs), attention.decode(*alike)]
    expected = [expanded(weights, x, cos, sin, mask), last, attended(weights, *alike)]
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_close(came, expected, tolerance=1e-2)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the sizes, the positions and the mask of the calls before it"""
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights = attention.randomize(rng)
    calls = [
        (tokens(rng, 2, seq, 19), *tables(rng, seq), mask)
        for seq, mask in [(9, rng.mask(2, 1, 9, 9)), (9, rng.mask(2, 1, 9, 9)), (9, None), (4, None)]
    ]
    assert_close([attention(*call) for call in calls], [expanded(weights, *call) for call in calls])


def test_other_layouts(submission, rng):
    """a single token, a batch of one and arguments that are not contiguous are right"""
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights = attention.randomize(rng)
    xs = [tokens(rng, 2, 1, 19), tokens(rng, 1, 9, 19), tokens(rng, 9, 2, 19).transpose(0, 1)]
    calls = [(x, *(table.T.contiguous().T for table in tables(rng, x.shape[1]))) for x in xs]
    inputs, last = decoding(weights, *calls[2])
    inputs = [value.transpose(0, 1).contiguous().transpose(0, 1) for value in inputs]
    came = [*(attention(*call) for call in calls), attention.decode(*inputs)]
    assert_close(came, [*(expanded(weights, *call) for call in calls), last])


def test_instances_keep_apart(submission, rng):
    """two modules with other numbers of heads and sizes, used by turns, give what each alone gives"""
    made = [submission.MultiHeadLatentAttention(*sizes) for sizes in (SIZES, OTHER_SIZES)]
    players = []
    for attention, (*_, nope, _, v) in zip(made, (SIZES, OTHER_SIZES), strict=True):
        weights = attention.randomize(rng)
        calls = [(tokens(rng, 2, 9, 19), *tables(rng, 9)) for _ in range(4)]
        steps = [decoding(weights, *call, nope, v)[0] for call in calls]
        players += [
            Player(attention, partial(expanded, weights, nope=nope, v=v), calls),
            Player(attention.compress, partial(cache, weights), calls),
            Player(attention.decode, partial(attended, weights, nope=nope, v=v), steps),
        ]
    made[1].eval()
    assert_by_turns(*players)


@pytest.mark.parametrize("mode", ["train", "eval"])
def test_weights_may_change(submission, rng, mode):
    """decode goes by the weights that there are when it is called, as forward does"""
    attention = getattr(submission.MultiHeadLatentAttention(*SIZES), mode)()
    caches = [[tokens(rng, 2, 9, width) for width in (13, ROPE)] for _ in range(4)]
    steps = [(tokens(rng, 2, 1, 19), *stored, *tables(rng, 1)) for stored in caches]
    assert_by_turns(with_weights(rng, attention, attended, steps, function=attention.decode))


def test_zeros_are_numbers_like_others(submission, rng):
    """tokens of zeros, position 0, and so scores of exactly 0, count like any others"""
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights, x = with_zeros(rng, attention, (2, 9, 19))
    cos, sin = torch.ones(9, ROPE).double(), torch.zeros(9, ROPE).double()
    cos[5:], sin[5:] = (table[5:] for table in tables(rng, 9))
    mask = rng.mask(2, 1, 9, 9)
    inputs, last = decoding(weights, x, cos, sin)
    came = [attention(x, cos, sin, mask), *attention.compress(x, cos, sin), attention.decode(*inputs)]
    assert_close(came, [expanded(weights, x, cos, sin, mask), *cache(weights, x, cos, sin), last])


def test_inputs_are_not_modified(submission, rng):
    """no method modifies its arguments"""
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights, x, (cos, sin) = attention.randomize(rng), tokens(rng, 2, 9, 19), tables(rng, 9)
    assert_arguments_unchanged(attention, x, cos, sin, mask=rng.mask(2, 3, 9, 9))
    assert_arguments_unchanged(attention.compress, x, cos, sin)
    assert_arguments_unchanged(attention.decode, *decoding(weights, x, cos, sin)[0])
