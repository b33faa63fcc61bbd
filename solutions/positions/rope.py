"""Rotary position embedding (RoPE): turn pairs of features by an angle proportional to the position.

The score of a turned query and a turned key then depends on their distance only. From "RoFormer: Enhanced
Transformer with Rotary Position Embedding" (Su et al., 2021). Nothing is forbidden.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def rope_cos_sin(
    positions: Int[Tensor, "seq"], head_dim: int, base: float = 10000.0
) -> tuple[Float[Tensor, "seq head_dim"], Float[Tensor, "seq head_dim"]]:
    """Cosine and sine of all angles, as tables (cos, sin) in float32, whatever the default dtype is.

    Position m turns pair i by the angle m * base^(-2 i / head_dim), for i = 0 … head_dim / 2 - 1. A row holds
    the head_dim / 2 angles' values and then the same again: columns i and i + head_dim / 2 are equal.
    Angles computed in float32 will do: at positions of some thousands they are off by some 1e-4.

    positions: whole numbers from 0 to 4095 in any order, not always 0, 1, 2, …; not modified.
    head_dim: even.
    """
    # float32 whatever the model's dtype is: bfloat16 has no 257, so neighbouring positions would collapse.
    exponents = torch.arange(0, head_dim, 2, dtype=torch.float32, device=positions.device) / head_dim
    frequencies = base**-exponents  # (head_dim / 2)
    angles = positions[:, None] * frequencies  # (seq, head_dim / 2)
    angles = torch.cat((angles, angles), dim=-1)  # (seq, head_dim)
    return angles.cos(), angles.sin()


def rotate_half(x: Float[Tensor, "... head_dim"]) -> Float[Tensor, "... head_dim"]:
    """Turn by 90 degrees: of (first half, second half) makes (-second half, first half).

    head_dim is even. The dtype stays, gradients reach x, x is not modified.
    """
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def apply_rope(
    query: Float[Tensor, "batch num_heads seq head_dim"],
    key: Float[Tensor, "batch num_kv_heads seq head_dim"],
    cos: Float[Tensor, "seq head_dim"],
    sin: Float[Tensor, "seq head_dim"],
) -> tuple[Float[Tensor, "batch num_heads seq head_dim"], Float[Tensor, "batch num_kv_heads seq head_dim"]]:
    """Turn query and key, in halves: feature i and feature i + head_dim / 2 are pair i. Gives (query, key).

    Pair (a, b) with angle t becomes (a cos t - b sin t, a sin t + b cos t). cos and sin are as rope_cos_sin
    makes them. The number of heads of query and key may differ.

    float32 stays float32 and float64 stays float64, with float32 tables too: only the dtype, for results
    right to 1e-5 of the largest value will do. Gradients reach query and key. No argument is modified.
    """
    query = query * cos + rotate_half(query) * sin
    key = key * cos + rotate_half(key) * sin
    return query, key


def apply_rope_interleaved(
    x: Float[Tensor, "batch num_heads seq head_dim"],
    cos: Float[Tensor, "seq head_dim"],
    sin: Float[Tensor, "seq head_dim"],
) -> Float[Tensor, "batch num_heads seq head_dim"]:
    """Turn neighbouring features instead: features 2 i and 2 i + 1 are pair i, and stay in their places.

    cos and sin are the *same* tables as for apply_rope (as rope_cos_sin makes them), and pair i turns by the
    same angle as there; dtype, gradients and arguments as there too.
    """
    # The tables hold every angle twice, half a row apart: the first half has them in the order of the pairs.
    cos, sin = cos.chunk(2, dim=-1)[0], sin.chunk(2, dim=-1)[0]  # (seq, head_dim / 2)
    even, odd = x[..., 0::2], x[..., 1::2]  # (batch, num_heads, seq, head_dim / 2)
    turned_even = even * cos - odd * sin
    turned_odd = even * sin + odd * cos
    return torch.stack((turned_even, turned_odd), dim=-1).flatten(-2)  # (batch, num_heads, seq, head_dim)
