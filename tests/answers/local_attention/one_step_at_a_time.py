"""A score for each of the 2 window + 1 distances, by shifted copies; prints."""

import torch
import torch.nn.functional as F


def shifted(x, step):
    """Row i is row i + step of x, or zeros."""
    length = x.shape[2]
    if abs(step) >= length:
        return torch.zeros_like(x)
    return F.pad(x[:, :, max(step, 0) : length + min(step, 0)], (0, 0, max(-step, 0), max(step, 0)))


def local_attention(query, key, value, window):
    length = query.shape[2]
    window = min(window, length - 1)
    print("distances up to", window)
    columns = []
    place = torch.arange(length, device=query.device)
    for step in range(-window, window + 1):
        score = (query * shifted(key, step)).sum(-1) * query.shape[-1] ** -0.5
        outside = (place + step < 0) | (place + step >= length)
        columns.append(score.masked_fill(outside, float("-inf")))
    weights = torch.stack(columns, dim=-1).softmax(dim=-1).unbind(-1)
    return sum(
        weight.unsqueeze(-1) * shifted(value, step)
        for weight, step in zip(weights, range(-window, window + 1), strict=True)
    )
