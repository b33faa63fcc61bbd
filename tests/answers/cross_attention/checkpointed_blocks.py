"""Blocks of five queries through checkpoint (dropout inside, its RNG state restored), log space, own
dropout.
"""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class CrossAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, context_size=None, dropout=0.0):
        super().__init__()
        assert hidden_size % num_heads == 0, "num_heads must divide hidden_size"
        sizes = dict.fromkeys(("q_proj", "k_proj", "v_proj", "o_proj"), hidden_size)
        if context_size is not None:
            sizes.update(k_proj=context_size, v_proj=context_size)
        for name, size in sizes.items():
            setattr(self, name, nn.Linear(size, hidden_size))
        self.num_heads, self.rate = num_heads, dropout

    def _block(self, q, k, v, mask):  # (batch, heads, some queries, head_dim)
        scores = torch.matmul(q, k.mT)
        if mask is not None:
            scores = torch.where(mask, scores, torch.full_like(scores, float("-inf")))
        log_weights = scores - torch.logsumexp(scores, dim=-1, keepdim=True)
        weights = torch.exp(log_weights)
        if self.training and self.rate:
            dropped = torch.rand_like(weights) < self.rate
            weights = weights.masked_fill(dropped, 0.0).div(1.0 - self.rate)
        return torch.matmul(weights, v)

    def forward(self, x, context, mask=None):
        def split(t):
            return torch.stack(t.chunk(self.num_heads, dim=2), dim=1)

        q, k, v = split(self.q_proj(x)), split(self.k_proj(context)), split(self.v_proj(context))
        q = q * q.shape[3] ** -0.5
        if mask is not None:
            mask = mask.expand(-1, -1, q.shape[2], -1)
        blocks = []
        for start in range(0, q.shape[2], 5):
            some = slice(start, start + 5)
            part = None if mask is None else mask[:, :, some]
            blocks.append(checkpoint(self._block, q[:, :, some], k, v, part, use_reentrant=False))
        return self.o_proj(torch.cat([torch.cat(b.unbind(1), dim=2) for b in blocks], dim=1))
