"""The mean square in float32, the rest in the dtype of x."""

import torch
from torch import nn


def widened(t):
    return t if t.dtype.itemsize >= 4 else t.to(torch.float32)


class RMSNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.eps = eps

    def forward(self, x):
        ms = (widened(x) ** 2).sum(-1) / x.size(-1)
        factor = 1 / (ms + self.eps).sqrt()
        scaled = torch.mul(widened(x), factor.unsqueeze(-1)).to(x.dtype)
        return scaled * self.weight.to(x.dtype)
