"""Cross-attention: the queries come from one sequence, the keys and values from another.

From "Attention Is All You Need" (Vaswani et al., 2017), section 3.2.3: so every decoder layer reads the
encoder's output. Forbidden: nn.MultiheadAttention and F.scaled_dot_product_attention. The built-in softmax
and dropout are allowed.
"""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Multi-head attention from x over context.

    Parameters, each an `nn.Linear` with a bias, and no others (buffers are free): `q_proj` and `o_proj` from
    hidden_size to hidden_size, `k_proj` and `v_proj` from context_size to hidden_size. Head i owns the
    features i * head_dim … (i + 1) * head_dim - 1 of the outputs of `q_proj`, `k_proj` and `v_proj`, with
    head_dim = hidden_size // num_heads; `o_proj` gets the heads' results side by side in the same order.
    """

    def __init__(
        self, hidden_size: int, num_heads: int, context_size: int | None = None, dropout: float = 0.0
    ) -> None:
        """hidden_size: features of a token of x. context_size: those of a token of context, any positive
        number; None means hidden_size.

        dropout: probability of dropping an attention weight, in [0, 1), in training mode only.
        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size.
        """
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
        if context_size is None:
            context_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(context_size, hidden_size)
        self.v_proj = nn.Linear(context_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Float[Tensor, "batch tgt hidden_size"],
        context: Float[Tensor, "batch src context_size"],
        mask: Bool[Tensor, "#batch #num_heads #tgt #src"] | None = None,
    ) -> Float[Tensor, "batch tgt hidden_size"]:
        """Attention of every token of x over all tokens of context, with scores scaled by 1 / sqrt(head_dim).

        mask: True = may be attended to, as (batch, head, token of x, token of context); any of the four sizes
        may be 1. Every token of x has at least one token of context that it may attend to.

        Dropout acts on the attention weights, each on its own, as nn.Dropout does, after the softmax and
        before the product with the values; in evaluation there is none. The result has the dtype of x,
        context and the parameters (float32 or float64). Scores of up to a few thousand, of either sign, at
        allowed and forbidden places, do not overflow. Gradients reach x, context and every parameter. No
        argument is modified. No call depends on an earlier one: each goes by the values that context and the
        parameters have then.
        """
        batch, tgt, hidden_size = x.shape
        src = context.shape[1]
        query = self.q_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        # Nothing here depends on x: while a decoder generates, keys and values are computed only once.
        key = self.k_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)

        scores = query @ key.transpose(-2, -1)  # (batch, num_heads, tgt, src)
        scores = scores / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        results = weights @ value  # (batch, num_heads, tgt, head_dim)

        merged = results.transpose(1, 2).reshape(batch, tgt, hidden_size)  # (batch, tgt, hidden_size)
        return self.o_proj(merged)
