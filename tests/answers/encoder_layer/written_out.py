"""Attention written out with an additive bias; one fused matrix for query, key and value; a list of parts."""

import math

import torch
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(
        self, hidden_size, num_heads, intermediate_size, dropout=0.0, activation="relu", norm_first=False
    ):
        super().__init__()
        assert hidden_size % num_heads == 0, "heads"
        assert activation in ("relu", "gelu"), activation
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            self.add_module(name, nn.Linear(hidden_size, hidden_size))
        self.norm2, self.norm1 = nn.LayerNorm(hidden_size), nn.LayerNorm(hidden_size)
        self.down_proj = nn.Linear(intermediate_size, hidden_size)
        self.up_proj = nn.Linear(hidden_size, intermediate_size)
        self.act = nn.ReLU() if activation == "relu" else nn.GELU()
        self.drops = nn.ModuleList(nn.Dropout(dropout) for _ in range(4))
        self.heads, self.first = num_heads, norm_first

    def attend(self, x, mask):
        weight = torch.cat([self.q_proj.weight, self.k_proj.weight, self.v_proj.weight])
        bias = torch.cat([self.q_proj.bias, self.k_proj.bias, self.v_proj.bias])
        q, k, v = (x @ weight.T + bias).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores + torch.zeros(mask.shape, dtype=x.dtype, device=x.device).masked_fill(
                ~mask, -torch.inf
            )
        weights = self.drops[0](scores.softmax(-1))
        return self.o_proj(torch.einsum("bhqk,bhkd->bqhd", weights, v).flatten(2))

    def forward(self, x, mask=None):
        parts = [
            (self.norm1, lambda y: self.attend(y, mask), self.drops[1]),
            (self.norm2, lambda y: self.down_proj(self.drops[2](self.act(self.up_proj(y)))), self.drops[3]),
        ]
        for norm, part, drop in parts:
            x = x + drop(part(norm(x))) if self.first else norm(x + drop(part(x)))
        return x
