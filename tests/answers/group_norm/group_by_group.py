"""A loop over samples and groups."""

import torch
from torch import nn


class GroupNorm(nn.Module):
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True):
        super().__init__()
        assert num_channels % num_groups == 0, "num_groups must divide num_channels"
        self.size, self.eps = num_channels // num_groups, eps
        self.bias = nn.Parameter(torch.zeros(num_channels))
        self.weight = nn.Parameter(torch.ones(num_channels))

    def forward(self, x):
        samples = []
        for sample in x:
            parts = [self.normalized(part) for part in sample.split(self.size)]
            samples.append(torch.cat(parts))
        y = torch.stack(samples)
        return (y.movedim(1, -1) * self.weight + self.bias).movedim(-1, 1)

    def normalized(self, values):
        centred = values - values.mean()
        return centred * (centred.pow(2).mean() + self.eps).rsqrt()
