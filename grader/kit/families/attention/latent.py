"""The oracle of multi-head latent attention: the built-in on keys and values that are expanded to heads."""

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.kit.families.attention.rotary import turned_by
from grader.kit.generators import Rng

NOPE, ROPE, V = 5, 6, 7
"""The sizes of a head in most checks."""
_HUGE, _LARGE = 2.0**1000, 2.0**25
"""Powers of two, which change no digit. Their product is more than a float64 can be."""


def cache(weights: Mapping[str, Tensor], x: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    """The oracle's latents and rope keys."""
    rank = weights["kv_a_norm.weight"].shape[0]
    down = F.linear(x, weights["kv_a_proj.weight"])
    latent = F.rms_norm(down[..., :rank], (rank,), weights["kv_a_norm.weight"], 1e-6)
    return latent, turned_by(down[..., rank : rank + cos.shape[-1]], cos, sin)


def expanded(
    weights: Mapping[str, Tensor],
    x: Tensor,
    cos: Tensor,
    sin: Tensor,
    mask: Tensor | None = None,
    nope: int = NOPE,
    v: int = V,
    is_causal: bool = False,
) -> Tensor:
    """The oracle: the built-in on keys and values expanded to heads."""
    stored = cache(weights, x, cos, sin)
    return attended(weights, x, *stored, cos, sin, mask, nope=nope, v=v, is_causal=is_causal)


def attended(
    weights: Mapping[str, Tensor],
    x: Tensor,
    latent: Tensor,
    rope_key: Tensor,
    cos: Tensor,
    sin: Tensor,
    mask: Tensor | None = None,
    *,
    nope: int = NOPE,
    v: int = V,
    is_causal: bool = False,
) -> Tensor:
    """The oracle's attention of x, at the positions of cos and sin, over what is cached."""
    up = F.linear(latent, weights["kv_b_proj.weight"]).unflatten(-1, (-1, nope + v)).transpose(1, 2)
    shared = rope_key[:, None].expand(-1, up.shape[1], -1, -1)
    key, value = torch.cat([up[..., :nope], shared], dim=-1), up[..., nope:]
    query = F.linear(x, weights["q_a_proj.weight"])
    query = F.rms_norm(query, query.shape[-1:], weights["q_a_norm.weight"], 1e-6)
    query = F.linear(query, weights["q_b_proj.weight"]).unflatten(-1, (-1, key.shape[-1])).transpose(1, 2)
    query = torch.cat([query[..., :nope], turned_by(query[..., nope:], cos, sin)], dim=-1)
    context = F.scaled_dot_product_attention(query, key, value, mask, is_causal=is_causal)
    return F.linear(context.transpose(1, 2).flatten(2), weights["o_proj.weight"])


def decoding(
    weights: Mapping[str, Tensor], x: Tensor, cos: Tensor, sin: Tensor, nope: int = NOPE, v: int = V
) -> tuple[tuple[Tensor, ...], Tensor]:
    """What decode gets for the last token of x, and what it should give."""
    last = expanded(weights, x, cos, sin, nope=nope, v=v, is_causal=True)[:, -1:]
    return (x[:, -1:], *cache(weights, x, cos, sin), cos[-1:], sin[-1:]), last


def overflowing(
    rng: Rng, weights: Mapping[str, Tensor], x: Tensor, cos: Tensor, sin: Tensor
) -> tuple[dict[str, Tensor], tuple[Tensor, ...], Tensor]:
    """Weights, a cache and what a step over it should give, of which no key and not every value can be made.

    The first two latent features are large and cancel in every key. The queries' first feature is tiny, the
    keys' huge: so are the two products of which a key is the difference, but not the query in the latent
    space, nor the scores. The token that the cache begins with gets no weight; its values are too large.
    """
    rank, width = weights["kv_b_proj.weight"].shape[1], NOPE + V
    plain = {name: value.clone() for name, value in weights.items()}
    query, up = plain["q_b_proj.weight"], plain["kv_b_proj.weight"].view(-1, width, rank)
    query.view(-1, NOPE + ROPE, query.shape[1])[:, 1] = query[1]  # one feature that all heads share
    up[..., :4] = 0
    up[:, 1, 2] = 1
    latent = rng.normal(len(x), 23, rank, scale=0.5)
    latent[..., [0, 1, 3]] = 0
    shared = F.linear(x, plain["q_a_proj.weight"])
    shared = F.rms_norm(shared, shared.shape[-1:], plain["q_a_norm.weight"], 1e-6) @ query[1]
    latent[:, 0, 2] = -3000 * (NOPE + ROPE) ** 0.5 / shared[:, -1]
    rope_key = rng.normal(len(x), 23, ROPE)
    expected = attended(plain, x, latent, rope_key, cos, sin)

    scaled = {name: value.clone() for name, value in plain.items()}
    scaled["q_b_proj.weight"].view(-1, NOPE + ROPE, query.shape[1])[:, 0] /= _HUGE
    up = scaled["kv_b_proj.weight"].view(-1, width, rank)
    up[:, 0] *= _HUGE
    up[:, 0, :2] = _HUGE
    up[:, NOPE:, 3] = _LARGE**4
    latent[:, :, 0] = _LARGE * rng.integers(1, 4, len(x), 23)
    latent[:, :, 1] = -latent[:, :, 0]
    latent[:, 0, 3] = _HUGE
    return scaled, (x, latent, rope_key, cos, sin), expected
