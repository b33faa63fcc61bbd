"""A frozen class around the weights; logarithms in place, of a copy; the diagonal gathered."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class _Maps:
    """The attention maps of one text, with the reductions that the three functions need."""

    w: Tensor

    @property
    def heads(self) -> int:
        return self.w.shape[0]

    def logs(self) -> Tensor:
        safe = torch.where(self.w == 0, torch.ones_like(self.w), self.w)
        return safe.log_()

    def over_heads(self, per_head: Tensor) -> Tensor:
        return per_head.mean(0)


@torch.no_grad()
def attention_entropy(attention: Tensor) -> Tensor:
    maps = _Maps(attention)
    nats = maps.logs().mul_(attention).neg_()
    return nats.sum(2).mean(1)


def attention_received(attention: Tensor) -> Tensor:
    maps = _Maps(attention)
    return maps.over_heads(attention.transpose(1, 2).sum(-1))


def self_attention_share(attention: Tensor) -> Tensor:
    maps = _Maps(attention)
    n = attention.shape[-1]
    own = torch.arange(n, device=attention.device).expand(maps.heads, n).unsqueeze(-1)
    return maps.over_heads(attention.gather(2, own).squeeze(-1))
