"""eps as one more feature: the length of the vector (x, sqrt(n * eps)) by linalg.vector_norm."""

import math

import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.extra = math.sqrt(hidden_size * eps)
        self.root = math.sqrt(hidden_size)
        self.weight = nn.Parameter(torch.ones(hidden_size))

    def forward(self, x):
        y = x if x.dtype == torch.float64 else x.float()
        corner = y.new_full(y.shape[:-1] + (1,), self.extra)
        length = torch.linalg.vector_norm(torch.cat([y, corner], dim=-1), dim=-1, keepdim=True)
        return torch.mul(y / length * self.root, self.weight.to(y.dtype)).to(x.dtype)
