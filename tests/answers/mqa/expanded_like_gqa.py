"""Grouped-query code with one group: the head expanded to all query heads, softmax in float32."""

import torch
from torch import nn


def repeat_kv(t, times):
    batch, heads, seq, head_dim = t.shape
    return (
        t[:, :, None].expand(batch, heads, times, seq, head_dim).reshape(batch, heads * times, seq, head_dim)
    )


class MultiQueryAttention(nn.Module):
    num_kv_heads = 1

    def __init__(self, hidden_size, num_heads, dropout=0.0):
        super().__init__()
        if hidden_size // num_heads * num_heads != hidden_size:
            raise ValueError(f"hidden_size={hidden_size} num_heads={num_heads}")
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.q_proj = nn.Linear(hidden_size, self.num_heads * self.head_dim)
        self.k_proj = nn.Linear(hidden_size, self.num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_size, self.num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(self.num_heads * self.head_dim, hidden_size)
        self.attn_dropout = nn.Dropout(dropout)

    def split(self, t):
        return t.view(*t.shape[:2], -1, self.head_dim).permute(0, 2, 1, 3).contiguous()

    def forward(self, x, mask=None):
        q, k, v = (self.split(proj(x)) for proj in (self.q_proj, self.k_proj, self.v_proj))
        k, v = (repeat_kv(t, self.num_heads // self.num_kv_heads) for t in (k, v))
        scores = torch.matmul(q, k.transpose(2, 3)) * self.head_dim**-0.5
        if mask is not None:
            scores = scores + torch.zeros(mask.shape, dtype=x.dtype).masked_fill(~mask, float("-inf"))
        weights = nn.functional.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
        weights = self.attn_dropout(weights)
        return self.o_proj(torch.matmul(weights, v).transpose(1, 2).reshape(*x.shape[:2], -1))
