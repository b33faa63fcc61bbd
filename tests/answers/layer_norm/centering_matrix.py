"""The mean comes from a matrix product, and scale and shift are a linear layer with a diagonal weight."""

import torch
from torch import nn
from torch.nn.functional import linear


class LayerNorm(nn.Module):
    def __init__(self, hidden_size: int, eps: float = 1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.bias = nn.Parameter(torch.zeros(hidden_size))
        # Ones, exact in float32 too: the module may be moved to float64 later.
        self.register_buffer("adding", torch.ones(hidden_size, hidden_size), persistent=False)
        self.eps = eps

    def forward(self, x):
        centered = x - linear(x, self.adding) / x.shape[-1]
        std = torch.sqrt(centered.pow(2).sum(-1, keepdim=True) / x.shape[-1] + self.eps)
        return linear(centered / std, torch.diag(self.weight), self.bias)
