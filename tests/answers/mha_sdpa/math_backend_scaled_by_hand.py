"""Allows the plain backend only, whose products are the built-in's own, and does the scaling itself."""

import math

from torch import nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0, *, bias=True):
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError("num_heads")
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.p = dropout
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=bias)

    def _split(self, tensor):
        batch, seq, _ = tensor.size()
        return tensor.view(batch, seq, self.num_heads, -1).transpose(-3, -2).contiguous()

    def forward(self, x, mask=None, is_causal=False):
        qkv = self.qkv_proj(x)
        n = self.hidden_size
        query, key, value = map(self._split, (qkv[:, :, :n], qkv[:, :, n : 2 * n], qkv[:, :, 2 * n :]))
        query = query * (1 / math.sqrt(query.size(-1)))
        if mask is not None:
            mask = mask.ne(0)
        with sdpa_kernel(SDPBackend.MATH):
            context = functional.scaled_dot_product_attention(
                query,
                key,
                value,
                attn_mask=mask,
                dropout_p=self.p if self.training else 0.0,
                is_causal=is_causal,
                scale=1.0,
            )
        context = context.transpose(-3, -2)
        return self.o_proj(context.reshape(*x.size()))
