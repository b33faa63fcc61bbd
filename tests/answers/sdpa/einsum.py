"""Einsum throughout, the softmax written out, a -inf bias added to the scores."""

import torch


def scaled_dot_product_attention(query, key, value, mask=None, is_causal=False, scale=None):
    factor = query.size(-1) ** -0.5 if scale is None else scale
    scores = torch.einsum("...qd,...kd->...qk", query, key) * factor
    bias = torch.zeros_like(scores)
    if is_causal:
        rows = torch.arange(scores.size(-2), device=scores.device)
        columns = torch.arange(scores.size(-1), device=scores.device)
        bias = bias.masked_fill(columns > rows.unsqueeze(1), float("-inf"))
    if mask is not None:
        bias = torch.where(mask, bias, float("-inf"))
    scores = scores + bias
    exponentials = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return torch.einsum("...qk,...kv->...qv", weights, value)
