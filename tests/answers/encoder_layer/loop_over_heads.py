"""A loop over heads, the output projection head by head, norms and GELU by hand."""

import torch
import torch.nn.functional as F
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(
        self, hidden_size, num_heads, intermediate_size, dropout=0.0, activation="relu", norm_first=False
    ):
        super().__init__()
        if hidden_size % num_heads or activation not in {"relu", "gelu"}:
            raise ValueError("bad configuration")
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.up_proj = nn.Linear(hidden_size, intermediate_size)
        self.down_proj = nn.Linear(intermediate_size, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size)
        self.norm2 = nn.LayerNorm(hidden_size)
        self.num_heads, self.p, self.activation, self.norm_first = num_heads, dropout, activation, norm_first

    def drop(self, x):
        return F.dropout(x, self.p, self.training)

    def norm(self, x, layer):
        centered = x - x.mean(-1, keepdim=True)
        return (
            centered * torch.rsqrt(centered.pow(2).mean(-1, keepdim=True) + 1e-5) * layer.weight + layer.bias
        )

    def first(self, x, mask):
        size = x.shape[-1] // self.num_heads
        total = self.o_proj.bias
        for head in range(self.num_heads):
            own = slice(head * size, (head + 1) * size)
            query, key, value = (
                F.linear(x, layer.weight[own], layer.bias[own])
                for layer in (self.q_proj, self.k_proj, self.v_proj)
            )
            scores = query @ key.mT * size**-0.5
            if mask is not None:
                allowed = mask[:, head if mask.shape[1] > 1 else 0]
                scores = torch.where(allowed, scores, torch.finfo(scores.dtype).min)
            total = total + self.drop(scores.softmax(-1)) @ value @ self.o_proj.weight[:, own].T
        return self.drop(total)

    def second(self, x):
        hidden = self.up_proj(x)
        if self.activation == "relu":
            hidden = hidden.clamp(min=0)
        else:
            hidden = hidden / 2 * (1 + torch.erf(hidden / 2**0.5))
        return self.drop(self.down_proj(self.drop(hidden)))

    def forward(self, x, mask=None):
        if not self.norm_first:
            x = self.norm(x + self.first(x, mask), self.norm1)
            return self.norm(x + self.second(x), self.norm2)
        x = x + self.first(self.norm(x, self.norm1), mask)
        return x + self.second(self.norm(x, self.norm2))
