"""Sample by sample: padding is taken out of keys and values by boolean indexing; causality by places kept."""

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_size, dropout=0.0):
        super().__init__()
        self.hidden_size = hidden_size
        self.qkv_proj = nn.Linear(in_features=hidden_size, out_features=3 * hidden_size)
        self.o_proj = nn.Linear(in_features=hidden_size, out_features=hidden_size)
        self.drop = nn.Dropout(dropout)

    def _sample(self, qkv, real, is_causal):
        wide = torch.float64 if qkv.dtype == torch.float64 else torch.float32
        q, k, v = qkv.to(wide).split(self.hidden_size, dim=1)
        place = torch.arange(qkv.shape[0], device=qkv.device)
        key_place = place
        if real is not None:
            k, v, key_place = k[real], v[real], place[real]
        scores = q @ k.t() / self.hidden_size**0.5
        if is_causal:
            scores = scores.masked_fill(key_place[None, :] > place[:, None], float("-inf"))
        scores = scores - scores.max(dim=1, keepdim=True).values.detach()
        weights = scores.exp()
        weights = weights / weights.sum(dim=1, keepdim=True)
        return (self.drop(weights) @ v).to(qkv.dtype)

    def forward(self, x, padding_mask=None, is_causal=False):
        reals = [None] * x.shape[0] if padding_mask is None else padding_mask
        mixed = [self._sample(qkv, real, is_causal) for qkv, real in zip(self.qkv_proj(x), reals)]
        return self.o_proj(torch.stack(mixed))
