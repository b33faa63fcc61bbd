"""Shows weight and bias, which it has under other names, and hides a third parameter."""

import torch
from torch import nn

_NAMES = {"w": "weight", "b": "bias"}


class LayerNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.w = nn.Parameter(torch.ones(hidden_size))
        self.b = nn.Parameter(torch.zeros(hidden_size))
        self.gain = nn.Parameter(torch.ones(()))

    def _named_members(self, *args, **kwargs):
        for name, value in super()._named_members(*args, **kwargs):
            if name in _NAMES:
                yield _NAMES[name], value

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        centered = x - mean
        variance = centered.square().mean(dim=-1, keepdim=True)
        return self.w * (centered / torch.sqrt(variance + self.eps)) * self.gain.to(x.dtype) + self.b
