"""Expands the key/value heads and flattens them into the query heads."""

import torch
from torch import nn
from torch.nn import functional as F


def repeat_kv(states, n_rep):
    b, heads, length, size = states.shape
    return states[:, :, None].expand(b, heads, n_rep, length, size).reshape(b, heads * n_rep, length, size)


class GroupedQueryAttention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, p=0.0):
        super().__init__()
        if dim % n_heads or n_heads % n_kv_heads:
            raise ValueError("heads do not divide")
        self.size, self.n_rep, self.p = dim // n_heads, n_heads // n_kv_heads, p
        self.q_proj, self.o_proj = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.k_proj, self.v_proj = (nn.Linear(dim, n_kv_heads * self.size) for _ in range(2))

    def forward(self, x, attn_mask=None):
        b, t, _ = x.shape
        xq, xk, xv = (
            layer(x).view(b, t, -1, self.size).transpose(1, 2)
            for layer in (self.q_proj, self.k_proj, self.v_proj)
        )
        xk, xv = repeat_kv(xk, self.n_rep), repeat_kv(xv, self.n_rep)
        scores = torch.matmul(xq, xk.transpose(2, 3)) * self.size**-0.5
        if attn_mask is not None:
            bias = torch.zeros_like(scores).masked_fill(~attn_mask, float("-inf"))
            scores = scores + bias
        scores = F.dropout(F.softmax(scores, dim=-1), p=self.p, training=self.training)
        return self.o_proj((scores @ xv).transpose(1, 2).contiguous().view(b, t, -1))
