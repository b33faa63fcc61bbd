"""The rows come scaled from a class made from nn.Embedding; the table is one sine, computed in float64."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Final

import torch
from torch import Tensor, nn

BASE: Final = 1e4


@dataclass(frozen=True)
class Waves:
    dim: int
    base: float = BASE

    def __call__(self, n: int, like: Tensor) -> Tensor:
        """cos(a) = sin(a + pi/2): one sine of a (n, dim) table of angles."""
        column = torch.arange(self.dim, dtype=torch.float64, device=like.device)
        odd = column % 2
        exponent = (odd - column) / self.dim
        place = torch.arange(n, dtype=torch.float64, device=like.device)[:, None]
        angle = place * torch.pow(self.base, exponent)
        angle += odd * (pi / 2)
        return angle.sin_().to(like.dtype)


def sinusoidal_encoding(n: int, width: int, theta: float = BASE) -> Tensor:
    return Waves(width, theta)(n, like=torch.empty(0))


class _Scaled(nn.Embedding):
    def forward(self, ids: Tensor) -> Tensor:
        return super().forward(ids).mul(self.embedding_dim**0.5)


class TransformerEmbedding(nn.Module):
    encoding: Tensor

    def __init__(self, vocab_size: int, hidden_size: int, max_len: int) -> None:
        super().__init__()
        self.token_embedding = _Scaled(vocab_size, hidden_size)
        self.waves = Waves(hidden_size)
        with torch.no_grad():
            self.register_buffer(
                "encoding", self.waves(max_len, self.token_embedding.weight).double(), persistent=False
            )

    def forward(self, token_ids: Tensor) -> Tensor:
        out = self.token_embedding(token_ids)
        out += self.encoding.narrow(0, 0, token_ids.size(1)).to(out)
        return out
