"""Moments by einsum, accumulated in double precision."""

import torch
from torch import nn


class BatchNorm(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-05, momentum: float = 0.1):
        super().__init__()
        assert num_features > 0
        self.momentum = momentum
        self.eps = eps
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.weight = nn.Parameter(torch.ones(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))

    def moments(self, x):
        wide = x.double()
        n = x.numel() / x.shape[1]
        mean = torch.einsum("nc...->c", wide) / n
        second = torch.einsum("nc...,nc...->c", wide, wide) / n
        return mean, (second - mean * mean).clamp(min=0), n

    @torch.no_grad()
    def update(self, mean, var, n):
        for name, value in (("running_mean", mean), ("running_var", var * (n / (n - 1)))):
            old = getattr(self, name)
            old.mul_(1 - self.momentum).add_(value.to(old.dtype), alpha=self.momentum)

    def forward(self, x):
        mean, var = self.running_mean, self.running_var
        if self.training:
            mean, var, n = self.moments(x)
            self.update(mean, var, n)
        scale = self.weight / torch.sqrt(var + self.eps)
        shift = self.bias - mean * scale
        rest = [1] * (x.ndim - 2)
        return (x * scale.reshape(1, -1, *rest) + shift.reshape(1, -1, *rest)).to(x.dtype)
