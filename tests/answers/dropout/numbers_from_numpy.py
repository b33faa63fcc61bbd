"""Random numbers from NumPy (one generator for all modules); a table of the two factors is indexed by the
draw.
"""

import numpy as np
import torch
from torch import nn

_NUMBERS = np.random.default_rng()


class Dropout(nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        assert 0 <= p <= 1, "p is a probability"
        self.p = float(p)

    def forward(self, x):
        if not self.training:
            return x
        factors = torch.tensor([0.0, 1 / (1 - self.p) if self.p < 1 else 0.0], dtype=x.dtype, device=x.device)
        draw = _NUMBERS.random(size=tuple(x.shape)) >= self.p
        index = torch.as_tensor(np.asarray(draw, dtype=np.int64), device=x.device)
        return x * factors[index]
