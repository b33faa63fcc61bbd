"""One element after the other, with Python's own random numbers."""

import random

import torch
from torch import nn


class Dropout(nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        self.p = p
        if not (p >= 0 and p <= 1):
            raise ValueError(p)

    def forward(self, x):
        if not self.training:
            return 1 * x
        out = [self.one(random.random()) for _ in range(x.numel())]
        return x * torch.tensor(out, dtype=x.dtype).view(x.shape)

    def one(self, r):
        return 0.0 if r < self.p else 1 / (1 - self.p)
