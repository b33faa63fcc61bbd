"""Key by key: columns of scores, a common maximum by reduce, numerators and denominators added up (own
dropout).
"""

from functools import reduce

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0):
        super().__init__()
        assert hidden_size % num_heads == 0, "num_heads must divide hidden_size"
        self.heads = num_heads
        self.p = dropout
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (
            nn.Linear(hidden_size, hidden_size) for _ in range(4)
        )

    def forward(self, x, mask=None):
        q, k, v = (
            f(x).unflatten(2, (self.heads, -1)).double() for f in (self.q_proj, self.k_proj, self.v_proj)
        )
        q = q / q.shape[3] ** 0.5
        columns = [(q * key.unsqueeze(1)).sum(3) for key in k.unbind(1)]  # (batch, query, head) each
        if mask is not None:
            forbidden = mask.logical_not().permute(0, 2, 1, 3).expand(-1, -1, -1, len(columns)).unbind(3)
            columns = [c.masked_fill(f, -torch.inf) for c, f in zip(columns, forbidden)]
        top = reduce(torch.maximum, columns).detach()
        above = below = 0
        for column, value in zip(columns, v.unbind(1)):
            weight = torch.exp(column - top)
            below = below + weight
            if self.training and self.p > 0:
                weight = weight * (torch.rand_like(weight) >= self.p) / (1 - self.p)
            above = above + weight.unsqueeze(3) * value.unsqueeze(1)
        return self.o_proj((above / below.unsqueeze(3)).flatten(2).to(x.dtype))
