"""An autograd.Function with the gradient p (1 - y + w y) - w y; losses from the magnitude of the logit."""

import torch


class _BCE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, w):
        ctx.save_for_backward(x, y, w)
        tail = torch.log1p(torch.exp(-x.abs()))
        return w * y * (tail + (-x).clamp(min=0)) + (1 - y) * (tail + x.clamp(min=0))

    @staticmethod
    def backward(ctx, grad):
        x, y, w = ctx.saved_tensors
        # -p(-x) w y + p(x) (1 - y): two sigmoids, neither is a difference from one
        return grad * ((1 - y) * torch.sigmoid(x) - w * y * torch.sigmoid(-x)), None, None


def binary_cross_entropy_with_logits(logits, target, pos_weight=None, reduction="mean"):
    if reduction not in ("none", "sum", "mean"):
        raise ValueError(f"unknown reduction {reduction!r}")
    w = torch.ones_like(target) if pos_weight is None else pos_weight.detach().expand(logits.shape)
    rows = _BCE.apply(logits, target.detach(), w)
    if reduction == "none":
        return rows
    return rows.sum() if reduction == "sum" else rows.mean()
