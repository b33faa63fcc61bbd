"""One-hot rows times the weights; buckets by counting thresholds that are reached."""

import torch
import torch.nn.functional as F
from torch import nn


class RelativePositionBias(nn.Module):
    def __init__(self, num_heads, max_distance):
        super().__init__()
        self.embedding = nn.Embedding(2 * max_distance + 1, num_heads)
        reach = torch.arange(-max_distance, max_distance + 1)
        self.register_buffer("reach", reach)

    def forward(self, q_len, kv_len):
        most = self.reach[-1]
        ones = torch.ones(q_len, kv_len, dtype=torch.long, device=self.reach.device)
        places = ones.cumsum(1) - ones.cumsum(0)
        index = torch.minimum(torch.maximum(places, -most), most) + most
        chosen = F.one_hot(index, len(self.reach)).to(self.embedding.weight.dtype)
        return torch.einsum("qkr,rh->hqk", chosen, self.embedding.weight).unsqueeze(0)


def t5_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    n = num_buckets // 2 if bidirectional else num_buckets
    e = n // 2
    starts = list(range(1, e)) + [e * (max_distance / e) ** (k / (n - e)) for k in range(n - e)]
    edges = torch.tensor(starts, dtype=torch.float64, device=relative_position.device)
    d = relative_position.abs() if bidirectional else (-relative_position).clamp_min(0)
    found = (d.double().unsqueeze(-1) >= edges).sum(-1)
    if bidirectional:
        found = found + n * relative_position.gt(0)
    return found
