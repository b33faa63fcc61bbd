"""Loops over places, thresholds in Python; prints."""

import math

import torch
from torch import nn

print("relative positions")


class RelativePositionBias(nn.Module):
    def __init__(self, num_heads, max_distance):
        super().__init__()
        self.embedding = nn.Embedding(2 * max_distance + 1, num_heads)

    def forward(self, q_len, kv_len):
        weight = self.embedding.weight
        most = (weight.size(0) - 1) // 2
        rows = []
        for i in range(q_len):
            row = []
            for j in range(kv_len):
                row.append(weight[most + max(-most, min(most, j - i))])
            rows.append(torch.stack(row, 1))
        return torch.stack(rows, 1)[None]


def t5_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    def one(position):
        n, start = num_buckets, 0
        if bidirectional:
            n = n // 2
            start = n if position > 0 else 0
            position = -abs(position)
        d = max(0, -position)
        e = n // 2
        if d < e:
            return start + d
        return start + min(n - 1, e + int(math.log(d / e) / math.log(max_distance / e) * (n - e)))

    found = [one(p) for p in relative_position.reshape(-1).tolist()]
    return torch.tensor(found, device=relative_position.device).view(relative_position.shape)
