"""Heads folded into the batch by chunk and cat, additive mask, closures for the rearranging."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0):
        super().__init__()
        assert not hidden_size % num_heads
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.attention_dropout = nn.Dropout(dropout)
        self.register_buffer("factor", torch.tensor((hidden_size // num_heads) ** -0.5, dtype=torch.float64))
        # (batch, seq, hidden) to (heads * batch, seq, head_dim), and back
        self.fold = lambda t: torch.cat(t.chunk(num_heads, dim=2), dim=0)
        self.unfold = lambda t: torch.cat(t.chunk(num_heads, dim=0), dim=2)
        self.num_heads = num_heads

    def forward(self, x, mask=None):
        batch, seq, _ = x.size()
        q, k, v = self.fold(self.q_proj(x)), self.fold(self.k_proj(x)), self.fold(self.v_proj(x))
        bias = x.new_zeros(batch, self.num_heads, seq, seq)
        if mask is not None:
            bias = bias.masked_fill(mask == 0, float("-inf"))
        bias = bias.permute(1, 0, 2, 3).reshape(-1, seq, seq)
        scores = torch.baddbmm(bias, q, k.permute(0, 2, 1), beta=1.0, alpha=float(self.factor))
        context = self.attention_dropout(torch.softmax(scores, 2)).bmm(v)
        return self.o_proj(self.unfold(context))
