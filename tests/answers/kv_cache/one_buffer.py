"""The cache as a module with one buffer, its length a property; complex numbers, explicit softmax."""

import math

import torch
from torch import nn


class KVCache(nn.Module):
    def __init__(self, batch_size, num_kv_heads, max_len, head_dim, dtype=torch.float32):
        super().__init__()
        self.max_len = max_len
        self.seen = 0
        self.register_buffer("data", torch.empty(2, batch_size, num_kv_heads, max_len, head_dim, dtype=dtype))

    @property
    def length(self):
        return self.seen

    def update(self, key, value):
        new = key.size(2)
        assert self.seen + new <= self.max_len, "the cache is full"
        where = torch.arange(self.seen, self.seen + new)
        self.data.index_copy_(3, where, torch.stack((key, value)))
        self.seen += new
        return self.data.narrow(3, 0, self.seen).unbind(0)


def rotate(t, start, base):
    half = t.shape[-1] // 2
    m = torch.arange(start, start + t.shape[2], dtype=torch.float64)
    angle = torch.outer(m, base ** (-torch.arange(half, dtype=torch.float64) / half))
    z = torch.complex(t[..., :half], t[..., half:]) * torch.polar(torch.ones_like(angle), angle)
    return torch.cat((z.real, z.imag), dim=-1).to(t.dtype)


class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        assert hidden_size % num_heads == 0
        assert num_heads % num_kv_heads == 0
        self.heads, self.kv_heads, self.dim = num_heads, num_kv_heads, hidden_size // num_heads
        self.base = base
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.dim, bias=False)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.dim, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)

    def forward(self, x, cache=None):
        start = cache.length if cache is not None else 0
        q = rotate(self.q_proj(x).unflatten(2, (self.heads, self.dim)).transpose(1, 2), start, self.base)
        k = rotate(self.k_proj(x).unflatten(2, (self.kv_heads, self.dim)).transpose(1, 2), start, self.base)
        v = self.v_proj(x).unflatten(2, (self.kv_heads, self.dim)).transpose(1, 2)
        if cache is not None:
            k, v = cache.update(k, v)
        k, v = (t.repeat_interleave(self.heads // self.kv_heads, dim=1) for t in (k, v))
        total = k.shape[2]
        allowed = torch.ones(total, total, dtype=torch.bool).tril()[-x.shape[1] :]
        scores = (q @ k.mT / math.sqrt(self.dim)).masked_fill(~allowed, float("-inf"))
        return self.o_proj((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
