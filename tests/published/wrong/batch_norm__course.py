# mode-of-the-gradients + running-variance-biased
"""Asks whether gradients are on, and keeps the biased variance, as one course does."""

import torch
from torch import nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.weight, self.bias = (
            nn.Parameter(torch.ones(num_features)),
            nn.Parameter(torch.zeros(num_features)),
        )
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.eps, self.momentum = eps, momentum

    def forward(self, X):
        shape = (1, -1) + (1,) * (X.dim() - 2)
        if not torch.is_grad_enabled():
            mean, var = self.running_mean, self.running_var
        else:
            dims = (0, *range(2, X.dim()))
            mean = X.mean(dim=dims)
            var = ((X - mean.view(shape)) ** 2).mean(dim=dims)
            keep = 1 - self.momentum
            self.running_mean = keep * self.running_mean + self.momentum * mean.detach()
            self.running_var = keep * self.running_var + self.momentum * var.detach()
        normalized = (X - mean.view(shape)) / torch.sqrt(var.view(shape) + self.eps)
        return self.weight.view(shape) * normalized + self.bias.view(shape)
