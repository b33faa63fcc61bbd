"""The adapter is a hand-written autograd.Function on flattened rows; unmerge from a kept copy."""

import torch
from torch import nn


class _Adapter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, rows, a, b, scale):
        low = rows.mm(a.t())
        ctx.save_for_backward(rows, a, b, low)
        ctx.scale = scale
        return low.mm(b.t()).mul_(scale)

    @staticmethod
    def backward(ctx, grad):
        rows, a, b, low = ctx.saved_tensors
        need_x, need_a, need_b, _ = ctx.needs_input_grad
        gx = ga = gb = None
        if need_x or need_a:
            g_low = grad.mm(b) * ctx.scale
            if need_x:
                gx = g_low.mm(a)
            if need_a:
                ga = g_low.t().mm(rows)
        if need_b:
            gb = grad.t().mm(low) * ctx.scale
        return gx, ga, gb, None


class LoRALinear(nn.Module):
    def __init__(self, linear, rank=8, alpha=16.0, dropout=0.0):
        super().__init__()
        if rank < 1:
            raise ValueError("rank must be at least 1")
        self.base = linear
        for p in linear.parameters():
            p.requires_grad_(False)
        w = linear.weight
        size = torch.rand(rank, w.shape[1], dtype=w.dtype, device=w.device) + 0.5
        sign = torch.randint(0, 2, (rank, w.shape[1]), device=w.device) * 2 - 1
        self.lora_A = nn.Parameter(size * sign.to(w.dtype))
        self.lora_B = nn.Parameter(torch.zeros(w.shape[0], rank, dtype=w.dtype, device=w.device))
        self.scale = alpha / rank
        self.drop = nn.Dropout(dropout)
        self.merged = False
        self._kept = None

    def forward(self, x):
        y = self.base(x)
        if self.merged:
            return y
        rows = self.drop(x).reshape(x.numel() // x.shape[-1], x.shape[-1])
        return y + _Adapter.apply(rows, self.lora_A, self.lora_B, self.scale).view(y.shape)

    @torch.no_grad()
    def merge(self):
        if not self.merged:
            self._kept = self.base.weight.detach().clone()
            self.base.weight.add_(self.scale * (self.lora_B @ self.lora_A))
            self.merged = True

    @torch.no_grad()
    def unmerge(self):
        if self.merged:
            self.base.weight.copy_(self._kept)
            self._kept = None
            self.merged = False
