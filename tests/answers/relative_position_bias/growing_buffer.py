"""A growing non-persistent buffer of indices; buckets from a cached Python table of all distances to the
maximum.
"""

import functools
import math

import torch
from torch import nn


class RelativePositionBias(nn.Module):
    def __init__(self, num_heads, max_distance):
        super().__init__()
        self.embedding = nn.Embedding(num_embeddings=2 * max_distance + 1, embedding_dim=num_heads)
        self.reach = max_distance
        self.register_buffer("rows", None, persistent=False)

    def _table(self, size, device):
        if self.rows is None or self.rows.shape[0] < size or self.rows.device != device:
            with torch.inference_mode(False):
                place = torch.arange(size, device=device)
                gap = place.unsqueeze(0) - place.unsqueeze(1)
                self.rows = gap.clamp(-self.reach, self.reach).add(self.reach)
        return self.rows

    def forward(self, q_len, kv_len):
        weight = self.embedding.weight
        rows = self._table(max(q_len, kv_len), weight.device)[:q_len, :kv_len]
        return weight[rows].permute(2, 0, 1)[None]


@functools.cache
def _buckets(n, max_distance):
    e = n // 2
    table = list(range(e))
    for d in range(e, max_distance):
        table.append(min(n - 1, e + math.floor(math.log(d / e) / math.log(max_distance / e) * (n - e))))
    return table + [n - 1]


def t5_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    n = num_buckets // 2 if bidirectional else num_buckets
    table = torch.tensor(_buckets(n, max_distance), dtype=torch.int64, device=relative_position.device)
    before = table[relative_position.neg().clamp(min=0, max=max_distance)]
    if not bidirectional:
        return before
    behind = table[relative_position.clamp(min=0, max=max_distance)]
    return torch.where(relative_position > 0, behind + n, before)
