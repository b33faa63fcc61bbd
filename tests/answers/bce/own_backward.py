"""An autograd function with the fused gradient; seeds and prints at import."""

import torch
from torch import nn

torch.manual_seed(7)
print("bce with its own backward")


class _Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, w):
        p = torch.sigmoid(x)
        ctx.save_for_backward(p, y, w)
        tail = torch.exp(-x.abs()).log1p()
        return w * y * (tail - x.clamp(max=0)) + (1 - y) * (tail + x.clamp(min=0))

    @staticmethod
    def backward(ctx, upstream):
        p, y, w = ctx.saved_tensors
        return upstream * ((1 - y) * p - w * y * (1 - p)), None, None


class _Loss(nn.Module):
    def __init__(self, pos_weight, reduction):
        super().__init__()
        if reduction not in ("none", "mean", "sum"):
            raise ValueError(reduction)
        self.register_buffer("pos_weight", pos_weight)
        self.reduction = reduction

    def forward(self, x, y):
        w = torch.ones_like(x) if self.pos_weight is None else self.pos_weight
        loss = _Fused.apply(x, y, w)
        if self.reduction != "none":
            loss = loss.sum() / (x.numel() if self.reduction == "mean" else 1)
        return loss


def binary_cross_entropy_with_logits(logits, target, pos_weight=None, reduction="mean"):
    return _Loss(pos_weight, reduction)(logits, target)
