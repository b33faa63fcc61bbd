"""lm_head made first and shared by the embedding; layers that are ModuleDicts; a loop over heads."""

from math import sqrt

import torch
from torch import nn
from torch.nn.functional import dropout, gelu, linear


def normal(layer: nn.Module, std: float) -> nn.Module:
    with torch.no_grad():
        layer.weight.copy_(torch.randn_like(layer.weight) * std)
        if getattr(layer, "bias", None) is not None:
            layer.bias.fill_(0)
    return layer


class GPT2(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        num_layers: int,
        num_heads: int,
        max_position: int,
        dropout: float = 0.0,
    ):
        super().__init__()
        size, rest = divmod(hidden_size, num_heads)
        if rest:
            raise ValueError(f"{num_heads} heads of {hidden_size} features")
        self.size, self.heads, self.p = size, num_heads, dropout
        self.lm_head = normal(nn.Linear(hidden_size, vocab_size, bias=False), 0.02)
        self.norm = nn.LayerNorm(hidden_size)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            small = 0.02 * (2 * num_layers) ** -0.5
            parts = {
                "up_proj": normal(nn.Linear(hidden_size, 4 * hidden_size), 0.02),
                "down_proj": normal(nn.Linear(4 * hidden_size, hidden_size), small),
                "qkv_proj": normal(nn.Linear(hidden_size, 3 * hidden_size), 0.02),
                "o_proj": normal(nn.Linear(hidden_size, hidden_size), small),
                "norm1": nn.LayerNorm(hidden_size),
                "norm2": nn.LayerNorm(hidden_size),
            }
            self.layers.append(nn.ModuleDict(parts))
        self.position_embedding = normal(nn.Embedding(max_position, hidden_size), 0.02)
        self.token_embedding = nn.Embedding(vocab_size, hidden_size)
        self.token_embedding.weight = self.lm_head.weight

    def drop(self, x):
        return dropout(x, self.p) if self.training and self.p > 0 else x

    def attend(self, layer, x):
        later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).triu(1)
        query, key, value = layer["qkv_proj"](x).tensor_split(3, -1)
        total = layer["o_proj"].bias
        for i in range(self.heads):
            own = slice(i * self.size, (i + 1) * self.size)
            scores = torch.einsum("bqd,bkd->bqk", query[..., own], key[..., own]) / sqrt(self.size)
            weights = self.drop(scores.masked_fill(later, -torch.inf).softmax(-1))
            total = total + linear(weights @ value[..., own], layer["o_proj"].weight[:, own])
        return total

    def forward(self, token_ids):
        length = token_ids.shape[-1]
        if length > len(self.position_embedding.weight):
            raise ValueError("too long")
        x = self.drop(self.token_embedding(token_ids) + self.position_embedding.weight[:length])
        for layer in self.layers:
            x = x + self.drop(self.attend(layer, layer["norm1"](x)))
            hidden = gelu(layer["up_proj"](layer["norm2"](x)), approximate="tanh")
            x = x + self.drop(layer["down_proj"](hidden))
        return self.lm_head(self.norm(x))
