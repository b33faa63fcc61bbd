"""Norm, linear layer and tied head written by hand; a list of residual branches; an additive mask."""

import torch
from torch import Tensor, nn
from torch.nn import Parameter


class Norm(nn.Module):
    def __init__(self, n: int):
        super().__init__()
        self.weight, self.bias = Parameter(torch.ones(n)), Parameter(torch.zeros(n))

    def forward(self, x: Tensor) -> Tensor:
        var, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        return torch.addcmul(self.bias, (x - mean) * (var + 1e-5).rsqrt(), self.weight)


class Dense(nn.Module):
    def __init__(self, n: int, m: int, std: float = 0.02):
        super().__init__()
        self.weight = Parameter(torch.normal(0.0, std, (m, n)))
        self.bias = Parameter(torch.zeros(m))

    def forward(self, x: Tensor) -> Tensor:
        return torch.einsum("...n,mn->...m", x, self.weight) + self.bias


class Table(nn.Module):
    def __init__(self, rows: int, n: int):
        super().__init__()
        self.weight = Parameter(0.02 * torch.randn(rows, n))


class Layer(nn.Module):
    def __init__(self, n: int, heads: int, p: float, depth: int):
        super().__init__()
        self.norm1, self.norm2 = Norm(n), Norm(n)
        self.qkv_proj, self.up_proj = Dense(n, 3 * n), Dense(n, 4 * n)
        std = 0.02 / (2 * depth) ** 0.5
        self.o_proj, self.down_proj = Dense(n, n, std), Dense(4 * n, n, std)
        self.heads, self.drop = heads, nn.Dropout(p)

    def attention(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv_proj(self.norm1(x)).unflatten(-1, (3, self.heads, -1)).unbind(2)  # (b, s, h, d)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5
        places = torch.arange(x.shape[1], device=x.device)
        bias = torch.zeros_like(scores[0, 0]).masked_fill(places[None] > places[:, None], -1e30)
        weights = self.drop(torch.softmax(scores + bias, dim=3))
        return self.o_proj(torch.einsum("bhqk,bkhd->bqhd", weights, v).reshape(x.shape))

    def network(self, x: Tensor) -> Tensor:
        return self.down_proj(nn.GELU("tanh")(self.up_proj(self.norm2(x))))

    def forward(self, x: Tensor) -> Tensor:
        for branch in (self.attention, self.network):
            x = x + self.drop(branch(x))
        return x


class GPT2(nn.Module):
    def __init__(self, vocab_size, hidden_size, num_layers, num_heads, max_position, dropout=0.0):
        super().__init__()
        if hidden_size // num_heads * num_heads != hidden_size:
            raise ValueError("heads")
        self.position_embedding, self.token_embedding = (
            Table(rows, hidden_size) for rows in (max_position, vocab_size)
        )
        layers = [Layer(hidden_size, num_heads, dropout, num_layers) for _ in range(num_layers)]
        self.layers, self.norm, self.drop = nn.ModuleList(layers), Norm(hidden_size), nn.Dropout(dropout)

    def forward(self, token_ids):
        words, places = self.token_embedding.weight, self.position_embedding.weight
        if token_ids.size(1) > places.size(0):
            raise ValueError(f"{token_ids.size(1)} tokens")
        x = self.drop(words[token_ids] + places[None, : token_ids.size(1)])
        for layer in self.layers:
            x = layer(x)
        return torch.matmul(self.norm(x), words.mT)
