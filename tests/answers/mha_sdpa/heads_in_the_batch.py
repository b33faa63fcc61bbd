"""Heads folded into the batch (three-dimensional call), the causal case as an explicit mask."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0):
        if hidden_size % num_heads != 0:
            raise ValueError("hidden_size must be a multiple of num_heads")
        super().__init__()
        self.num_heads = num_heads
        self.dropout = dropout
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)

    def forward(self, x, mask=None, is_causal=False):
        b, s, c = x.size()
        h, d = self.num_heads, c // self.num_heads
        folded = [
            t.contiguous().view(b, s, h, d).transpose(1, 2).contiguous().view(b * h, s, d)
            for t in torch.split(self.qkv_proj(x), c, dim=2)
        ]
        if is_causal:
            mask = torch.ones(1, 1, s, s, dtype=torch.bool, device=x.device).tril()
        if mask is not None:
            mask = (mask != 0).expand(b, h, s, s).reshape(b * h, s, s)
        y = torch.nn.functional.scaled_dot_product_attention(
            *folded, attn_mask=mask, dropout_p=self.dropout if self.training else 0.0
        )
        return self.o_proj(y.reshape(b, h, s, d).transpose(1, 2).contiguous().view(b, s, c))
