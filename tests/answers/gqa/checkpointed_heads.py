"""One key/value head at a time under a checkpoint, einsum in float64, chunks instead of reshapes."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, num_kv_heads, dropout=0.0):
        super().__init__()
        if num_heads < 1 or hidden_size % num_heads != 0 or num_kv_heads < 1 or num_heads % num_kv_heads != 0:
            raise ValueError("sizes do not divide")
        head_dim = hidden_size // num_heads
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * head_dim)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * head_dim)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.num_kv_heads, self.head_dim, self.dropout = num_kv_heads, head_dim, dropout

    def _shared(self, q, k, v, mask):  # q: (batch, seq, group * head_dim), k and v: (batch, seq, head_dim)
        q, k, v = q.double(), k.double(), v.double()
        q = torch.stack(q.split(self.head_dim, dim=2), dim=1)
        scores = torch.einsum("bgqd,bkd->bgqk", q, k) / self.head_dim**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = F.dropout(torch.softmax(scores, dim=3), self.dropout, self.training)
        mixed = torch.einsum("bgqk,bkd->bgqd", weights, v)
        return torch.cat(mixed.unbind(1), dim=2)

    def forward(self, x, mask=None):
        parts = self.num_kv_heads
        qs, ks, vs = (f(x).chunk(parts, dim=2) for f in (self.q_proj, self.k_proj, self.v_proj))
        masks = [mask] * parts
        if mask is not None and mask.shape[1] > 1:
            masks = mask.chunk(parts, dim=1)
        pieces = [checkpoint(self._shared, *args, use_reentrant=False) for args in zip(qs, ks, vs, masks)]
        return self.o_proj(torch.cat(pieces, dim=2).to(x.dtype))
