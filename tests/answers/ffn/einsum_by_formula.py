"""Einsum over the weights, the activations and the dropout written out."""

import math

import torch
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, hidden_size, intermediate_size, activation="relu", dropout=0.0):
        super().__init__()
        assert activation in {"relu", "gelu", "gelu_tanh"}, f"unknown: {activation}"
        self.activate = getattr(self, f"_{activation}")
        self.p = dropout
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=True)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=True)

    @staticmethod
    def _relu(z):
        return torch.where(z > 0, z, 0)

    @staticmethod
    def _gelu(z):
        return z * 0.5 * torch.erfc(-z / math.sqrt(2.0))

    @staticmethod
    def _gelu_tanh(z):
        inner = math.sqrt(8.0 / math.pi) * (z + 0.044715 * z.pow(3))
        return z * torch.sigmoid(inner)  # (1 + tanh(a)) / 2 is sigmoid(2 a)

    def forward(self, x):
        z = torch.einsum("...h,ih->...i", x, self.up_proj.weight) + self.up_proj.bias
        y = torch.einsum("...i,hi->...h", self.activate(z), self.down_proj.weight) + self.down_proj.bias
        if self.training and self.p > 0:
            keep = torch.bernoulli(torch.full_like(y, 1 - self.p))
            y = y * keep / (1 - self.p)
        return y
