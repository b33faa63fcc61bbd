"""Backward of the adapter by hand, in an autograd.Function."""

import torch
from torch import nn


class _Adapter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, a, b, scale):
        ctx.save_for_backward(x, a, b)
        ctx.scale = scale
        return (x @ a.t()) @ b.t() * scale

    @staticmethod
    def backward(ctx, grad):
        x, a, b = ctx.saved_tensors
        grad = grad * ctx.scale
        narrow = grad @ b  # (..., rank)
        flat_x, flat_grad = x.reshape(-1, x.shape[-1]), grad.reshape(-1, grad.shape[-1])
        grad_a = narrow.reshape(-1, len(a)).t() @ flat_x
        grad_b = flat_grad.t() @ (flat_x @ a.t())
        return narrow @ a, grad_a, grad_b, None


class LoRALinear(nn.Module):
    def __init__(self, linear, rank=8, alpha=16.0, dropout=0.0):
        super().__init__()
        if rank < 1:
            raise ValueError
        self.base, self.alpha, self.rank = linear, alpha, rank
        linear.requires_grad_(False)
        self.lora_A = nn.Parameter(torch.empty_like(linear.weight[:1].expand(rank, -1)).uniform_(0.1, 0.2))
        self.lora_B = nn.Parameter(linear.weight.new_zeros((linear.out_features, rank)))
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()
        self.merged = bool(0)

    def forward(self, x):
        if self.merged:
            return self.base(x)
        return self.base(x).add(
            _Adapter.apply(self.dropout(x), self.lora_A, self.lora_B, self.alpha / self.rank)
        )

    def _update(self, merged):
        if self.merged != merged:
            change = torch.mm(self.lora_B.detach(), self.lora_A.detach()).mul(self.alpha / self.rank)
            self.base.weight.detach().add_(change if merged else -change)
            self.merged = merged

    def merge(self):
        self._update(True)

    def unmerge(self):
        self._update(False)
