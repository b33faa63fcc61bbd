"""Queries in groups by einsum, nothing repeated; a rotation module per layer, its float32 tables grow."""

import torch
from torch import Tensor, einsum, nn


class Rotary(nn.Module):
    def __init__(self, dim: int, base: float):
        super().__init__()
        inverse = 1.0 / (base ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim))
        self.register_buffer("inv_freq", inverse, persistent=False)
        self.cached: tuple[Tensor, Tensor] | None = None

    def forward(self, x: Tensor) -> Tensor:
        seq = x.shape[1]
        if self.cached is None or len(self.cached[0]) < seq or self.cached[0].device != x.device:
            places = torch.arange(2 * seq, device=x.device).float()
            angles = torch.outer(places, self.inv_freq.float().to(x.device))
            self.cached = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)
        cos, sin = (table[:seq].view(1, seq, *[1] * (x.dim() - 3), -1).to(x.dtype) for table in self.cached)
        half = x.shape[-1] // 2
        return x * cos + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sin


class Attention(nn.Module):
    """Its projections stand in the layer: this one only computes."""

    def __init__(self, heads: int, kv_heads: int, dim: int, base: float):
        super().__init__()
        self.shape, self.rotary = (kv_heads, heads // kv_heads, dim), Rotary(dim, base)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        kv, groups, dim = self.shape
        q = self.rotary(q.unflatten(2, (kv, groups, dim)))
        k, v = self.rotary(k.unflatten(2, (kv, dim))), v.unflatten(2, (kv, dim))
        scores = einsum("bikgd,bjkd->bkgij", q, k) * dim**-0.5
        bias = torch.full(scores.shape[-2:], -1e30, dtype=q.dtype, device=q.device).triu(1)
        return einsum("bkgij,bjkd->bikgd", (scores + bias).softmax(-1), v).flatten(2)


class Layer(nn.Module):
    def __init__(self, n: int, heads: int, kv_heads: int, width: int, base: float, eps: float):
        super().__init__()
        dim = n // heads
        self.attention = Attention(heads, kv_heads, dim, base)
        self.q_proj, self.o_proj = nn.Linear(n, n, False), nn.Linear(n, n, False)
        self.k_proj, self.v_proj = (nn.Linear(n, kv_heads * dim, False) for _ in range(2))
        self.gate_proj, self.up_proj = (nn.Linear(n, width, False) for _ in range(2))
        self.down_proj = nn.Linear(width, n, False)
        self.norm1, self.norm2 = (nn.RMSNorm(n, eps) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm1(x)
        x = x + self.o_proj(self.attention(self.q_proj(y), self.k_proj(y), self.v_proj(y)))
        y = self.norm2(x)
        gate = self.gate_proj(y)
        return self.down_proj(gate * gate.sigmoid() * self.up_proj(y)) + x


class Llama(nn.Module):
    def __init__(self, words, n, depth, heads, kv_heads, width, base=10000.0, eps=1e-5):
        super().__init__()
        for bad in (n % heads, heads % kv_heads, (n // heads) % 2):
            if bad:
                raise ValueError("sizes that do not fit")
        self.token_embedding, self.norm = nn.Embedding(words, n), nn.RMSNorm(n, eps)
        layers = [Layer(n, heads, kv_heads, width, base, eps) for _ in range(depth)]
        self.layers, self.lm_head = nn.Sequential(*layers), nn.Linear(n, words, False)

    def forward(self, token_ids):
        return self.lm_head(self.norm(self.layers(self.token_embedding(token_ids))))
