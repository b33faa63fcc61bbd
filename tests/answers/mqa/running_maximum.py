"""Blocks of three keys with running maximum and running sums (float64), dropout on the numerators only."""

import torch
import torch.nn.functional as F
from torch import nn


class _Running:
    """Numerators, denominators and the maximum so far, each (batch, heads, queries, ...)."""

    def __init__(self, like):
        self.top = like.new_full(like.shape[:-1] + (1,), -1e300)
        self.below = torch.zeros_like(self.top)
        self.above = torch.zeros_like(like)

    def __call__(self, scores, values, drop):
        top = torch.maximum(self.top, scores.amax(-1, keepdim=True)).detach()
        fade, weights = torch.exp(self.top - top), torch.exp(scores - top)
        self.below = self.below * fade + weights.sum(-1, keepdim=True)
        self.above = self.above * fade + torch.einsum("bhqk,bkd->bhqd", drop(weights), values)
        self.top = top


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0):
        super().__init__()
        assert hidden_size % num_heads == 0, f"{num_heads} does not divide {hidden_size}"
        dim = hidden_size // num_heads
        self.q_proj, self.o_proj = nn.Linear(hidden_size, hidden_size), nn.Linear(hidden_size, hidden_size)
        self.k_proj, self.v_proj = nn.Linear(hidden_size, dim), nn.Linear(hidden_size, dim)
        self.num_heads, self.dropout = num_heads, dropout

    def forward(self, x, mask=None):
        q = self.q_proj(x).double().unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        q = q / q.shape[-1] ** 0.5
        k, v = self.k_proj(x).double(), self.v_proj(x).double()
        n = x.shape[1]
        if mask is not None:
            mask = mask.expand(-1, -1, -1, n)
        state = _Running(q)
        for start in range(0, n, 3):
            part = slice(start, start + 3)
            scores = torch.einsum("bhqd,bkd->bhqk", q, k[:, part])
            if mask is not None:
                scores = scores.masked_fill(~mask[..., part], float("-inf"))
            state(scores, v[:, part], lambda w: F.dropout(w, self.dropout, self.training))
        merged = (state.above / state.below).transpose(1, 2).flatten(2)
        return self.o_proj(merged.to(x.dtype))
