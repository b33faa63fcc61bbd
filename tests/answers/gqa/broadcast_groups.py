"""Keys and values broadcast over the groups of query heads, softmax in float32 and cast back."""

import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, num_kv_heads, dropout=0.0):
        super().__init__()
        assert hidden_size % num_heads == 0, (hidden_size, num_heads)
        assert num_heads % num_kv_heads == 0, (num_heads, num_kv_heads)
        self.num_kv_heads, self.groups = num_kv_heads, num_heads // num_kv_heads
        self.head_dim = hidden_size // num_heads
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, self.head_dim * num_kv_heads)
        self.v_proj = nn.Linear(hidden_size, self.head_dim * num_kv_heads)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        batch, seq, hidden_size = x.shape
        kv, groups = self.num_kv_heads, self.groups
        q = self.q_proj(x).view(batch, seq, kv, groups, self.head_dim).permute(0, 2, 3, 1, 4)
        k = self.k_proj(x).view(batch, seq, kv, 1, self.head_dim).permute(0, 2, 3, 1, 4)
        v = self.v_proj(x).view(batch, seq, kv, 1, self.head_dim).permute(0, 2, 3, 1, 4)
        scores = q @ k.mT * self.head_dim**-0.5  # (batch, kv, groups, seq, seq)
        if mask is not None:
            mask = mask.expand(batch, kv * groups, seq, seq).view(batch, kv, groups, seq, seq)
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = self.drop(torch.softmax(scores, dim=-1, dtype=torch.float32).to(v.dtype))
        return self.o_proj((weights @ v).permute(0, 3, 1, 2, 4).reshape(batch, seq, hidden_size))
