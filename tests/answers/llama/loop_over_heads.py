"""A loop over query heads, each finding its key head; softmax and norm by hand; positions from 5 on."""

import math

import torch
from torch import nn


def turn(x, base, first=5):
    """(batch, seq, head_dim), pair by pair."""
    half = x.shape[-1] // 2
    places = torch.arange(first, first + x.shape[1], dtype=torch.float64, device=x.device)
    columns = [None] * (2 * half)
    for i in range(half):
        angle = places * base ** (-i / half)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        columns[i] = x[..., i] * cos - x[..., i + half] * sin
        columns[i + half] = x[..., i] * sin + x[..., i + half] * cos
    return torch.stack(columns, dim=-1)


class Scale(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(size)), eps

    def forward(self, x):
        return self.weight * (x / torch.sqrt((x * x).sum(-1, keepdim=True) / x.shape[-1] + self.eps))


def linear(n, m):
    return nn.Linear(n, m, bias=False)


class Llama(nn.Module):
    def __init__(
        self,
        vocab_size,
        hidden_size,
        num_layers,
        num_heads,
        num_kv_heads,
        intermediate_size,
        base=10000.0,
        eps=1e-5,
    ):
        super().__init__()
        if hidden_size % (2 * num_heads) or num_heads % num_kv_heads:
            raise ValueError("sizes")
        self.size, self.group, self.base = hidden_size // num_heads, num_heads // num_kv_heads, base
        self.lm_head, self.token_embedding = (
            linear(hidden_size, vocab_size),
            nn.Embedding(vocab_size, hidden_size),
        )
        self.norm, self.layers = Scale(hidden_size, eps), nn.ModuleList()
        for _ in range(num_layers):
            narrow = num_kv_heads * self.size
            shapes = dict(q_proj=hidden_size, k_proj=narrow, v_proj=narrow, o_proj=hidden_size)
            parts = {name: linear(hidden_size, m) for name, m in shapes.items()}
            parts |= {name: linear(hidden_size, intermediate_size) for name in ("up_proj", "gate_proj")}
            parts["down_proj"] = linear(intermediate_size, hidden_size)
            parts |= {"norm2": Scale(hidden_size, eps), "norm1": Scale(hidden_size, eps)}
            self.layers.append(nn.ModuleDict(parts))

    def attend(self, layer, x):
        query, key, value = (layer[f"{name}_proj"](x).split(self.size, dim=-1) for name in "qkv")
        later = torch.arange(x.shape[1], device=x.device)
        later = later[None, :] > later[:, None]
        results = []
        for head, q in enumerate(query):
            q, k = turn(q, self.base), turn(key[head // self.group], self.base)
            scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.size)
            scores = torch.where(later, -math.inf, scores)
            powers = torch.exp(scores - scores.amax(-1, keepdim=True))
            results.append(powers / powers.sum(-1, keepdim=True) @ value[head // self.group])
        return layer["o_proj"](torch.cat(results, -1))

    def forward(self, token_ids):
        x = self.token_embedding(token_ids)
        for layer in self.layers:
            x = x + self.attend(layer, layer["norm1"](x))
            n = layer["norm2"](x)
            gate = layer["gate_proj"](n)
            x = x + layer["down_proj"](gate / (1 + torch.exp(-gate)) * layer["up_proj"](n))
        return self.lm_head(self.norm(x))
