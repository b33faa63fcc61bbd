"""The layers in a checkpoint, which computes them again in backward; dropout by uniform numbers."""

from functools import partial

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

_ACTIVATIONS = {
    "relu": partial(F.relu, inplace=False),
    "gelu": partial(F.gelu, approximate="none"),
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
}


class FeedForward(nn.Module):
    def __init__(self, hidden_size, intermediate_size, activation="relu", dropout=0.0):
        super().__init__()
        assert activation in _ACTIVATIONS, activation
        self.act = _ACTIVATIONS[activation]
        self.up_proj = nn.Linear(in_features=hidden_size, out_features=intermediate_size, bias=True)
        self.down_proj = nn.Linear(in_features=intermediate_size, out_features=hidden_size, bias=True)
        self.rate = float(dropout)

    def _hidden(self, x):
        return self.down_proj(self.act(self.up_proj(x)))

    def forward(self, x):
        y = checkpoint(self._hidden, x, use_reentrant=False)
        if not self.training or self.rate == 0.0:
            return y
        u = torch.rand(y.shape, dtype=torch.float64, device=y.device)
        return torch.where(u < self.rate, torch.zeros_like(y), y / (1.0 - self.rate))
