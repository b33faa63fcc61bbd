"""Self-attention, level 2 of 4: queries, keys and values come from one fused projection.

One wide matrix product reads x once instead of three times, takes one kernel launch and keeps a GPU busier
than three narrow ones: GPT-2, BLOOM and others fuse it. Forbidden: F.scaled_dot_product_attention,
flex_attention and nn.MultiheadAttention. The built-in softmax is allowed. Where costs are counted, compute in
torch, not in NumPy.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn


class SelfAttention(nn.Module):
    """Self-attention with a single head as wide as the tokens, without mask, dropout or output projection.

    Parameters: `qkv_proj`, an `nn.Linear(hidden_size, 3 * hidden_size)` with a bias, and no others (buffers
    are free). Its output is query, key and value side by side in this order, hidden_size features each.
    """

    def __init__(self, hidden_size: int) -> None:
        """hidden_size: features of a token, and of its query, key and value."""
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)

    def forward(self, x: Float[Tensor, "batch seq hidden_size"]) -> Float[Tensor, "batch seq hidden_size"]:
        """Attention of every token over all tokens of its sequence; the scale is 1 / sqrt(hidden_size).

        All tokens of the batch are projected by exactly one matrix product, which gives query, key and value
        together. It is counted while this runs, however it is written (the layer, F.linear, einsum, @); the
        products of the attention itself do not count.

        The result has the dtype of x and the parameters (float32 or float64). Scores in the thousands, of
        either sign, do not overflow. Gradients reach x and qkv_proj. x is not modified.
        """
        qkv = self.qkv_proj(x)  # (batch, seq, 3 * hidden_size)
        # Views, no copies: three windows on the same memory.
        query, key, value = qkv.chunk(3, dim=-1)  # (batch, seq, hidden_size) each

        scores = query @ key.transpose(-2, -1)  # (batch, seq, seq)
        scores = scores / math.sqrt(query.shape[-1])
        weights = torch.softmax(scores, dim=-1)
        return weights @ value  # (batch, seq, hidden_size)
