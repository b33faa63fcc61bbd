"""Window means from differences of a float64 cumulative sum; sdpa with a boolean mask over windows."""

import torch
import torch.nn.functional as F
from torch import nn


class PooledCrossAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, stride, dropout=0.0):
        assert hidden_size % num_heads == 0
        super().__init__()
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.heads, self.stride, self.p = num_heads, stride, dropout

    def _sums(self, t):
        running = torch.cat([torch.zeros_like(t[:, :1]), t.cumsum(dim=1)], dim=1)
        ends = [min(e, t.size(1)) for e in range(0, t.size(1) + self.stride, self.stride)]
        picked = running[:, ends]
        return picked[:, 1:] - picked[:, :-1]

    def forward(self, x, context, padding_mask=None):
        if padding_mask is None:
            padding_mask = torch.ones(context.shape[:2], dtype=torch.bool, device=context.device)
        real = padding_mask.unsqueeze(-1)
        counts = self._sums(real.long())
        sums = self._sums(torch.where(real, context, torch.zeros_like(context)).double())
        means = (sums / counts.clamp(min=1)).to(context.dtype)
        q, k, v = (
            m(t).unflatten(2, (self.heads, -1)).transpose(1, 2)
            for m, t in ((self.q_proj, x), (self.k_proj, means), (self.v_proj, means))
        )
        y = F.scaled_dot_product_attention(
            q,
            k,
            v,
            attn_mask=counts.gt(0).view(x.size(0), 1, 1, -1).expand(-1, self.heads, x.size(1), -1),
            dropout_p=self.p if self.training else 0.0,
        )
        return self.o_proj(y.transpose(1, 2).flatten(2))
