# fill-too-large-for-float16
"""Fills with -1e9, as tutorials do."""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, is_causal=False, scale=None):
    factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = torch.matmul(query * factor, key.transpose(-2, -1))
    if is_causal:
        mask = torch.tril(torch.ones(query.size(-2), key.size(-2)))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    return torch.matmul(scores.softmax(dim=-1), value)
