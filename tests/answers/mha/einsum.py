"""The projections seen as (head, head_dim, hidden) tensors, einsum for every product."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0):
        super().__init__()
        assert hidden_size % num_heads == 0, "heads must divide the hidden size"
        self.num_heads = num_heads
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            setattr(self, name, nn.Linear(hidden_size, hidden_size))
        self.drop = nn.Dropout(p=dropout)

    def per_head(self, linear, x):
        weight = linear.weight.unflatten(0, (self.num_heads, -1))
        bias = linear.bias.unflatten(0, (self.num_heads, 1, -1))
        return torch.einsum("bsi,hdi->bhsd", x, weight) + bias

    def forward(self, x, mask=None):
        q, k, v = (self.per_head(linear, x) for linear in (self.q_proj, self.k_proj, self.v_proj))
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / q.size(-1) ** 0.5
        if mask is not None:
            scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
        weights = self.drop(scores.softmax(-1))
        merge = self.o_proj.weight.unflatten(1, (self.num_heads, -1))
        return torch.einsum("bhqk,bhkd,ohd->bqo", weights, v, merge) + self.o_proj.bias
