"""The key projection absorbed into the queries and the values projected last: only context is attended to."""

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    def __init__(
        self, hidden_size: int, num_heads: int, context_size: int | None = None, dropout: float = 0.0
    ):
        super().__init__()
        if context_size is None:
            context_size = hidden_size
        self.head_dim, rest = divmod(hidden_size, num_heads)
        if rest != 0:
            raise ValueError("num_heads must divide hidden_size")
        self.heads = num_heads
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(context_size, hidden_size)
        self.v_proj = nn.Linear(context_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.p = dropout

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        def by_head(parameter):
            return parameter.unflatten(0, (self.heads, self.head_dim))

        query = self.q_proj(x).unflatten(2, (self.heads, -1)).transpose(1, 2)  # (b, h, t, d)
        scores = query @ by_head(self.k_proj.weight) @ context.unsqueeze(1).mT  # (b, h, t, s)
        scores = scores + query @ by_head(self.k_proj.bias).unsqueeze(-1)
        scores = scores / self.head_dim**0.5
        if mask is not None:
            scores = scores + torch.zeros_like(mask, dtype=scores.dtype).masked_fill_(~mask, float("-inf"))
        weights = (scores - scores.amax(-1, keepdim=True)).exp()
        weights = weights / weights.sum(-1, keepdim=True)
        if self.training and self.p > 0:
            weights = weights * (torch.rand_like(weights) >= self.p) / (1 - self.p)
        read = weights @ context.unsqueeze(1)  # (b, h, t, context_size)
        result = read @ by_head(self.v_proj.weight).mT
        # The value bias counts with the sum of the weights, which dropout moves away from 1.
        result = result + weights.sum(-1, keepdim=True) * by_head(self.v_proj.bias).unsqueeze(1)
        return self.o_proj(result.transpose(1, 2).flatten(2))
