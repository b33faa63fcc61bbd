"""Storage made in the first update; complex numbers turn the pairs; sdpa with a boolean mask and
repeat_interleave.
"""

import torch
import torch.nn.functional as F
from torch import nn


class KVCache:
    def __init__(self, batch_size, num_kv_heads, max_len, head_dim, dtype=torch.float32):
        self._shape = (batch_size, num_kv_heads, max_len, head_dim)
        self._kind = {"dtype": dtype, "device": torch.empty(0).device}
        self._keys = self._values = None
        self.length = 0

    @torch.no_grad()
    def update(self, key, value):
        new = key.size(2)
        assert self.length + new <= self._shape[2], "no room"
        if self._keys is None:
            self._keys = torch.zeros(self._shape, **self._kind)
            self._values = torch.zeros(self._shape, **self._kind)
        self._keys.narrow(2, self.length, new).copy_(key)
        self._values.narrow(2, self.length, new).copy_(value)
        self.length += new
        return self._keys.narrow(2, 0, self.length), self._values.narrow(2, 0, self.length)


def _turn(x, start, base):
    half = x.size(-1) // 2
    m = torch.arange(start, start + x.size(2), device=x.device).to(torch.float64)
    rate = torch.pow(float(base), torch.arange(half, device=x.device).to(torch.float64) * (-1.0 / half))
    unit = torch.polar(torch.ones_like(torch.outer(m, rate)), torch.outer(m, rate))
    wide = x.double()
    z = torch.complex(wide[..., :half], wide[..., half:]) * unit
    return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)


class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        assert hidden_size % num_heads == 0
        assert num_heads % num_kv_heads == 0
        d = hidden_size // num_heads
        self.heads, self.groups, self.base = (num_heads, num_kv_heads), num_heads // num_kv_heads, base
        for name, outputs in (
            ("q_proj", hidden_size),
            ("k_proj", num_kv_heads * d),
            ("v_proj", num_kv_heads * d),
            ("o_proj", hidden_size),
        ):
            self.add_module(name, nn.Linear(hidden_size, outputs, bias=False))

    def forward(self, x, cache=None):
        past = cache.length if cache is not None else 0
        q = self.q_proj(x).unflatten(-1, (self.heads[0], -1)).movedim(2, 1)
        k = self.k_proj(x).unflatten(-1, (self.heads[1], -1)).movedim(2, 1)
        v = self.v_proj(x).unflatten(-1, (self.heads[1], -1)).movedim(2, 1)
        q, k = _turn(q, past, self.base), _turn(k, past, self.base)
        if cache is not None:
            k, v = cache.update(key=k, value=v)
        k = k.repeat_interleave(self.groups, dim=1)
        v = v.repeat_interleave(self.groups, dim=1)
        see = torch.ones(q.size(2), k.size(2), dtype=torch.bool, device=x.device).tril(diagonal=past)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=see)
        return self.o_proj(y.movedim(1, 2).flatten(2))
