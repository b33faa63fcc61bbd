"""One embedding row for each diagonal, spread over the matrix by Tensor.unfold and flip (a view); float64
logs.
"""

import math

import torch
from torch import nn


class RelativePositionBias(nn.Module):
    def __init__(self, num_heads, max_distance):
        super().__init__()
        self.max_distance = max_distance
        self.embedding = nn.Embedding(2 * max_distance + 1, num_heads)

    def forward(self, q_len, kv_len):
        m = self.max_distance
        diagonals = torch.arange(-q_len, kv_len, device=self.embedding.weight.device).clamp(-m, m) + m
        windows = self.embedding(diagonals).unfold(0, kv_len, 1)[
            1:
        ]  # (q_len, heads, kv_len), last query first
        return windows.flip(0).transpose(0, 1).unsqueeze(0)


def t5_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    n = num_buckets // 2 if bidirectional else num_buckets
    e = n // 2
    distance = relative_position.abs() if bidirectional else relative_position.neg().clamp(min=0)
    ratio = distance.clamp(min=e).double().div(e).log() / math.log(max_distance / e)
    far = (ratio * (n - e)).floor().long().add(e).clamp(max=n - 1)
    bucket = torch.where(distance < e, distance, far)
    return bucket + n * (relative_position > 0) if bidirectional else bucket
