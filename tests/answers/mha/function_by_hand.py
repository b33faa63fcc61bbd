"""The attention is a Function with a hand-written backward; heads go into the batch, dropout comes as
factors.
"""

import torch
from torch import nn


class _Attend(torch.autograd.Function):
    @staticmethod
    def _weights(q, k, forbidden):
        scores = q @ k.transpose(-2, -1)
        if forbidden is not None:
            scores = scores.masked_fill(forbidden, float("-inf"))
        return torch.softmax(scores, dim=-1)

    @staticmethod
    def forward(ctx, q, k, v, forbidden, factors):
        ctx.save_for_backward(q, k, v, forbidden, factors)
        w = _Attend._weights(q, k, forbidden)
        return (w if factors is None else w * factors) @ v

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        q, k, v, forbidden, factors = ctx.saved_tensors
        w = _Attend._weights(q, k, forbidden)
        dw = grad @ v.transpose(-2, -1)
        dropped = w
        if factors is not None:
            dw, dropped = dw * factors, w * factors
        ds = w * (dw - (w * dw).sum(-1, keepdim=True))
        return ds @ k, ds.transpose(-2, -1) @ q, dropped.transpose(-2, -1) @ grad, None, None


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0):
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError(f"{num_heads} heads do not divide {hidden_size}")
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads
        self.dropout = nn.Dropout(dropout)

    def _split(self, t):
        b, n, f = t.shape
        return t.contiguous().view(b, n, self.num_heads, f // self.num_heads).transpose(1, 2)

    def forward(self, x, mask=None):
        q, k, v = self._split(self.q_proj(x)), self._split(self.k_proj(x)), self._split(self.v_proj(x))
        b, h, n, d = q.shape
        factors = None
        if self.training and self.dropout.p > 0:
            factors = self.dropout(torch.ones(b, h, n, n, dtype=x.dtype, device=x.device))
        out = _Attend.apply(q / d**0.5, k, v, None if mask is None else ~mask, factors)
        return self.o_proj(out.transpose(1, 2).reshape(b, n, h * d))
