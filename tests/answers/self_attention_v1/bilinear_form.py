"""Float64, scores as a bilinear form of x (weights multiplied with each other first), values projected
after the mean.
"""

import torch
import torch.nn.functional as F
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.scale = 1.0 / hidden_size**0.5
        for name in "qkv":
            self.add_module(f"{name}_proj", nn.Linear(hidden_size, hidden_size))

    def forward(self, x):
        wide = x.double()
        (wq, bq), (wk, bk), (wv, bv) = (
            (m.weight.double(), m.bias.double()) for m in (self.q_proj, self.k_proj, self.v_proj)
        )
        form = wq.t() @ wk
        scores = torch.einsum("bic,cd,bjd->bij", wide, form, wide)
        scores = scores + (wide @ (wq.t() @ bk))[:, :, None] + (wide @ (wk.t() @ bq))[:, None, :] + bq.dot(bk)
        log_weights = scores * self.scale
        log_weights = log_weights - log_weights.logsumexp(-1, keepdim=True)
        return F.linear(log_weights.exp() @ wide, wv, bv).to(x.dtype)
