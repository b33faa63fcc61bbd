"""A key/value cache, and attention that uses it: decode one token without projecting the earlier ones again.

Keys and values of earlier tokens never change under a causal mask, so they are kept. Grouped-query attention
(Ainslie et al., 2023) with RoPE (Su et al., 2021), as in Llama. Nothing is forbidden:
F.scaled_dot_product_attention may be used. Where costs are counted, compute in torch, not in NumPy.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class KVCache:
    """Keys and values of the tokens so far, of one layer. `length` says how many tokens that are.

    Without gradients: whoever uses a cache does so under torch.no_grad().
    """

    length: int

    def __init__(
        self,
        batch_size: int,
        num_kv_heads: int,
        max_len: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        """Empty, with room for max_len tokens in this dtype, on the default device.

        The storage of keys and values is allocated once, here or in the first update, and later updates write
        into it. All else that the cache holds takes less than half as much memory as these two.
        """
        raise NotImplementedError

    def update(
        self,
        key: Float[Tensor, "batch num_kv_heads new head_dim"],
        value: Float[Tensor, "batch num_kv_heads new head_dim"],
    ) -> tuple[
        Float[Tensor, "batch num_kv_heads length head_dim"],
        Float[Tensor, "batch num_kv_heads length head_dim"],
    ]:
        """Add the tokens (one or more) behind the earlier ones. Gives all keys and values so far, in order.

        `length` grows by the number of new tokens, and the results have that many rows, not max_len. They may
        be views of the storage. key and value have the cache's dtype and are not modified.
        Raises ValueError (or AssertionError) when there is no room for all new tokens, and then leaves the
        cache as it was: the same length, the same keys and values.
        """
        raise NotImplementedError


class CachedAttention(nn.Module):
    """Causal grouped-query self-attention with RoPE, over a cache when there is one.

    Parameters, each an `nn.Linear` with bias=False, and no others: `q_proj` and `o_proj` from hidden_size to
    hidden_size, `k_proj` and `v_proj` from hidden_size to num_kv_heads * head_dim, with
    head_dim = hidden_size // num_heads (even). Head i owns the features i * head_dim … (i + 1) * head_dim - 1
    of its projection; query head i reads key/value head i // (num_heads // num_kv_heads).

    RoPE turns queries and keys in halves: at position m = 0, 1, 2, … the pair a = feature i and
    b = feature i + head_dim / 2 of a head becomes (a cos t - b sin t, a sin t + b cos t), with
    t = m * base^(-2 i / head_dim), for positions as far as a cache is long. Scores are scaled by
    1 / sqrt(head_dim).
    """

    def __init__(self, hidden_size: int, num_heads: int, num_kv_heads: int, base: float = 10000.0) -> None:
        """base: of the angles of RoPE.

        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size, or num_kv_heads does
        not divide num_heads.
        """
        raise NotImplementedError

    def forward(
        self, x: Float[Tensor, "batch new hidden_size"], cache: KVCache | None = None
    ) -> Float[Tensor, "batch new hidden_size"]:
        """Attention of every token of x over itself and all tokens before it, those in the cache included.

        Without a cache x is the whole sequence. With one, x goes on behind its cache.length tokens: so do the
        positions, and a query sees the cached tokens and, of the new ones, itself and those before it. The
        new keys (turned already) and values are added to the cache. A sequence fed in chunks of any sizes
        gives the same results as in one call, and one module may serve several caches by turns.

        Only the tokens of x are projected: FLOPs are counted for one new token behind a long prefix.

        x, the parameters and the cache have the same dtype (float32 or float64), and so has the result. x is
        not modified. Scores of up to a few thousand, of either sign, do not overflow. Without a cache
        gradients reach x and every parameter; with one, calls are under torch.no_grad(). Values and gradients
        are compared at 1e-5, so that float32 tables will do.
        """
        raise NotImplementedError
