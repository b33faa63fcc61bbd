# head-dim-from-kv-heads
"""Gives each key/value projection hidden_size // groups features."""

import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_groups, dropout=0.0):
        super().__init__()
        assert d_model % n_heads == 0 and n_heads % n_groups == 0
        self.d_head, self.n_heads, self.n_groups = d_model // n_heads, n_heads, n_groups
        self.q_proj, self.o_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.k_proj, self.v_proj = (nn.Linear(d_model, d_model // n_groups) for _ in range(2))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        b, t, c = x.shape
        q = self.q_proj(x).view(b, t, self.n_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.n_groups, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.n_groups, self.d_head).transpose(1, 2)
        k, v = (part.repeat_interleave(self.n_heads // self.n_groups, 1) for part in (k, v))
        att = (q @ k.transpose(-2, -1)) / self.d_head**0.5
        if mask is not None:
            att = att.masked_fill(mask == 0, float("-inf"))
        att = self.drop(torch.softmax(att, dim=-1))
        return self.o_proj((att @ v).transpose(1, 2).reshape(b, t, c))
