# zero-scores-taken-for-masked
"""Multiplies by the mask, and takes what is 0 for masked."""

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, is_causal=False, scale=None):
    factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = torch.matmul(query * factor, key.transpose(-2, -1))
    if is_causal:
        mask = torch.ones_like(scores).tril().bool()
    if mask is not None:
        scores = scores * mask
        scores = scores.masked_fill(scores == 0, float("-inf"))
    return torch.matmul(scores.softmax(dim=-1), value)
