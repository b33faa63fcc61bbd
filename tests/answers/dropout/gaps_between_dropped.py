"""Where the next dropped element stands is geometrically distributed: few random numbers for a small p."""

import math

import torch
from torch import nn


class Dropout(nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError("not a probability")
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        if self.p == 1:
            return torch.zeros_like(x)
        n = x.numel()
        gaps = torch.rand(n, dtype=torch.float64).log().div(math.log(1 - self.p)).floor().long() + 1
        places = gaps.cumsum(0) - 1
        places = places[places < n]
        flat = x.reshape(-1).clone()
        flat[places] = 0
        return flat.reshape(x.shape) * (1 / (1 - self.p))
