"""One sequence and one head at a time, masks expanded at once, keys kept as attributes during the call."""

import math

import torch
from torch import nn


class HeadByHead(nn.Module):
    def __init__(self, size, heads, p):
        super().__init__()
        if size % heads:
            raise ValueError(f"{heads} heads for {size} features")
        self.q_proj, self.k_proj = nn.Linear(size, size), nn.Linear(size, size)
        self.v_proj, self.o_proj = nn.Linear(size, size), nn.Linear(size, size)
        self.heads, self.drop = heads, nn.Dropout(p)

    def forward(self, x, source, mask=None):
        print("attending", x.shape, source.shape)
        width = x.shape[2] // self.heads
        if mask is None:
            mask = torch.ones((), dtype=torch.bool, device=x.device).reshape(1, 1, 1, 1)
        mask = mask.expand(len(x), self.heads, x.shape[1], source.shape[1])
        rows = []
        for one, other, allowed in zip(x, source, mask, strict=True):
            q, k, v = self.q_proj(one), self.k_proj(other), self.v_proj(other)
            results = []
            for i, (a, b, c) in enumerate(
                zip(q.split(width, 1), k.split(width, 1), v.split(width, 1), strict=True)
            ):
                scores = a.div(math.sqrt(width)).mm(b.t())
                scores = torch.where(allowed[i], scores, torch.full_like(scores, -math.inf))
                results.append(self.drop(torch.softmax(scores, 1)).mm(c))
            rows.append(self.o_proj(torch.cat(results, dim=1)))
        return torch.stack(rows)


class DecoderLayer(nn.Module):
    def __init__(
        self, hidden_size, num_heads, intermediate_size, dropout=0.0, activation="relu", norm_first=False
    ):
        super().__init__()
        self.self_attn = HeadByHead(hidden_size, num_heads, dropout)
        self.cross_attn = HeadByHead(hidden_size, num_heads, dropout)
        self.up_proj, self.down_proj = (
            nn.Linear(hidden_size, intermediate_size),
            nn.Linear(intermediate_size, hidden_size),
        )
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(hidden_size) for _ in range(3))
        if activation == "relu":
            self.act = nn.ReLU()
        elif activation == "gelu":
            self.act = nn.GELU(approximate="none")
        else:
            raise ValueError(activation)
        self.drop = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, memory, mask=None, memory_mask=None):
        x = self.step(x, self.norm1, lambda y: self.self_attn(y, y, mask))
        x = self.step(x, self.norm2, lambda y: self.cross_attn(y, memory, memory_mask))
        return self.step(x, self.norm3, lambda y: self.down_proj(self.drop(self.act(self.up_proj(y)))))

    def step(self, x, norm, part):
        before = norm if self.norm_first else nn.Identity()
        after = nn.Identity() if self.norm_first else norm
        return after(x + self.drop(part(before(x))))
