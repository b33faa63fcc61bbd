"""Chunks of 16: quadratic inside a chunk, a carried state between chunks, as kernels do it."""

import torch
from torch.nn.functional import elu


def linear_attention(query, key, value, is_causal=False, eps=1e-6):
    q, k = elu(query) + 1, elu(key) + 1
    # A column of ones beside the values sums the weights along with them.
    v = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
    if not is_causal:
        both = q @ (k.mT @ v)
    else:
        state = torch.zeros_like(k[..., :1, :].mT @ v[..., :1, :])
        parts = []
        for qs, ks, vs in zip(*(x.split(16, dim=-2) for x in (q, k, v)), strict=True):
            inside = (qs @ ks.mT).tril() @ vs
            parts.append(inside + qs @ state)
            state = state + ks.mT @ vs
        both = torch.cat(parts, dim=-2)
    return both[..., :-1] / (both[..., -1:] + eps)
