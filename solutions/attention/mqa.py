"""Multi-query attention: all query heads share one key head and one value head, so the KV cache is small.

From "Fast Transformer Decoding: One Write-Head is All You Need" (Shazeer, 2019); PaLM and StarCoder use it.
Forbidden: nn.MultiheadAttention and F.scaled_dot_product_attention. The built-in softmax and dropout are
allowed.
"""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    """Self-attention with num_heads query heads over a single key/value head.

    Parameters, each an `nn.Linear` with a bias, and no others (buffers are free): `q_proj` and `o_proj` from
    hidden_size to hidden_size, `k_proj` and `v_proj` from hidden_size to head_dim = hidden_size // num_heads.
    Query head i owns the features i * head_dim … (i + 1) * head_dim - 1 of `q_proj`'s output; `o_proj` gets
    the heads' results side by side in the same order.
    """

    def __init__(self, hidden_size: int, num_heads: int, dropout: float = 0.0) -> None:
        """hidden_size: features of a token, divided evenly among num_heads query heads.

        dropout: probability of dropping an attention weight, in [0, 1), in training mode only.
        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size.
        """
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, self.head_dim)
        self.v_proj = nn.Linear(hidden_size, self.head_dim)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Float[Tensor, "batch seq hidden_size"],
        mask: Bool[Tensor, "#batch #num_heads #seq #seq"] | None = None,
    ) -> Float[Tensor, "batch seq hidden_size"]:
        """Attention of every token over all tokens, with scores scaled by 1 / sqrt(head_dim).

        Every query head has weights of its own, over the same keys and values.
        mask: True = may be attended to, as (batch, query head, query, key); any of the four sizes may be 1.
        Every query has at least one key that it may attend to.

        Dropout acts on the attention weights, each on its own, as nn.Dropout does, after the softmax and
        before the product with the values; in evaluation there is none. The result has the dtype of x and the
        parameters (float32 or float64). Scores of up to a few thousand, of either sign, at allowed and
        forbidden places, do not overflow. Gradients reach x and every parameter. No argument is modified.
        """
        batch, seq, hidden_size = x.shape
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        # One head each, whose dimension of 1 broadcasts in the products below: it is stored once.
        key = self.k_proj(x).view(batch, seq, -1, self.head_dim).transpose(1, 2)  # (batch, 1, seq, head_dim)
        value = self.v_proj(x).view(batch, seq, -1, self.head_dim).transpose(1, 2)  # the same

        scores = query @ key.transpose(-2, -1)  # (batch, num_heads, seq, seq)
        scores = scores / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = weights @ value  # (batch, num_heads, seq, head_dim)

        context = context.transpose(1, 2).reshape(batch, seq, hidden_size)  # (batch, seq, hidden_size)
        return self.o_proj(context)
