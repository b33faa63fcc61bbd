"""Channel sums put together with index_add over a buffer of group numbers, read back by indexing."""

import torch
from torch import nn


class GroupNorm(nn.Module):
    def __init__(self, num_groups, num_channels, eps=1e-5):
        super().__init__()
        if num_groups <= 0 or num_channels % num_groups:
            raise ValueError(f"{num_groups} groups do not divide {num_channels} channels")
        self.weight = nn.Parameter(torch.empty(num_channels).fill_(1))
        self.bias = nn.Parameter(torch.empty(num_channels).fill_(0))
        owner = torch.arange(num_channels) // (num_channels // num_groups)
        self.register_buffer("owner", owner, persistent=False)
        self.num_groups = num_groups
        self.eps = eps

    def _group_mean(
        self, planes
    ):  # (batch, channels, positions) -> (batch, channels, 1), the same in a group
        means = planes.mean(2)
        totals = means.new_zeros(means.shape[0], self.num_groups).index_add(1, self.owner, means)
        return (totals[:, self.owner] * (self.num_groups / means.shape[1])).unsqueeze(2)

    def forward(self, x):
        planes = x.unsqueeze(-1).flatten(2).to(torch.float64)
        planes = planes - self._group_mean(planes)
        scale = self.weight.double().unsqueeze(1) * (self._group_mean(planes**2) + self.eps) ** -0.5
        out = planes * scale + self.bias.double().unsqueeze(1)
        return out.to(x.dtype).reshape(x.shape)
