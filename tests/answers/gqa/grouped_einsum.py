"""No repetition: query heads seen as (kv_head, group) and einsum over five dimensions."""

import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, num_kv_heads, dropout=0.0):
        super().__init__()
        assert hidden_size % num_heads == 0 and num_heads % num_kv_heads == 0
        self.h, self.kv, self.d = num_heads, num_kv_heads, hidden_size // num_heads
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, self.kv * self.d)
        self.v_proj = nn.Linear(hidden_size, self.kv * self.d)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        b, s, _ = x.shape
        q = self.q_proj(x).view(b, s, self.kv, self.h // self.kv, self.d)
        k = self.k_proj(x).view(b, s, self.kv, self.d)
        v = self.v_proj(x).view(b, s, self.kv, self.d)
        scores = torch.einsum("bqngd,bknd->bngqk", q, k) * self.d**-0.5
        if mask is not None:
            mask = mask.expand(b, self.h, s, s).unflatten(1, (self.kv, -1))
            scores = scores.masked_fill(mask.logical_not(), float("-inf"))
        weights = self.dropout(scores.softmax(dim=-1))
        context = torch.einsum("bngqk,bknd->bqngd", weights, v)
        return self.o_proj(context.flatten(2))
