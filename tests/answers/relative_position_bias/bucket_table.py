"""A table of all buckets, made in Python; far positions are clamped before they are made absolute."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


class RelativePositionBias(nn.Module):
    embedding: nn.Embedding

    def __init__(self, num_heads: int, max_distance: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(2 * max_distance + 1, num_heads)

    @property
    def max_distance(self) -> int:
        return (self.embedding.num_embeddings - 1) // 2

    def forward(self, q_len: int, kv_len: int) -> Tensor:
        far = self.max_distance
        table = torch.zeros(q_len, kv_len, dtype=torch.long, device=self.embedding.weight.device)
        table += torch.arange(kv_len, device=table.device)
        table -= torch.arange(q_len, device=table.device).unsqueeze(1)
        table.clamp_(-far, far).add_(far)
        flat = self.embedding.weight.index_select(0, table.flatten())
        return flat.t().reshape(1, self.embedding.embedding_dim, q_len, kv_len)


@dataclass(frozen=True)
class _Buckets:
    n: int
    limit: int

    @property
    def exact(self) -> int:
        return self.n // 2

    def of(self, d: int) -> int:
        if d < self.exact:
            return d
        share = math.log(d / self.exact) / math.log(self.limit / self.exact)
        return min(self.n - 1, self.exact + math.floor(share * (self.n - self.exact)))

    def table(self, device: torch.device) -> Tensor:
        return torch.tensor([self.of(d) for d in range(self.limit + 1)], dtype=torch.int64, device=device)


def t5_bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    p = relative_position.clamp(-max_distance, max_distance)
    buckets = _Buckets(num_buckets // 2 if bidirectional else num_buckets, max_distance)
    table = buckets.table(p.device)
    if not bidirectional:
        return table[(-p).clamp_(min=0)]
    return table[p.abs()] + buckets.n * p.gt(0).to(torch.int64)
