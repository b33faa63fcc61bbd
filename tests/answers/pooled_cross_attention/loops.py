"""Window by window and head by head in Python; pools after the projections; prints."""

import math

import torch
from torch import nn


class PooledCrossAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, stride, dropout=0.0):
        super().__init__()
        self.size, rest = divmod(hidden_size, num_heads)
        if rest:
            raise ValueError(f"{hidden_size} / {num_heads}")
        self.stride, self.num_heads = stride, num_heads
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (
            nn.Linear(hidden_size, hidden_size) for _ in range(4)
        )
        self.dropout = nn.Dropout(dropout)

    def pooled(self, tokens, real):
        """Means of windows, and which of them have a real token."""
        rows, there = [], []
        for start in range(0, tokens.shape[1], self.stride):
            kept = real[:, start : start + self.stride, None]
            total = tokens[:, start : start + self.stride].masked_fill(~kept, 0.0).sum(1)
            rows.append(total / kept.sum(1).clamp(min=1))
            there.append(kept.any(1)[:, 0])
        print(len(rows), "windows")
        return torch.stack(rows, 1), torch.stack(there, 1)

    def forward(self, x, context, padding_mask=None):
        real = torch.ones_like(context[..., 0], dtype=torch.bool) if padding_mask is None else padding_mask
        keys, there = self.pooled(self.k_proj(context), real)
        values, _ = self.pooled(self.v_proj(context), real)
        # Of padding a projection makes its bias; only windows that count are read.
        results = []
        for q, k, v in zip(*(t.split(self.size, 2) for t in (self.q_proj(x), keys, values)), strict=True):
            scores = (q @ k.mT / math.sqrt(self.size)).masked_fill(~there[:, None], -math.inf)
            results.append(self.dropout(scores.softmax(2)) @ v)
        return self.o_proj(torch.cat(results, 2))
