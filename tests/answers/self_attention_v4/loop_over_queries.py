"""Each query over the keys that it sees; padded queries skipped; prints, warns and seeds at import."""

import math
import warnings

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(13)
warnings.warn("one query at a time", stacklevel=1)
print("level 4")


class SelfAttention(nn.Module):
    def __init__(self, hidden_size, dropout=0.0):
        super().__init__()
        self.p = dropout
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)

    def attend(self, query, keys, values):
        weights = F.softmax(keys @ (query / math.sqrt(query.numel())), dim=-1)
        return F.dropout(weights, self.p, self.training) @ values

    def forward(self, x, padding_mask=None, is_causal=False):
        batch, seq, h = x.shape
        real = torch.ones(batch, seq, dtype=torch.bool) if padding_mask is None else padding_mask
        context = []
        for one, places in zip(self.qkv_proj(x), real, strict=True):
            q, k, v = one.split(h, dim=-1)
            for i in range(seq):
                if not places[i]:
                    context.append(torch.zeros_like(q[i]))
                    continue
                end = i + 1 if is_causal else seq
                seen = places[:end]
                context.append(self.attend(q[i], k[:end][seen], v[:end][seen]))
        print(batch, seq)
        return self.o_proj(torch.stack(context).reshape(x.shape))
