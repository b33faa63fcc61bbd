"""Flattened to three dimensions, a bias of the dtype's lowest number, baddbmm for scale and bias at once."""

import functools
import math

import torch
from torch import Tensor, nn


@functools.lru_cache
def lower_triangle(n: int) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril()


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    shape = query.shape[:-1]
    q_len, kv_len = shape[-1], key.shape[-2]
    scale = (1 / math.sqrt(query.shape[-1])) if scale is None else scale
    keep = lower_triangle(q_len).to(query.device) if is_causal else mask

    bias = query.new_zeros(*shape, kv_len)
    if keep is not None:
        bias.masked_fill_(keep.logical_not(), torch.finfo(query.dtype).min)
    bias = bias.flatten(0, -3) if bias.dim() > 2 else bias[None]
    q = query.reshape(-1, q_len, query.shape[-1])
    k = key.reshape(-1, kv_len, key.shape[-1])
    v = value.reshape(-1, kv_len, value.shape[-1])
    weights = nn.functional.softmax(torch.baddbmm(bias, q, k.mT, alpha=scale), dim=2)
    return torch.bmm(weights, v).reshape(*shape, value.shape[-1])
