"""Batched products with the scale as alpha, softmax as exp(log_softmax), a registered scale."""

import torch
import torch.nn.functional as F
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_size, bias=True):
        super().__init__()
        self.hidden_size = hidden_size
        self.q_proj, self.k_proj, self.v_proj = (
            nn.Linear(hidden_size, hidden_size, bias=bias) for _ in range(3)
        )
        self.register_buffer("scale", torch.tensor(hidden_size).rsqrt(), persistent=False)

    def forward(self, x):
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        nothing = x.new_zeros(1, 1, 1)
        scores = torch.baddbmm(nothing, query, key.mT, beta=0, alpha=self.scale.item())
        return torch.bmm(F.log_softmax(scores, -1).exp(), value)
