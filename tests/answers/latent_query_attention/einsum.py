"""Einsum with the heads behind the sequence; the latents have no batch dimension while they ask."""

import torch
from torch import nn


class LatentQueryAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, latent_len, dropout=0.0):
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError("num_heads must divide hidden_size")
        self.num_heads = num_heads
        self.scale = (hidden_size // num_heads) ** -0.5
        self.latent_q = nn.Parameter(torch.empty(1, latent_len, hidden_size))
        nn.init.xavier_uniform_(self.latent_q)
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            setattr(self, name, nn.Linear(hidden_size, hidden_size))
        self.attention_dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        q, k, v = (p(x).unflatten(2, (self.num_heads, -1)) for p in (self.q_proj, self.k_proj, self.v_proj))
        latents = self.latent_q[0].unflatten(1, (self.num_heads, -1))
        scores = torch.einsum("lhd,bshd->bhls", latents * self.scale, k)
        if mask is not None:
            scores = torch.where(mask, scores, float("-inf"))
        weights = self.attention_dropout(torch.softmax(scores, -1))
        summary = torch.einsum("bhls,bshd->blhd", weights, v)
        scores = torch.einsum("bshd,blhd->bhsl", q * self.scale, summary)
        weights = self.attention_dropout(scores.softmax(-1))
        return self.o_proj(torch.einsum("bhsl,blhd->bshd", weights, summary).flatten(2))
