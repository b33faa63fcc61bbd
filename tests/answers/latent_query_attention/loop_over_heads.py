"""Sequences and heads one by one, two dimensions at a time; prints."""

import math

import torch
from torch import nn


def attend(q, k, v, keep, drop):
    scores = q @ k.T / math.sqrt(q.shape[1])
    if keep is not None:
        scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    exps = (scores - scores.max(dim=1, keepdim=True).values).exp()
    return drop(exps / exps.sum(dim=1, keepdim=True)) @ v


class LatentQueryAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, latent_len, dropout=0.0):
        super().__init__()
        self.head_dim, rest = divmod(hidden_size, num_heads)
        if rest != 0:
            raise ValueError((hidden_size, num_heads))
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.latent_q = nn.Parameter(torch.ones(1, latent_len, hidden_size))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        print("latents read", tuple(x.shape))
        rows = []
        for i, tokens in enumerate(x):
            keep = None if mask is None else mask[i if len(mask) > 1 else 0, 0]
            parts = (self.latent_q[0], self.q_proj(tokens), self.k_proj(tokens), self.v_proj(tokens))
            heads = []
            for latent, q, k, v in zip(*(part.split(self.head_dim, 1) for part in parts), strict=True):
                summary = attend(latent, k, v, keep, self.drop)
                heads.append(attend(q, summary, summary, None, self.drop))
            rows.append(torch.cat(heads, dim=1))
        return self.o_proj(torch.stack(rows))
