"""A Function from the fused projection to the mixed values, with one fused gradient; float64 inside, in
place.
"""

import torch
from torch import nn


class _Mix(torch.autograd.Function):
    @staticmethod
    def _weights(q, k, forbidden):
        w = torch.bmm(q, k.transpose(1, 2)).mul_(q.shape[2] ** -0.5).masked_fill_(forbidden, float("-inf"))
        return w.sub_(w.amax(2, keepdim=True)).exp_().div_(w.sum(2, keepdim=True))

    @staticmethod
    def forward(ctx, qkv, forbidden, factors):
        ctx.save_for_backward(qkv, forbidden, factors)
        q, k, v = qkv.double().chunk(3, dim=2)
        return torch.bmm(_Mix._weights(q, k, forbidden).mul_(factors), v).to(qkv.dtype)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        qkv, forbidden, factors = ctx.saved_tensors
        q, k, v = qkv.double().chunk(3, dim=2)
        g = grad.double()
        w = _Mix._weights(q, k, forbidden)
        d_qkv = torch.empty(qkv.shape, dtype=q.dtype, device=q.device)
        dq, dk, dv = d_qkv.chunk(3, dim=2)
        dv.copy_(torch.bmm((w * factors).transpose(1, 2), g))
        ds = torch.bmm(g, v.transpose(1, 2)).mul_(factors)
        ds.sub_((ds * w).sum(2, keepdim=True)).mul_(w).mul_(q.shape[2] ** -0.5)
        dq.copy_(torch.bmm(ds, k))
        dk.copy_(torch.bmm(ds.transpose(1, 2), q))
        return d_qkv.to(qkv.dtype), None, None


class SelfAttention(nn.Module):
    def __init__(self, hidden_size, dropout=0.0):
        super().__init__()
        self.qkv_proj, self.o_proj = (
            nn.Linear(hidden_size, 3 * hidden_size),
            nn.Linear(hidden_size, hidden_size),
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, padding_mask=None, is_causal=False):
        b, n, _ = x.shape
        forbidden = torch.zeros(b, n, n, dtype=torch.bool, device=x.device)
        if is_causal:
            forbidden |= torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        if padding_mask is not None:
            forbidden |= ~padding_mask[:, None, :]
        factors = self.dropout(torch.ones(b, n, n, dtype=torch.float64, device=x.device))
        return self.o_proj(_Mix.apply(self.qkv_proj(x), forbidden, factors))
