"""The loop runs over key blocks only, with all queries at once; causal rows above the block stay."""

import torch


def flash_attention(query, key, value, block_size=64, is_causal=False):
    b, h, n, d = query.shape
    top = torch.full((b, h, n), float("-inf"), dtype=query.dtype, device=query.device)
    total = torch.zeros_like(top)
    result = torch.zeros_like(query)
    for start, (keys, values) in zip(
        range(0, key.size(2), block_size),
        zip(key.split(block_size, dim=2), value.split(block_size, dim=2), strict=True),
        strict=True,
    ):
        first = start if is_causal else 0
        scores = torch.einsum("bhqd,bhkd->bhqk", query[:, :, first:], keys) * d**-0.5
        if is_causal:
            i = torch.arange(first, n, device=query.device).unsqueeze(1)
            j = torch.arange(start, start + keys.size(2), device=query.device).unsqueeze(0)
            scores = torch.where(i >= j, scores, torch.tensor(float("-inf"), dtype=scores.dtype))
        old = top[:, :, first:]
        new = torch.max(old, scores.max(dim=-1).values).detach()
        p = (scores - new.unsqueeze(-1)).exp()
        shrink = (old - new).exp()
        total = torch.cat([total[:, :, :first], total[:, :, first:] * shrink + p.sum(-1)], dim=2)
        part = result[:, :, first:] * shrink[..., None] + torch.einsum("bhqk,bhkd->bhqd", p, values)
        result = torch.cat([result[:, :, :first], part], dim=2)
        top = torch.cat([top[:, :, :first], new], dim=2)
    return result / total[..., None]
