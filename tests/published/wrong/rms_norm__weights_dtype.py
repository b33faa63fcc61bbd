# rounded-before-the-weight-only + squared-in-half-precision
"""Squares in the dtype of x, and takes the dtype of the weight."""

import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        scaled = x * torch.rsqrt((x * x).mean(-1, keepdim=True) + self.eps)
        return self.weight * scaled.type_as(self.weight)
