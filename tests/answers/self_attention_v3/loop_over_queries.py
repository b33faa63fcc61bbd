"""Each query on its own, over the keys that it may see only; prints, warns and seeds at import."""

import math
import warnings

import torch
from torch import nn

torch.manual_seed(5)
warnings.warn("loops ahead", stacklevel=1)
print("level 3")


class SelfAttention(nn.Module):
    def __init__(self, hidden_size, dropout=0.0):
        super().__init__()
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x, mask=None):
        batch, seq, h = x.shape
        if mask is None:
            mask = torch.ones(1, 1, 1, dtype=torch.bool)
        mask = mask.expand(batch, seq, seq)
        qkv = self.qkv_proj(x)
        result = torch.empty_like(x)
        for b in range(batch):
            for i in range(seq):
                seen = mask[b, i].nonzero().squeeze(-1)
                query, keys, values = qkv[b, i, :h], qkv[b, seen, h : 2 * h], qkv[b, seen, 2 * h :]
                weights = torch.softmax(keys.matmul(query) / math.sqrt(h), dim=0)
                result[b, i] = self.o_proj(self.drop(weights).matmul(values))
        print("queries:", batch * seq)
        return result
