"""A frozen configuration, an Enum of activations, one residual path for both orders, weights by logsumexp."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Activation(Enum):
    RELU = "relu"
    GELU = "gelu"

    def __call__(self, x: Tensor) -> Tensor:
        return F.gelu(x, approximate="none") if self is Activation.GELU else x.clamp(min=0)


@dataclass(frozen=True)
class Config:
    hidden: int
    heads: int
    inner: int
    p: float
    act: Activation
    pre: bool

    def __post_init__(self) -> None:
        if self.hidden % self.heads:
            raise ValueError("heads")


class _Base(nn.Module):
    cfg: Config

    def residual(self, x: Tensor, norm: nn.Module, part: Callable[[Tensor], Tensor]) -> Tensor:
        dropped = lambda y: F.dropout(part(y), self.cfg.p, self.training)  # noqa: E731
        return x + dropped(norm(x)) if self.cfg.pre else norm(x + dropped(x))


class EncoderLayer(_Base):
    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        intermediate_size: int,
        dropout: float = 0.0,
        activation: str = "relu",
        norm_first: bool = False,
    ) -> None:
        super().__init__()
        self.cfg = cfg = Config(
            hidden_size, num_heads, intermediate_size, dropout, Activation(activation), norm_first
        )  # an unknown activation is a ValueError of the Enum
        linear = nn.Linear
        self.q_proj, self.k_proj = linear(cfg.hidden, cfg.hidden), linear(cfg.hidden, cfg.hidden)
        self.v_proj, self.o_proj = linear(cfg.hidden, cfg.hidden), linear(cfg.hidden, cfg.hidden)
        self.up_proj, self.down_proj = linear(cfg.hidden, cfg.inner), linear(cfg.inner, cfg.hidden)
        self.norm1, self.norm2 = nn.LayerNorm(cfg.hidden), nn.LayerNorm(cfg.hidden)

    def _qkv(self, x: Tensor) -> tuple[Tensor, ...]:
        """All three projections in one product, as (3, batch, heads, seq, head_dim)."""
        linears = (self.q_proj, self.k_proj, self.v_proj)
        w = torch.cat([m.weight for m in linears])
        b = torch.cat([m.bias for m in linears])
        y = F.linear(x, w, b)
        b_, s, _ = x.shape
        return y.reshape(b_, s, 3, self.cfg.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)

    def _attention(self, x: Tensor, mask: Tensor | None) -> Tensor:
        q, k, v = self._qkv(x)
        scores = torch.matmul(q, k.transpose(-1, -2))
        scores *= (self.cfg.hidden // self.cfg.heads) ** -0.5
        if mask is not None:
            scores.masked_fill_(mask.logical_not(), torch.finfo(scores.dtype).min)
        log_z = torch.logsumexp(scores, dim=-1, keepdim=True)
        weights = F.dropout((scores - log_z).exp(), self.cfg.p, self.training)
        return self.o_proj(torch.matmul(weights, v).movedim(1, 2).flatten(2))

    def _feed_forward(self, x: Tensor) -> Tensor:
        inner = F.dropout(self.cfg.act(self.up_proj(x)), self.cfg.p, self.training)
        return self.down_proj(inner)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        h = self.residual(x, self.norm1, lambda y: self._attention(y, mask))
        return self.residual(h, self.norm2, self._feed_forward)
