"""Modules that only hold weights; everything else is in functions. Attention by einsum, masks as a bias."""

import torch
import torch.nn.functional as F
from torch import nn


class Projections(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.o_proj, self.v_proj, self.k_proj, self.q_proj = [nn.Linear(size, size) for _ in range(4)]


def attention(p, heads, asking, answering, mask, dropout):
    q, k, v = (
        layer(x).unflatten(-1, (heads, -1))
        for layer, x in ((p.q_proj, asking), (p.k_proj, answering), (p.v_proj, answering))
    )
    scores = torch.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    scores = scores - scores.max(dim=-1, keepdim=True).values
    weights = scores.exp() / scores.exp().sum(-1, keepdim=True)
    return p.o_proj(torch.einsum("bhts,bshd->bthd", dropout(weights), v).flatten(-2))


class DecoderLayer(nn.Module):
    def __init__(
        self, hidden_size, num_heads, intermediate_size, dropout=0.0, activation="relu", norm_first=False
    ):
        assert hidden_size % num_heads == 0
        assert activation in ("relu", "gelu")
        super().__init__()
        self.self_attn, self.cross_attn = Projections(hidden_size), Projections(hidden_size)
        self.up_proj = nn.Linear(hidden_size, intermediate_size)
        self.down_proj = nn.Linear(intermediate_size, hidden_size)
        for i in 1, 2, 3:
            setattr(self, f"norm{i}", nn.LayerNorm(hidden_size))
        self.heads, self.p, self.activation, self.norm_first = num_heads, dropout, activation, norm_first

    def forward(self, x, memory, mask=None, memory_mask=None):
        def drop(y):
            return F.dropout(y, self.p, training=self.training)

        def network(y):
            hidden = self.up_proj(y)
            hidden = hidden * (hidden > 0) if self.activation == "relu" else nn.GELU()(hidden)
            return self.down_proj(drop(hidden))

        parts = (
            lambda y: attention(self.self_attn, self.heads, y, y, mask, drop),
            lambda y: attention(self.cross_attn, self.heads, y, memory, memory_mask, drop),
            network,
        )
        for norm, part in zip((self.norm1, self.norm2, self.norm3), parts, strict=True):
            x = x + drop(part(norm(x))) if self.norm_first else norm(x + drop(part(x)))
        return x
