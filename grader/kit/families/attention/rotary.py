"""The oracle of attention whose queries and keys are turned by their positions (RoPE)."""

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor


def turned(x: Tensor, angles: Tensor) -> Tensor:
    """x in its dtype, its last dimension turned: feature i and feature i + size / 2 are a complex number,
    multiplied by e^(i angle), with angles (seq, size / 2).
    """
    twice = torch.cat([angles, angles], dim=-1)
    return turned_by(x.double(), twice.cos(), twice.sin()).to(x.dtype)


def turned_by(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """The same by the cosines and sines of the angles, (seq, size): each stands there twice."""
    turns = torch.complex(*(table.chunk(2, dim=-1)[0] for table in (cos, sin)))
    pairs = torch.complex(*x.chunk(2, dim=-1)) * turns
    return torch.cat([pairs.real, pairs.imag], dim=-1)


def projected(
    weights: Mapping[str, Tensor], x: Tensor, base: float, head_dim: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Queries and keys, turned from position 0 on, and values of a whole sequence, in heads."""
    query, key, value = (
        F.linear(x, weights[f"{name}_proj.weight"]).unflatten(2, (-1, head_dim)).transpose(1, 2)
        for name in "qkv"
    )
    half = head_dim // 2
    angles = torch.arange(x.shape[1])[:, None] * base ** (-torch.arange(half).double() / half)
    return turned(query, angles), turned(key, angles), value


def full(weights: Mapping[str, Tensor], x: Tensor, base: float = 10000.0, head_dim: int = 6) -> Tensor:
    """Causal grouped-query attention with RoPE over a whole sequence, by the built-in."""
    query, key, value = projected(weights, x, base, head_dim)
    context = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
    return F.linear(context.transpose(1, 2).flatten(2), weights["o_proj.weight"])


def step_behind(
    weights: Mapping[str, Tensor], token: Tensor, keys: Tensor, values: Tensor, head_dim: int
) -> Tensor:
    """What attention gives for one token (batch, 1, hidden_size) behind a cache that holds these keys and
    values, whatever tokens they may be of.
    """
    places = torch.cat([token.expand(-1, keys.shape[2], -1), token], 1)  # so that it is turned as the last
    query, key, value = (part[:, :, -1:] for part in projected(weights, places, 10000.0, head_dim))
    keys, values = torch.cat([keys, key], 2), torch.cat([values, value], 2)
    context = F.scaled_dot_product_attention(query, keys, values, enable_gqa=True)
    return F.linear(context.transpose(1, 2).flatten(2), weights["o_proj.weight"])
