"""Cross-attention over a down-sampled context: windows of tokens are averaged before they are read.

As in "Generating Wikipedia by Summarizing Long Sequences" (Liu et al., 2018; a strided convolution there) and
Pyramid Vision Transformers v2 (Wang et al., 2021; an average, as here). Forbidden: nn.MultiheadAttention.
"""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn


class PooledCrossAttention(nn.Module):
    """Multi-head attention from x over the means of windows of context.

    Parameters, each an `nn.Linear` with a bias from hidden_size to hidden_size, and no others (buffers are
    free): `q_proj`, `k_proj`, `v_proj`, `o_proj`. Head i owns the features i * head_dim …
    (i + 1) * head_dim - 1 of the outputs of the first three, with head_dim = hidden_size // num_heads;
    `o_proj` gets the heads' results side by side in the same order.
    """

    def __init__(self, hidden_size: int, num_heads: int, stride: int, dropout: float = 0.0) -> None:
        """stride: how many tokens of context make a window, at least 1.

        dropout: probability of dropping an attention weight, in [0, 1), in training mode only.
        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size.
        """
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.stride = stride
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Float[Tensor, "batch tgt hidden_size"],
        context: Float[Tensor, "batch src hidden_size"],
        padding_mask: Bool[Tensor, "batch src"] | None = None,
    ) -> Float[Tensor, "batch tgt hidden_size"]:
        """Attention of every token of x over windows of context, with scores scaled by 1 / sqrt(head_dim).

        Window n holds the tokens n * stride … (n + 1) * stride - 1 of context. The last one may be shorter,
        and src may be less than stride. Keys and values come from the windows' means: of a shorter window the
        mean of the tokens that it has.

        padding_mask: True = a real token. The mean of a window is then that of its real tokens alone, and a
        window without any gets no weight. Each row has at least one real token, anywhere; padded tokens hold
        finite numbers, in size like the real ones, which change nothing.

        Dropout acts on the attention weights, each on its own, as nn.Dropout does, after the softmax and
        before the product with the values; in evaluation there is none. The result has the dtype and device
        of x, context and the parameters (float32 or float64). Scores of up to a few thousand, of either sign,
        do not overflow. Gradients reach x, context and every parameter. No argument is modified.
        """
        batch, tgt, hidden_size = x.shape
        src = context.shape[1]
        if padding_mask is None:
            padding_mask = torch.ones(batch, src, dtype=torch.bool, device=context.device)

        # What fills up the last window is no more real than padding: one rule for both.
        rest = -src % self.stride
        real = F.pad(padding_mask, (0, rest)).unflatten(1, (-1, self.stride))  # (batch, windows, stride)
        tokens = F.pad(context, (0, 0, 0, rest)).unflatten(1, (-1, self.stride))
        total = (tokens * real.unsqueeze(-1)).sum(dim=2)  # (batch, windows, hidden_size)
        count = real.sum(dim=2)  # (batch, windows)
        pooled = total / count.clamp(min=1).unsqueeze(-1)
        mask = (count > 0)[:, None, None, :]  # (batch, 1, 1, windows)

        windows = pooled.shape[1]
        query = self.q_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(pooled).view(batch, windows, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(pooled).view(batch, windows, self.num_heads, self.head_dim).transpose(1, 2)

        scores = query @ key.transpose(-2, -1)  # (batch, num_heads, tgt, windows)
        scores = scores / math.sqrt(self.head_dim)
        scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        results = weights @ value  # (batch, num_heads, tgt, head_dim)

        merged = results.transpose(1, 2).reshape(batch, tgt, hidden_size)  # (batch, tgt, hidden_size)
        return self.o_proj(merged)
