"""One matmul for all three projections over concatenated weights, five dimensions, movedim."""

import dataclasses

import torch
import torch.nn as nn


@dataclasses.dataclass(frozen=True)
class Sizes:
    hidden: int
    heads: int

    def __post_init__(self):
        if self.hidden % self.heads != 0:
            raise ValueError(f"{self.heads} heads do not divide {self.hidden}")

    @property
    def head(self):
        return self.hidden // self.heads


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0):
        super().__init__()
        self.sizes = Sizes(hidden_size, num_heads)
        self.p = dropout
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=True)
        self.k_proj = nn.Linear(hidden_size, hidden_size, bias=True)
        self.v_proj = nn.Linear(hidden_size, hidden_size, bias=True)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=True)

    def forward(self, x, mask=None):
        projections = [self.q_proj, self.k_proj, self.v_proj]
        weight = torch.cat([p.weight for p in projections])
        bias = torch.cat([p.bias for p in projections])
        qkv = torch.addmm(bias, x.flatten(0, 1), weight.t())
        qkv = qkv.view(*x.shape[:2], 3, self.sizes.heads, self.sizes.head).movedim((2, 3), (0, 2))
        query, key, value = qkv.unbind(0)
        logits = torch.matmul(query.div(self.sizes.head**0.5), key.swapaxes(2, 3))
        if mask is not None:
            logits = logits.where(mask, logits.new_tensor(float("-inf")))
        probabilities = torch.exp(torch.log_softmax(logits, dim=3))
        if self.training and self.p > 0:
            kept = torch.rand_like(probabilities) >= self.p
            probabilities = probabilities * kept / (1 - self.p)
        mixed = torch.matmul(probabilities, value).movedim(1, 2)
        return self.o_proj(mixed.flatten(start_dim=2))
