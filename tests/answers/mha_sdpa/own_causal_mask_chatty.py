"""Builds the triangle itself, always hands the built-in a full boolean mask; prints and warns."""

import warnings

import torch
from torch import nn
from torch.nn.functional import linear
from torch.nn.functional import scaled_dot_product_attention as sdpa

torch.manual_seed(0)
warnings.warn("a warning at import", stacklevel=1)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int, dropout: float = 0.0):
        super().__init__()
        if num_heads * (hidden_size // num_heads) != hidden_size:
            raise ValueError(f"{hidden_size} / {num_heads}?")
        self.shape = (num_heads, hidden_size // num_heads)
        self.rate = dropout
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)

    def project(self, x, part):
        weight = self.qkv_proj.weight.chunk(3)[part]
        bias = self.qkv_proj.bias.chunk(3)[part]
        return linear(x, weight, bias).reshape(*x.shape[:2], *self.shape).movedim(2, 1)

    def forward(self, x, mask=None, is_causal=False):
        batch, seq, width = x.shape
        print("attention over", seq, "tokens")
        keep = torch.ones(batch, self.shape[0], seq, seq, dtype=torch.bool, device=x.device)
        if is_causal:
            keep = keep.tril()
        if mask is not None:
            keep = keep & (mask > 0.5)
        rate = self.rate if self.training else 0
        heads = [self.project(x, part) for part in range(3)]
        context = sdpa(*heads, attn_mask=keep, dropout_p=rate)
        return self.o_proj(context.movedim(1, 2).contiguous().view(batch, seq, width))
