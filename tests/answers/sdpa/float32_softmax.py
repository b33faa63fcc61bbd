"""Softmax in float32 whatever comes in and cast back, the causal mask by broadcasting, nn.Softmax."""

import torch
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, scale: float):
        super().__init__()
        self.register_buffer("scale", torch.tensor(scale))
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, q: Tensor, k: Tensor, v: Tensor, keep: Tensor | None) -> Tensor:
        scores = torch.matmul(q * self.scale, k.mT)
        if keep is not None:
            scores = torch.where(keep, scores, -float("inf"))
        return torch.matmul(self.softmax(scores.float()).type_as(v), v)


def scaled_dot_product_attention(query, key, value, mask=None, is_causal=False, scale=None):
    if is_causal:
        position = torch.arange(query.shape[-2], device=query.device)
        mask = position[:, None] >= position
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    return Attention(factor)(query, key, value, mask)
