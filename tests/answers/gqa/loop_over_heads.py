"""Lists of heads and an integer division; prints, warns and seeds at import."""

import math
import warnings

import torch
from torch import nn
from torch.nn.functional import dropout as drop

torch.manual_seed(7)
warnings.warn("not fast", stacklevel=1)
print("grouped-query attention by lists")


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, num_kv_heads, dropout=0.0):
        super().__init__()
        if hidden_size % num_heads != 0 or num_heads % num_kv_heads != 0:
            raise ValueError("sizes do not divide")
        head_dim = hidden_size // num_heads
        self.num_heads, self.num_kv_heads, self.p = num_heads, num_kv_heads, dropout
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * head_dim)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * head_dim)
        self.q_proj = nn.Linear(hidden_size, hidden_size)

    def forward(self, x, mask=None):
        queries = self.q_proj(x).chunk(self.num_heads, dim=-1)
        keys = self.k_proj(x).chunk(self.num_kv_heads, dim=-1)
        values = self.v_proj(x).chunk(self.num_kv_heads, dim=-1)
        results = []
        for i, q in enumerate(queries):
            j = i * self.num_kv_heads // self.num_heads
            scores = q @ keys[j].transpose(1, 2) / math.sqrt(q.shape[-1])
            if mask is not None:
                allowed = mask[:, i if mask.shape[1] > 1 else 0]
                scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
            results.append(drop(scores.softmax(-1), p=self.p, training=self.training) @ values[j])
        print(len(results), "heads")
        return self.o_proj(torch.cat(results, dim=-1))
