"""PyTorch's own lower-right bias; tokens before heads in the storage, of which update gives copies."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention.bias import causal_lower_right


class Cached(NamedTuple):
    key: Tensor
    value: Tensor


class KVCache:
    def __init__(self, batch_size, num_kv_heads, max_len, head_dim, dtype=torch.float32):
        self.length = 0
        self.storage = {
            name: torch.full((batch_size, max_len, num_kv_heads, head_dim), float("nan"), dtype=dtype)
            for name in ("key", "value")
        }

    def update(self, key, value):
        free = self.storage["key"].shape[1] - self.length
        if key.shape[2] > free:
            raise ValueError(f"only {free} tokens fit")
        for name, tensor in (("key", key), ("value", value)):
            place = self.storage[name].narrow(1, self.length, tensor.shape[2])
            place.copy_(tensor.transpose(1, 2))
        self.length += key.shape[2]
        return Cached(*(t[:, : self.length].transpose(1, 2).clone() for t in self.storage.values()))


class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        if hidden_size % num_heads or num_heads % num_kv_heads:
            raise ValueError("sizes do not divide")
        self.num_heads, self.num_kv_heads, self.base = num_heads, num_kv_heads, base
        self.head_dim = hidden_size // num_heads
        kv_size = num_kv_heads * self.head_dim
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, kv_size, bias=False)
        self.v_proj = nn.Linear(hidden_size, kv_size, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.register_buffer("cos", torch.empty(0, self.head_dim), persistent=False)
        self.register_buffer("sin", torch.empty(0, self.head_dim), persistent=False)

    def grow_tables(self, length):
        if length > len(self.cos):
            inv_freq = 1.0 / (self.base ** (torch.arange(0, self.head_dim, 2).float() / self.head_dim))
            angles = torch.arange(2 * length).float().outer(inv_freq).repeat(1, 2)
            self.cos, self.sin = angles.cos(), angles.sin()

    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        past = cache.length if cache is not None else 0
        self.grow_tables(past + new)
        cos = self.cos[past : past + new].to(x.dtype)
        sin = self.sin[past : past + new].to(x.dtype)

        def rope(t):
            a, b = t.chunk(2, dim=-1)
            return t * cos + torch.cat([-b, a], dim=-1) * sin

        q = rope(self.q_proj(x).view(batch, new, self.num_heads, -1).transpose(1, 2))
        k = rope(self.k_proj(x).view(batch, new, self.num_kv_heads, -1).transpose(1, 2))
        v = self.v_proj(x).view(batch, new, self.num_kv_heads, -1).transpose(1, 2)
        if cache is not None:
            k, v = cache.update(k, v)
        k, v = (t.repeat_interleave(self.num_heads // self.num_kv_heads, dim=1) for t in (k, v))
        out = F.scaled_dot_product_attention(q, k, v, causal_lower_right(new, past + new))
        return self.o_proj(out.transpose(1, 2).reshape(batch, new, -1))
