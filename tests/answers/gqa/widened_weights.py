"""Multi-head attention whose key and value weights are gathered per query head before the projection."""

import torch
import torch.nn.functional as F
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, num_kv_heads, dropout=0.0):
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError("num_heads")
        if num_heads % num_kv_heads:
            raise ValueError("num_kv_heads")
        self.num_heads = num_heads
        self.p = dropout
        head_dim = hidden_size // num_heads
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * head_dim)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * head_dim)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        head = torch.arange(num_heads) // (num_heads // num_kv_heads)
        rows = head[:, None] * head_dim + torch.arange(head_dim)
        self.register_buffer("rows", rows.flatten(), persistent=False)

    def forward(self, x, mask=None):
        def heads(t):
            return t.unflatten(2, (self.num_heads, -1)).transpose(1, 2)

        query = heads(self.q_proj(x))
        key = heads(F.linear(x, self.k_proj.weight[self.rows], self.k_proj.bias[self.rows]))
        value = heads(F.linear(x, self.v_proj.weight.index_select(0, self.rows), self.v_proj.bias[self.rows]))
        scores = (query @ key.transpose(2, 3)) / query.shape[3] ** 0.5
        scores = scores if mask is None else scores.masked_fill(~mask, -1e9)
        exponentials = torch.exp(scores - scores.amax(-1, keepdim=True))
        weights = exponentials / exponentials.sum(-1, keepdim=True)
        weights = F.dropout(weights, self.p, training=self.training)
        return self.o_proj((weights @ value).transpose(1, 2).flatten(2))
