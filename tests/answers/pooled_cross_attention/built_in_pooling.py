"""The built-in pooling, of tokens and of the mask; the fused attention."""

import torch
import torch.nn.functional as F
from torch import nn


class PooledCrossAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, stride, dropout=0.0):
        super().__init__()
        assert hidden_size % num_heads == 0
        self.num_heads, self.p = num_heads, dropout
        self.pool = nn.AvgPool1d(stride, ceil_mode=True)
        for name in "qkvo":
            self.add_module(f"{name}_proj", nn.Linear(hidden_size, hidden_size))

    def means(self, x):
        return self.pool(x.transpose(1, 2)).transpose(1, 2)

    def heads(self, x):
        return x.unflatten(2, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x, context, padding_mask=None):
        mask = None
        if padding_mask is None:
            context = self.means(context)
        else:
            keep = padding_mask.unsqueeze(2).to(context.dtype)
            share = self.means(keep)
            context = self.means(context * keep) / torch.where(share > 0, share, 1)
            mask = (share > 0).transpose(1, 2).unsqueeze(1)
        query, key, value = map(self.heads, (self.q_proj(x), self.k_proj(context), self.v_proj(context)))
        p = self.p if self.training else 0.0
        out = F.scaled_dot_product_attention(query, key, value, mask, dropout_p=p)
        return self.o_proj(out.transpose(1, 2).flatten(2))
