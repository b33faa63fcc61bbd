"""Masks by comparing positions, everything between the projections in float32, rows without keys set to 0."""

import torch
from torch import Tensor, nn


def visible(x: Tensor, padding_mask: Tensor | None, is_causal: bool) -> Tensor:
    position = torch.arange(x.shape[1], device=x.device)
    masks = [position[None, :] >= 0]
    if is_causal:
        masks.append((position[:, None] >= position[None, :])[None])
    if padding_mask is not None:
        masks.append(padding_mask[:, None, :].expand(-1, x.shape[1], -1))
        masks.append(padding_mask[:, :, None])
    result = masks[0]
    for mask in masks[1:]:
        result = torch.logical_and(result, mask)
    return result


class SelfAttention(nn.Module):
    def __init__(self, hidden_size: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.attention_dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, padding_mask: Tensor | None = None, is_causal: bool = False) -> Tensor:
        precise = torch.promote_types(x.dtype, torch.float32)
        query, key, value = (part.to(precise) for part in self.qkv_proj(x).chunk(3, dim=-1))
        scores = torch.bmm(query, key.mT) / x.shape[-1] ** 0.5
        scores = torch.where(visible(x, padding_mask, is_causal), scores, float("-inf"))
        weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
        context = torch.bmm(self.attention_dropout(weights), value)
        return self.o_proj(context.to(x.dtype))
