"""Einsum without a head dimension on keys and values, the softmax and the dropout written out."""

import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0):
        super().__init__()
        assert hidden_size % num_heads == 0, (hidden_size, num_heads)
        self.h, self.p = num_heads, dropout
        head_dim = hidden_size // num_heads
        for name, size in dict(o=hidden_size, v=head_dim, k=head_dim, q=hidden_size).items():
            setattr(self, f"{name}_proj", nn.Linear(hidden_size, size))
        self.register_buffer("scale", torch.tensor(head_dim).rsqrt())  # float32, whatever x is

    def forward(self, x, mask=None):
        q = self.q_proj(x).unflatten(2, (self.h, -1))
        scores = torch.einsum("bqhd,bkd->bhqk", q, self.k_proj(x)) * self.scale
        if mask is not None:
            scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
        exps = torch.exp(scores - scores.amax(-1, True))
        weights = exps / exps.sum(-1, True)
        if self.training:
            weights = weights * torch.bernoulli(torch.full_like(weights, 1 - self.p)) / (1 - self.p)
        return self.o_proj(torch.einsum("bhqk,bkd->bqhd", weights, self.v_proj(x)).flatten(2))
