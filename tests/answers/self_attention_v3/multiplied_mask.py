"""Multiplicative mask: exponentials of clamped scores times the mask, then normalised; dropout as a
submodule.
"""

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_size, dropout=0.0):
        super().__init__()
        self.drop = nn.Dropout(dropout, inplace=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)

    def forward(self, x, mask=None):
        q, k, v = self.qkv_proj(x).split(x.shape[-1], dim=-1)
        if mask is None:
            mask = torch.ones((1, 1, 1), dtype=torch.bool, device=x.device)
        scores = torch.einsum("bic,bjc->bij", q * x.shape[-1] ** -0.5, k)
        top = scores.detach().masked_fill(~mask, float("-inf")).max(dim=-1, keepdim=True).values
        weights = (scores - top).clamp(max=0.0).exp() * mask
        weights = self.drop(weights / weights.sum(dim=-1, keepdim=True))
        return self.o_proj(torch.einsum("bij,bjc->bic", weights, v))
