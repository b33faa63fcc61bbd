"""Draws a place among the k kept values and looks the token up; int32 tokens; a closure per row of work."""

import torch
import torch.nn.functional as F


def _check(k, temperature=0.0):
    if k <= 0:
        raise AssertionError(f"k = {k}")
    if temperature < 0:
        raise ValueError("negative temperature")


def top_k_filter(logits, k):
    _check(k)
    order = logits.argsort(dim=-1, descending=True)
    keep = torch.zeros_like(logits, dtype=torch.bool)
    keep.scatter_(-1, order[..., :k], True)
    out = logits.clone()
    out[~keep] = float("-inf")
    return out


def sample_top_k(logits, k, temperature=1.0, generator=None):
    _check(k, temperature)
    if temperature == 0:
        k, temperature = 1, 1.0
    values, tokens = torch.topk(logits, min(k, logits.shape[-1]), dim=-1)
    cumulative = F.softmax(values.double() / temperature, dim=-1).cumsum(-1)
    shape = (*logits.shape[:-1], 1)
    draw = torch.rand(shape, generator=generator, dtype=torch.float64) * cumulative[..., -1:]
    place = (cumulative <= draw).sum(-1, keepdim=True).clamp(max=tokens.shape[-1] - 1)
    return tokens.gather(-1, place).squeeze(-1).int()
