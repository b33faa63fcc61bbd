"""Pairs turned as complex numbers, tables made once; nn.RMSNorm; the fused function groups the heads."""

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, d, n, k, m, eps):
        super().__init__()
        self.hd = d // n
        self.norm1, self.norm2 = nn.RMSNorm(d, eps=eps), nn.RMSNorm(d, eps)
        sizes = {"q": (d, d), "k": (d, k * self.hd), "v": (d, k * self.hd), "o": (d, d)}
        sizes |= {"gate": (d, m), "up": (d, m), "down": (m, d)}
        for name, (fan_in, fan_out) in sizes.items():
            setattr(self, f"{name}_proj", nn.Linear(fan_in, fan_out, bias=False))

    def heads(self, x):
        return x.unflatten(-1, (-1, self.hd))  # (batch, seq, heads, head_dim)

    def rotate(self, x, cis):
        z = torch.complex(*x.unflatten(-1, (2, -1)).unbind(-2)) * cis[: x.size(1), None]
        return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)

    def forward(self, x, cis):
        y = self.norm1(x)
        q = self.rotate(self.heads(self.q_proj(y)), cis)
        k = self.rotate(self.heads(self.k_proj(y)), cis)
        v = self.heads(self.v_proj(y))
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.o_proj(out.transpose(1, 2).flatten(2))
        z = self.norm2(x)
        return x + self.down_proj(self.up_proj(z) * F.silu(self.gate_proj(z)))


class Llama(nn.Module):
    def __init__(self, vocab, d, layers, n, k, m, theta=10000.0, eps=1e-5):
        super().__init__()
        assert d % n == 0 and n % k == 0 and (d // n) % 2 == 0
        self.token_embedding = nn.Embedding(vocab, d)
        self.layers = nn.ModuleList(Block(d, n, k, m, eps) for _ in range(layers))
        self.norm = nn.RMSNorm(d, eps)
        self.lm_head = nn.Linear(d, vocab, bias=False)
        frequencies = theta ** (-torch.arange(0, d // n, 2).double() / (d // n))
        angles = torch.outer(torch.arange(512).double(), frequencies)
        # No buffer: to(float64) would take the imaginary part away.
        self.cis = torch.polar(torch.ones_like(angles), angles)

    def forward(self, ids):
        x = self.token_embedding(ids)
        for block in self.layers:
            x = block(x, self.cis)
        return self.lm_head(self.norm(x))
