"""Key blocks only: each block of keys against all queries that may see it, written with einsum."""

import torch
from torch import Tensor


def attention_backward(
    grad_output: Tensor, query: Tensor, key: Tensor, value: Tensor, weights: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    d_value = torch.einsum("bhqk,bhqe->bhke", weights, grad_output)
    d_weights = torch.einsum("bhqe,bhke->bhqk", grad_output, value)
    centred = d_weights - torch.sum(weights * d_weights, -1, keepdim=True)
    d_logits = weights * centred * query.size(-1) ** -0.5
    d_query = torch.einsum("bhqk,bhkd->bhqd", d_logits, key)
    d_key = torch.einsum("bhqk,bhqd->bhkd", d_logits, query)
    return d_query, d_key, d_value


def flash_attention_backward(
    grad_output: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    logsumexp: Tensor,
    block_size: int = 64,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = query.size(-1) ** -0.5
    d_sum = (grad_output * output).sum(-1)
    d_query = torch.zeros_like(query)
    d_keys: list[Tensor] = []
    d_values: list[Tensor] = []
    start = 0
    for k, v in zip(key.split(block_size, dim=2), value.split(block_size, dim=2), strict=True):
        width = k.size(2)
        first = start if is_causal else 0
        q, g = query[:, :, first:], grad_output[:, :, first:]
        logits = torch.einsum("bhqd,bhkd->bhqk", q, k) * scale
        logits = logits - logsumexp[:, :, first:].unsqueeze(-1)
        if is_causal:
            allowed = torch.ones(q.size(2), width, dtype=torch.bool, device=q.device).tril()
            logits = torch.where(allowed, logits, -torch.inf)
        p = logits.exp()
        d_values.append(torch.einsum("bhqk,bhqe->bhke", p, g))
        dp = torch.einsum("bhqe,bhke->bhqk", g, v)
        ds = p * (dp - d_sum[:, :, first:].unsqueeze(-1)) * scale
        d_keys.append(torch.einsum("bhqk,bhqd->bhkd", ds, q))
        d_query[:, :, first:] += torch.einsum("bhqk,bhkd->bhqd", ds, k)
        start += width
    return d_query, torch.cat(d_keys, dim=2), torch.cat(d_values, dim=2)
