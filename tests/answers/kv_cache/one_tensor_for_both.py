"""One tensor holds keys and values, tokens first (results are permuted, non-contiguous views); query by
query attention on prefixes.
"""

import torch
from torch import nn


class KVCache:
    def __init__(self, batch_size, num_kv_heads, max_len, head_dim, dtype=torch.float32):
        self.length = 0
        self.max_len = max_len
        self.store = torch.empty(max_len, 2, batch_size, num_kv_heads, head_dim, dtype=dtype)

    def update(self, key, value):
        stop = self.length + key.shape[2]
        if stop > self.max_len:
            raise ValueError("the cache is full")
        with torch.no_grad():
            self.store[self.length : stop, 0] = key.permute(2, 0, 1, 3)
            self.store[self.length : stop, 1] = value.permute(2, 0, 1, 3)
        self.length = stop
        return self.store[:stop, 0].permute(1, 2, 0, 3), self.store[:stop, 1].permute(1, 2, 0, 3)


class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        if hidden_size % num_heads or num_heads % num_kv_heads:
            raise ValueError("sizes do not divide")
        self.num_heads, self.num_kv_heads, self.base = num_heads, num_kv_heads, base
        self.head_dim = hidden_size // num_heads
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)

    def _turn(self, x, start):
        half = self.head_dim // 2
        m = torch.arange(start, start + x.shape[2], device=x.device, dtype=torch.float64)
        i = torch.arange(half, device=x.device, dtype=torch.float64)
        t = m[:, None] * self.base ** (-2 * i / self.head_dim)
        cos, sin = t.cos().to(x.dtype), t.sin().to(x.dtype)
        a, b = x[..., :half], x[..., half:]
        return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)

    def forward(self, x, cache=None):
        b, new, hidden = x.shape
        start = 0 if cache is None else cache.length
        q = self.q_proj(x).view(b, new, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(b, new, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(b, new, self.num_kv_heads, self.head_dim).transpose(1, 2)
        q, k = self._turn(q, start), self._turn(k, start)
        if cache is not None:
            k, v = cache.update(k, v)
        q = q.reshape(b, self.num_kv_heads, -1, new, self.head_dim)
        rows = []
        for n in range(new):
            seen = start + n + 1
            scores = q[:, :, :, n] @ k[:, :, :seen].mT / self.head_dim**0.5
            rows.append((scores.softmax(-1) @ v[:, :, :seen]).reshape(b, hidden))
        return self.o_proj(torch.stack(rows, dim=1))
