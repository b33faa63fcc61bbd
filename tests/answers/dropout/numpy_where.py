import numpy as np
import torch
from torch import nn


class Dropout(nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        assert p >= 0
        assert p <= 1
        self.p = p
        self.rng = np.random.default_rng()

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        drop = torch.from_numpy(np.asarray(self.rng.binomial(1, self.p, size=tuple(x.shape)), dtype=bool))
        return torch.where(drop, torch.zeros_like(x), x / max(1 - self.p, 1e-9))
