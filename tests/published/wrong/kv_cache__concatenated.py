# mask-left-out-behind-a-prefix + concatenated
"""A cache that grows by torch.cat, and attention that masks only where there is no prefix."""

import torch
from torch import nn
from torch.nn import functional as F


class KVCache:
    def __init__(self, batch_size, num_kv_heads, max_len, head_dim, dtype=torch.float32):
        self.k = torch.zeros(batch_size, num_kv_heads, 0, head_dim, dtype=dtype)
        self.v = self.k
        self.max_len = max_len

    @property
    def length(self):
        return self.k.shape[2]

    def update(self, key, value):
        if self.length + key.shape[2] > self.max_len:
            raise ValueError("the cache is full")
        self.k, self.v = torch.cat([self.k, key], dim=2), torch.cat([self.v, value], dim=2)
        return self.k, self.v


class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        if hidden_size % num_heads or num_heads % num_kv_heads:
            raise ValueError("heads do not divide")
        self.size, self.base = hidden_size // num_heads, base
        self.q_proj, self.o_proj = (nn.Linear(hidden_size, hidden_size, bias=False) for _ in range(2))
        self.k_proj, self.v_proj = (
            nn.Linear(hidden_size, num_kv_heads * self.size, bias=False) for _ in range(2)
        )

    def rotate(self, x, start):
        half = self.size // 2
        angles = torch.outer(
            torch.arange(start, start + x.shape[2], dtype=torch.float64),
            self.base ** (-torch.arange(half, dtype=torch.float64) / half),
        )
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)

    def forward(self, x, cache=None):
        b, t, c = x.shape
        start = 0 if cache is None else cache.length
        q, k, v = (
            layer(x).view(b, t, -1, self.size).transpose(1, 2)
            for layer in (self.q_proj, self.k_proj, self.v_proj)
        )
        q, k = self.rotate(q, start), self.rotate(k, start)
        if cache is not None:
            k, v = cache.update(k, v)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=start == 0, enable_gqa=True)
        return self.o_proj(y.transpose(1, 2).reshape(b, t, c))
