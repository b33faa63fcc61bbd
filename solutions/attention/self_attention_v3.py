"""Self-attention, level 3 of 4: the details that make it usable: mask, dropout, output projection.

A mask hides padding or the future ("Attention Is All You Need", Vaswani et al., 2017); dropout on the
attention weights, as in BERT, makes a query do without some of the tokens. Forbidden:
F.scaled_dot_product_attention, flex_attention and nn.MultiheadAttention. The built-in softmax and dropout are
allowed.
"""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


class SelfAttention(nn.Module):
    """Self-attention with a single head as wide as the tokens.

    Parameters, each an `nn.Linear` with a bias, and no others (buffers are free): `qkv_proj` from hidden_size
    to 3 * hidden_size, whose output is query, key and value side by side in this order, and `o_proj` from
    hidden_size to hidden_size, which is applied to the weighted mean of the values.
    """

    def __init__(self, hidden_size: int, dropout: float = 0.0) -> None:
        """hidden_size: features of a token, and of its query, key and value.

        dropout: probability of dropping an attention weight, in [0, 1), in training mode only.
        """
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Float[Tensor, "batch seq hidden_size"],
        mask: Bool[Tensor, "#batch #seq #seq"] | None = None,
    ) -> Float[Tensor, "batch seq hidden_size"]:
        """Attention of every token over the tokens of its sequence; the scale is 1 / sqrt(hidden_size).

        mask: True = may be attended to, as (batch, query, key); any of the three sizes may be 1, so
        (batch, 1, seq) hides padding and (1, seq, seq) the future. Every query has at least one key that it
        may attend to. Each call has its own mask and its own seq.

        Dropout acts on the attention weights, after the softmax and before the product with the values, each
        weight on its own, as nn.Dropout does; nothing else is dropped, and nothing at all in evaluation. The
        result has the dtype of x and the parameters (float32 or float64). Scores of up to a few thousand, of
        either sign, at allowed and forbidden places, do not overflow. Gradients reach x and every parameter.
        No argument is modified.
        """
        query, key, value = self.qkv_proj(x).chunk(3, dim=-1)  # (batch, seq, hidden_size) each

        scores = query @ key.transpose(-2, -1)  # (batch, seq, seq)
        scores = scores / math.sqrt(query.shape[-1])
        if mask is not None:
            # Before the softmax, so that the allowed weights still sum to 1: exp(-inf) is exactly 0.
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        # On the weights: a query then misses whole tokens. On the context it would miss single features.
        weights = self.dropout(weights)
        context = weights @ value  # (batch, seq, hidden_size)
        return self.o_proj(context)
