"""One call of the built-in for each head, through torch.ops; the output weight is applied head by head."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0):
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError("hidden_size must be a multiple of num_heads")
        self.num_heads, self.dropout = num_heads, float(dropout)
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)

    def forward(self, x, mask=None, is_causal=False):
        q, k, v = torch.split(self.qkv_proj(x), x.shape[-1], dim=-1)
        width = x.shape[-1] // self.num_heads
        result = self.o_proj.bias
        for i in range(self.num_heads):
            own = slice(i * width, (i + 1) * width)
            keep = None
            if mask is not None:
                keep = mask[:, i if mask.shape[1] > 1 else 0].to(torch.bool)
            context = torch.ops.aten.scaled_dot_product_attention(
                q[..., own],
                k[..., own],
                v[..., own],
                keep,
                self.dropout if self.training else 0.0,
                is_causal,
            )
            result = result + context @ self.o_proj.weight[:, own].T
        return result
