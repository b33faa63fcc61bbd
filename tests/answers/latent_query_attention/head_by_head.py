"""One head after another, with a softmax of its own; the projections are inherited."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class _Shape:
    hidden: int
    heads: int

    def __post_init__(self) -> None:
        if self.hidden % self.heads != 0:
            raise ValueError(f"{self.hidden} features do not split into {self.heads} heads")

    @property
    def dim(self) -> int:
        return self.hidden // self.heads

    def features(self, i: int) -> slice:
        return slice(i * self.dim, (i + 1) * self.dim)


class _Projections(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.q_proj = nn.Linear(hidden, hidden)
        self.k_proj = nn.Linear(hidden, hidden)
        self.v_proj = nn.Linear(hidden, hidden)
        self.o_proj = nn.Linear(hidden, hidden)


def _stable_softmax(scores: Tensor) -> Tensor:
    powers = torch.exp(scores - scores.detach().amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


class LatentQueryAttention(_Projections):
    """One head after another; the first stage does not depend on the queries of x."""

    def __init__(self, hidden_size: int, num_heads: int, latent_len: int, dropout: float = 0.0) -> None:
        self_shape = _Shape(hidden_size, num_heads)
        super().__init__(hidden_size)
        self.shape = self_shape
        self.latent_q = nn.Parameter(
            torch.linspace(-1, 1, latent_len * hidden_size).view(1, latent_len, hidden_size)
        )
        self.drop = nn.Dropout(dropout)

    def _read(self, q: Tensor, k: Tensor, v: Tensor, keep: Tensor | None = None) -> Tensor:
        scores = torch.matmul(q / self.shape.dim**0.5, k.mT)
        if keep is not None:
            scores = scores.masked_fill(keep.logical_not(), torch.finfo(scores.dtype).min)
        return torch.matmul(self.drop(_stable_softmax(scores)), v)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        keep = None if mask is None else mask[:, 0]
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        results = []
        for i in range(self.shape.heads):
            part = self.shape.features(i)
            latents = self._read(self.latent_q[..., part], k[..., part], v[..., part], keep)
            results.append(self._read(q[..., part], latents, latents))
        return self.o_proj(torch.cat(results, dim=-1))
