"""Checks of `MultiHeadLatentAttention`: parameters, forward, what is cached, decoding in the latent space."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    Mistake,
    assert_at_most,
    assert_close,
    assert_inputs_unchanged,
    assert_parameters,
    assert_same_gradients,
    assert_true,
)

SIZES = (19, 3, 11, 13, 5, 6, 7)  # hidden_size, num_heads, q_lora_rank, kv_lora_rank, nope, rope, v
NOPE, ROPE, V = SIZES[4:]


def workload(submission, rng):
    attention = submission.MultiHeadLatentAttention(64, 8, 24, 16, 8, 4, 8)
    return attention.measure(rng.normal(2, 64, 64, dtype=torch.float32), *tables(rng, 64, 4, torch.float32))


def tables(rng, seq, rope=ROPE, dtype=torch.float64):
    """cos and sin at positions in no order, with gaps."""
    angles = rng.permutation(97)[:seq, None] * 100.0 ** (-torch.arange(rope // 2).double() / (rope // 2))
    return angles.repeat(1, 2).cos().to(dtype), angles.repeat(1, 2).sin().to(dtype)


def turned(x, cos, sin):
    """The oracle's RoPE: feature i and feature i + rope / 2 are a complex number, times e^(i angle)."""
    turns = torch.complex(*(table.chunk(2, dim=-1)[0] for table in (cos, sin)))
    pairs = torch.complex(*x.chunk(2, dim=-1)) * turns
    return torch.cat([pairs.real, pairs.imag], dim=-1)


def cache(weights, x, cos, sin):
    """The oracle's latents and rope keys."""
    rank = weights["kv_a_norm.weight"].shape[0]
    down = F.linear(x, weights["kv_a_proj.weight"])
    latent = F.rms_norm(down[..., :rank], (rank,), weights["kv_a_norm.weight"], 1e-6)
    return latent, turned(down[..., rank : rank + cos.shape[-1]], cos, sin)


def expanded(weights, x, cos, sin, mask=None, nope=NOPE, v=V, is_causal=False):
    """The oracle: the built-in on keys and values expanded to heads."""
    latent, rope_key = cache(weights, x, cos, sin)
    up = F.linear(latent, weights["kv_b_proj.weight"]).unflatten(-1, (-1, nope + v)).transpose(1, 2)
    shared = rope_key[:, None].expand(-1, up.shape[1], -1, -1)
    key, value = torch.cat([up[..., :nope], shared], dim=-1), up[..., nope:]
    query = F.linear(x, weights["q_a_proj.weight"])
    query = F.rms_norm(query, query.shape[-1:], weights["q_a_norm.weight"], 1e-6)
    query = F.linear(query, weights["q_b_proj.weight"]).unflatten(-1, (-1, key.shape[-1])).transpose(1, 2)
    query = torch.cat([query[..., :nope], turned(query[..., nope:], cos, sin)], dim=-1)
    context = F.scaled_dot_product_attention(query, key, value, mask, is_causal=is_causal)
    return F.linear(context.transpose(1, 2).flatten(2), weights["o_proj.weight"])


def decoding(weights, x, cos, sin):
    """What decode gets for the last token of x, and what it should give."""
    last = expanded(weights, x, cos, sin, is_causal=True)[:, -1:]
    return (x[:, -1:], *cache(weights, x, cos, sin), cos[-1:], sin[-1:]), last


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
    """Of decoding over 211 tokens, with 7 heads and a latent of 13."""
    attention = submission.MultiHeadLatentAttention(19, 7, 11, 13, nope, 4, v).to(torch.float64)
    x, latent, rope_key = tokens(rng, 2, 1, 19), tokens(rng, 2, 211, 13), tokens(rng, 2, 211, 4)
    return attention.decode.measure(x, latent, rope_key, *tables(rng, 1, 4))


@pytest.mark.parametrize("nope, v", [(5, 7), (7, 5)])
def test_decode_makes_no_tensor_of_the_expanded_size(submission, rng, nope, v):
    """decode makes no tensor of batch * num_heads * kv_len * min(nope, v) elements"""
    elements = decode_cost(submission, rng, nope, v).largest_tensor
    assert_at_most(elements, 2 * 7 * 211 * 5 - 1, "elements of the largest tensor that decode makes")


def test_decode_absorbs_the_projections(submission, rng):
    """decode takes fewer FLOPs than expanding the keys or the values would"""
    measured, limit = decode_cost(submission, rng, 5, 7), 2 * 2 * 211 * 7 * 13 * 5 - 1
    assert_at_most(measured.matmul_flops, limit, "FLOPs of decode's matrix products")
    # A matrix product can be written as a multiplication and a sum. How many there are is no evidence for
    # diagnosis: it also depends on how an answer scales and turns.
    own = [o for o in measured.operations if o.name in ("mul", "mul_")]
    flops = measured.matmul_flops + 2 * sum(torch.Size(shape).numel() for o in own for shape in o.shapes)
    message = f"FLOPs of decode's products, also elementwise ones: {flops:,}, at most {limit:,} is allowed"
    assert_true(flops <= limit, message)


def test_gradients(submission, rng):
    """the gradients of x and of every parameter equal the built-in's"""
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights, x, (cos, sin) = attention.randomize(rng), tokens(rng, 2, 9, 19), tables(rng, 9)
    constants = {"cos": cos, "sin": sin, "mask": rng.mask(2, 1, 9, 9)}
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


def test_large_scores_do_not_overflow(submission, rng):
    """scores in the thousands give finite, right values, in forward and in decode"""
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights, x, (cos, sin) = attention.randomize(rng), tokens(rng, 2, 9, 19), tables(rng, 9)
    weights["q_b_proj.weight"] *= 3e3
    attention.load(weights)
    mask = rng.mask(2, 3, 9, 9)
    inputs, last = decoding(weights, x, cos, sin)
    came = [attention(x, cos, sin, mask), attention.decode(*inputs)]
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_close(came, [expanded(weights, x, cos, sin, mask), last], tolerance=1e-2)


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


def test_inputs_are_not_modified(submission, rng):
    """no method modifies its arguments"""
    attention = submission.MultiHeadLatentAttention(*SIZES)
    weights, x, (cos, sin) = attention.randomize(rng), tokens(rng, 2, 9, 19), tables(rng, 9)
    assert_inputs_unchanged(attention, x, cos, sin, mask=rng.mask(2, 3, 9, 9))
    assert_inputs_unchanged(attention.compress, x, cos, sin)
    assert_inputs_unchanged(attention.decode, *decoding(weights, x, cos, sin)[0])


VALUES_EXPANDED = (
    "decode gives the right values, and the key half of kv_b_proj is merged into the query, but you still "
    "make the values of all heads for every cached token. The value half can wait too: average the latents "
    "with the weights first, and send that one vector per head through it."
)

MISTAKES = [
    Mistake(
        "scale-by-the-nope-size",
        find="scores / math.sqrt(self.nope + self.rope)  # the dot product has nope + rope terms",
        replace="scores / math.sqrt(self.nope)",
        also=(
            (
                "scores / math.sqrt(self.nope + self.rope)  # as in forward: the scores are the same numbers",
                "scores / math.sqrt(self.nope)",
            ),
        ),
        says="You scale the scores by 1 / sqrt(qk_nope_head_dim). A query is [nope | rope] and its dot "
        "product with a key has nope + rope terms, so divide by sqrt(qk_nope_head_dim + qk_rope_head_dim).",
    ),
    Mistake(
        "decode-scaled-by-the-latent-size",
        find="scores / math.sqrt(self.nope + self.rope)  # as in forward: the scores are the same numbers",
        replace="scores / math.sqrt(self.kv_lora_rank + self.rope)",
        says="In decode you scale by the width of the absorbed query, kv_lora_rank + rope (what a fused "
        "kernel does by default). Absorbing only moves brackets: the scores are the same numbers as in "
        "forward, so their scale stays 1 / sqrt(nope + rope).",
    ),
    Mistake(
        "latent-cached-before-its-norm",
        find="""\
        latent = self.kv_a_norm(latent)
        rope_key""",
        replace="        rope_key",
        also=(
            ("expanded = self.kv_b_proj(latent)", "expanded = self.kv_b_proj(self.kv_a_norm(latent))"),
            (
                "        up = self.kv_b_proj.weight",
                "        latent = self.kv_a_norm(latent)\n        up = self.kv_b_proj.weight",
            ),
        ),
        says="You cache the latent as it is and normalize it where it is used, so decode would normalize "
        "the whole cache again at every step. compress gives the normalized latent, and decode takes it as "
        "it is: normalize each token once.",
    ),
    Mistake(
        "latent-norm-forgotten",
        find="""\
        latent = self.kv_a_norm(latent)
        rope_key""",
        replace="        rope_key",
        says="You never apply kv_a_norm. The latent is normalized between kv_a_proj and kv_b_proj, in "
        "compress, so that forward and the cache both hold the normalized one.",
    ),
    Mistake(
        "latent-normalized-again-in-decode",
        find="        up = self.kv_b_proj.weight",
        replace="        latent = self.kv_a_norm(latent)\n        up = self.kv_b_proj.weight",
        says="decode normalizes the cached latents, which are normalized already: compress did it. While "
        "kv_a_norm's weight is all ones you hardly see that, but a trained weight acts twice. Attend over "
        "the latents as they come.",
    ),
    Mistake(
        "norm-over-latent-and-rope-key",
        find="latent, rope_key = self.kv_a_proj(x).split([self.kv_lora_rank, self.rope], dim=-1)\n"
        "        latent = self.kv_a_norm(latent)",
        replace="""\
down = self.kv_a_proj(x)
        down = down * torch.rsqrt(down.pow(2).mean(-1, keepdim=True) + 1e-6)
        latent, rope_key = down.split([self.kv_lora_rank, self.rope], dim=-1)
        latent = latent * self.kv_a_norm.weight""",
        says="You normalize latent and rope key together, by the root mean square of all kv_lora_rank + rope "
        "features. Split kv_a_proj's output first: kv_a_norm is over the latent alone, and the rope key is "
        "not normalized at all.",
    ),
    Mistake(
        "query-norm-forgotten",
        find="self.q_a_norm(self.q_a_proj(x))",
        replace="self.q_a_proj(x)",
        says="You never apply q_a_norm. The compressed query is normalized between q_a_proj and q_b_proj, "
        "as the latent is.",
    ),
    Mistake(
        "rope-key-per-head",
        find="self.kv_a_proj = nn.Linear(hidden_size, kv_lora_rank + self.rope, bias=False)",
        replace="self.kv_a_proj = nn.Linear(hidden_size, kv_lora_rank + num_heads * self.rope, bias=False)",
        also=(
            (
                "split([self.kv_lora_rank, self.rope], dim=-1)",
                "split([self.kv_lora_rank, self.num_heads * self.rope], dim=-1)",
            ),
            (
                "rope_key = _turn(rope_key, cos, sin)",
                "rope_key = _turn(rope_key.unflatten(-1, (self.num_heads, -1)).transpose(1, 2), cos, sin)",
            ),
            ("rope_key[:, None].transpose(-2, -1)", "rope_key.transpose(-2, -1)"),
            (
                "query_rope @ rope_key.transpose(1, 2)",
                "(query_rope[:, :, None] @ rope_key.transpose(-2, -1)).squeeze(2)",
            ),
        ),
        says="You give every head a rope key of its own. There is one per token, shared by all heads (as in "
        "multi-query attention): kv_a_proj maps to kv_lora_rank + rope, and the cache holds no more than "
        "that. Only the queries have a rope part per head.",
    ),
    Mistake(
        "query-rope-not-turned",
        find="        return query_nope, _turn(query_rope, cos, sin)",
        replace="        return query_nope, query_rope",
        says="You turn the rope key but not the rope part of the query. The score depends on the distance "
        "of two tokens only when both are turned, each by its own position.",
    ),
    Mistake(
        "rope-key-not-turned",
        find="        rope_key = _turn(rope_key, cos, sin)\n",
        replace="",
        says="You do not turn the rope key. compress turns it by its token's position before it is cached: "
        "the position never changes, so once is enough.",
    ),
    Mistake(
        "rope-key-turned-again-in-decode",
        find="        up = self.kv_b_proj.weight",
        replace="        rope_key = _turn(rope_key, cos, sin)\n        up = self.kv_b_proj.weight",
        says="decode turns the cached rope keys, by the new token's position. They are cached turned, each "
        "by its own position: only the new query is still to be turned.",
    ),
    Mistake(
        "cached-keys-turned-in-decode",
        find="        rope_key = _turn(rope_key, cos, sin)\n",
        replace="",
        also=(
            (
                "latent, rope_key = self.compress(x, cos, sin)",
                "latent, rope_key = self.compress(x, cos, sin)\n        rope_key = _turn(rope_key, cos, sin)",
            ),
            (
                "        up = self.kv_b_proj.weight",
                "        rope_key = _turn(rope_key, cos, sin)\n        up = self.kv_b_proj.weight",
            ),
        ),
        says="You cache the rope keys unturned and turn them where they are used. In decode cos and sin are "
        "the new token's row, so all keys are turned by the new token's position. compress turns each key "
        "by its own position.",
    ),
    Mistake(
        "value-before-key",
        find="key_nope, value = expanded.transpose(1, 2).split([self.nope, self.v], dim=-1)",
        replace="value, key_nope = expanded.transpose(1, 2).split([self.v, self.nope], dim=-1)",
        also=(
            (
                "up_key, up_value = up.split([self.nope, self.v], dim=1)",
                "up_value, up_key = up.split([self.v, self.nope], dim=1)",
            ),
        ),
        says="You read each head of kv_b_proj's output as [value | nope key]. The key comes first: of each "
        "head's nope + v features the first nope are the key, the other v the value.",
    ),
    Mistake(
        "keys-of-all-heads-before-values",
        find="""\
        expanded = self.kv_b_proj(latent).view(batch, seq, self.num_heads, self.nope + self.v)
        key_nope, value = expanded.transpose(1, 2).split([self.nope, self.v], dim=-1)""",
        replace="""\
        parts = self.kv_b_proj(latent).split([self.num_heads * self.nope, self.num_heads * self.v], dim=-1)
        key_nope, value = (part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in parts)""",
        also=(
            (
                """\
        up = self.kv_b_proj.weight.view(self.num_heads, self.nope + self.v, self.kv_lora_rank)
        up_key, up_value = up.split([self.nope, self.v], dim=1)""",
                """\
        parts = self.kv_b_proj.weight.split([self.num_heads * self.nope, self.num_heads * self.v])
        up_key, up_value = (part.unflatten(0, (self.num_heads, -1)) for part in parts)""",
            ),
        ),
        says="You read kv_b_proj's output as the keys of all heads and then the values of all heads. It "
        "goes head after head, each [nope key | value]: view it as (…, num_heads, nope + v) first, then "
        "split.",
    ),
    Mistake(
        "query-rope-before-nope",
        find="query_nope, query_rope = query.transpose(1, 2).split([self.nope, self.rope], dim=-1)",
        replace="query_rope, query_nope = query.transpose(1, 2).split([self.rope, self.nope], dim=-1)",
        says="You read each head of q_b_proj's output as [rope query | nope query]. The nope part comes "
        "first.",
    ),
    Mistake(
        "rope-key-before-latent",
        find="latent, rope_key = self.kv_a_proj(x).split([self.kv_lora_rank, self.rope], dim=-1)",
        replace="rope_key, latent = self.kv_a_proj(x).split([self.rope, self.kv_lora_rank], dim=-1)",
        says="You read kv_a_proj's output as [rope key | latent]. The latent comes first: kv_lora_rank "
        "features, and then rope features of the key.",
    ),
    Mistake(
        "decode-expands-the-cache",
        find="""\
        query_latent = torch.einsum("bhn,hnr->bhr", query_nope, up_key)  # (batch, num_heads, kv_lora_rank)
        scores = query_latent @ latent.transpose(1, 2) + query_rope @ rope_key.transpose(1, 2)""",
        replace="""\
        expanded = self.kv_b_proj(latent).unflatten(-1, (self.num_heads, self.nope + self.v)).transpose(1, 2)
        key_nope, value = expanded.split([self.nope, self.v], dim=-1)
        scores = (query_nope.unsqueeze(2) @ key_nope.transpose(-2, -1)).squeeze(2)
        scores = scores + query_rope @ rope_key.transpose(1, 2)""",
        also=(
            (
                """\
        context_latent = weights @ latent  # (batch, num_heads, kv_lora_rank)
        context = torch.einsum("bhr,hvr->bhv", context_latent, up_value)  # (batch, num_heads, v)""",
                "        context = (weights.unsqueeze(2) @ value).squeeze(2)",
            ),
        ),
        says="decode gives the right values, but it expands the whole cache to the keys and values of all "
        "heads, at every step: that costs more memory than a cache of these would. Since q · (W c) = (Wᵀ q) "
        "· c, send the one query through the key half of kv_b_proj, attend over the latents, and send the "
        "one result through the value half.",
    ),
    Mistake(
        "decode-expands-all-for-the-values",
        find="""\
        context_latent = weights @ latent  # (batch, num_heads, kv_lora_rank)
        context = torch.einsum("bhr,hvr->bhv", context_latent, up_value)  # (batch, num_heads, v)""",
        replace="""\
        expanded = self.kv_b_proj(latent).unflatten(-1, (self.num_heads, self.nope + self.v)).transpose(1, 2)
        context = (weights.unsqueeze(2) @ expanded[..., self.nope :]).squeeze(2)""",
        says=VALUES_EXPANDED,
    ),
    Mistake(
        "decode-expands-the-values",
        find="""\
        context_latent = weights @ latent  # (batch, num_heads, kv_lora_rank)
        context = torch.einsum("bhr,hvr->bhv", context_latent, up_value)  # (batch, num_heads, v)""",
        replace="""\
        value = torch.einsum("bkr,hvr->bhkv", latent, up_value)
        context = (weights.unsqueeze(2) @ value).squeeze(2)""",
        says=VALUES_EXPANDED,
    ),
    Mistake(
        "decode-expands-head-by-head",
        find="""\
        query_latent = torch.einsum("bhn,hnr->bhr", query_nope, up_key)  # (batch, num_heads, kv_lora_rank)
        scores = query_latent @ latent.transpose(1, 2) + query_rope @ rope_key.transpose(1, 2)""",
        replace="""\
        heads = [query_nope[:, i : i + 1] @ (latent @ up_key[i].T).mT for i in range(self.num_heads)]
        scores = torch.cat(heads, dim=1) + query_rope @ rope_key.transpose(1, 2)""",
        also=(
            (
                """\
        context_latent = weights @ latent  # (batch, num_heads, kv_lora_rank)
        context = torch.einsum("bhr,hvr->bhv", context_latent, up_value)  # (batch, num_heads, v)""",
                """\
        heads = [weights[:, i : i + 1] @ (latent @ up_value[i].T) for i in range(self.num_heads)]
        context = torch.cat(heads, dim=1)""",
            ),
        ),
        says="decode gives the right values, but expands the cache to keys and values, one head at a time: "
        "every cached token goes through kv_b_proj at every step. Since q · (W c) = (Wᵀ q) · c, send the "
        "one query through the key half of kv_b_proj, and the one result through the value half.",
    ),
    Mistake(
        "latents-expanded-over-the-heads",
        find="scores = query_latent @ latent.transpose(1, 2) + query_rope @ rope_key.transpose(1, 2)",
        replace="""\
scores = (query_latent.unsqueeze(2) @ latent[:, None].transpose(-2, -1)).squeeze(2)
        scores = scores + query_rope @ rope_key.transpose(1, 2)""",
        says="decode gives the right values, but a product broadcasts the latents over the heads, (batch, "
        "num_heads, 1, rank) by (batch, 1, rank, kv_len) for example: a copy of the cache for every head. "
        "Let the heads be the rows of one matrix, (batch, num_heads, rank) by (batch, rank, kv_len).",
    ),
    Mistake(
        "rope-score-left-out-in-decode",
        find="scores = query_latent @ latent.transpose(1, 2) + query_rope @ rope_key.transpose(1, 2)",
        replace="scores = query_latent @ latent.transpose(1, 2)",
        says="decode's scores have only the nope part, as if there were no rope_key. As in forward, a score "
        "is nope query · nope key + rope query · rope key: absorbing changes how the first term is computed, "
        "the second is added as it is.",
    ),
    Mistake(
        "new-token-appended-twice",
        find="        up = self.kv_b_proj.weight",
        replace="""\
        new_latent, new_rope_key = self.compress(x, cos, sin)
        latent = torch.cat((latent, new_latent), dim=1)
        rope_key = torch.cat((rope_key, new_rope_key), dim=1)
        up = self.kv_b_proj.weight""",
        says="decode appends the new token to the cache, which already includes it, so it is attended to "
        "twice. Here the caller has cached it before: attend over latent and rope_key as they come.",
    ),
    Mistake(
        "neighbours-turned",
        find="""\
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin""",
        replace="""\
    cos, sin = cos.chunk(2, dim=-1)[0], sin.chunk(2, dim=-1)[0]
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack((first * cos - second * sin, first * sin + second * cos), dim=-1).flatten(-2)""",
        says="You turn neighbouring features (0, 1), (2, 3), … as DeepSeek's own code does. Here pair i is "
        "feature i and feature i + rope / 2.",
    ),
    Mistake(
        "turned-backwards",
        find="torch.cat((-second, first), dim=-1)",
        replace="torch.cat((second, -first), dim=-1)",
        says="You turn by the negative angle: scores still depend on the distance, but the rope keys in the "
        "cache are others. Pair (a, b) becomes (a cos t - b sin t, a sin t + b cos t): the half turned by "
        "90 degrees is (-second, first).",
    ),
    Mistake(
        "heads-merged-without-transpose",
        find="context.transpose(1, 2).flatten(2)",
        replace="context.reshape(batch, seq, -1)",
        says="You merge the heads without moving them back behind the sequence, so one head's results for "
        "several tokens end up in one row. transpose(1, 2) first, then merge (num_heads, v).",
    ),
    Mistake(
        "forward-always-causal",
        find="        if mask is not None:",
        replace="""\
        scores = scores + torch.full_like(scores, -math.inf).triu(1)
        if mask is not None:""",
        says="Your forward masks later tokens by itself. It attends to all tokens that the mask allows, and "
        "to all of them without a mask: whoever wants it causal passes a causal mask.",
    ),
    Mistake(
        "mask-inverted",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(mask, -math.inf)",
        says="You read the mask the wrong way round: you drop the keys that may be attended to. True means "
        '"may be attended to" here, so fill where the mask is False.',
    ),
    Mistake(
        "eps-left-at-its-default",
        find="self.q_a_norm = nn.RMSNorm(q_lora_rank, eps=1e-6)",
        replace="self.q_a_norm = nn.RMSNorm(q_lora_rank)",
        also=(
            (
                "self.kv_a_norm = nn.RMSNorm(kv_lora_rank, eps=1e-6)",
                "self.kv_a_norm = nn.RMSNorm(kv_lora_rank)",
            ),
        ),
        says="Your norms have no eps of their own: that of nn.RMSNorm is then torch.finfo(dtype).eps. Here "
        "it is 1e-6, in both.",
    ),
    Mistake(
        "biases-not-left-out",
        find="self.o_proj = nn.Linear(num_heads * self.v, hidden_size, bias=False)",
        replace="self.o_proj = nn.Linear(num_heads * self.v, hidden_size)",
        says="Your o_proj has a bias. None of the projections has one here: pass bias=False. (In front of "
        "decode's absorption a bias of kv_b_proj would even be in the way.)",
    ),
]
