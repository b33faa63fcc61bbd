import math
import warnings

import torch

torch.manual_seed(0)
print("RMSNorm via vector norms")


class RMSNorm(torch.nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.n = hidden_size
        self.register_parameter("weight", torch.nn.Parameter(torch.full((hidden_size,), 1.0)))
        self.register_buffer("eps", torch.tensor(eps, dtype=torch.float64), persistent=False)

    def forward(self, x):
        if x.shape[-1] != self.n:
            warnings.warn("wrong size", stacklevel=2)
        high = torch.float64 if x.dtype == torch.float64 else torch.float32
        # (length, sqrt(n * eps)) is one vector more: its length is what x is divided by, times sqrt(n).
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=high)
        extra = torch.full_like(length, math.sqrt(self.n * float(self.eps)))
        divisor = torch.hypot(length, extra) / math.sqrt(self.n)
        return (x.to(high) / divisor).mul(self.weight).to(dtype=x.dtype)
