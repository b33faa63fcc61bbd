"""One reshape to (3, batch, heads, seq, head_dim), an additive mask, nn.Dropout only as a holder of p."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0):
        super().__init__()
        assert hidden_size % num_heads == 0, "heads must divide the features"
        self.heads = num_heads
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None, is_causal=False):
        qkv = self.qkv_proj(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        bias = None
        if mask is not None:
            bias = torch.zeros(mask.shape, dtype=x.dtype, device=x.device)
            bias = bias.masked_fill(mask == 0, -math.inf)
        p = self.drop.p * self.training
        out = F.scaled_dot_product_attention(*qkv.unbind(0), bias, p, is_causal)
        return self.o_proj(out.permute(0, 2, 1, 3).flatten(2))
