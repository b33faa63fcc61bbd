"""An autograd.Function with its own backward."""

import torch


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        exps = (x - x.amax(dim=dim, keepdim=True)).exp()
        y = exps / exps.sum(dim=dim, keepdim=True)
        ctx.save_for_backward(y)
        ctx.dim = dim
        return y

    @staticmethod
    def backward(ctx, gradient):
        (y,) = ctx.saved_tensors
        return y * (gradient - (gradient * y).sum(dim=ctx.dim, keepdim=True)), None


def softmax(x, dim=-1):
    return _Softmax.apply(x, dim)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted - shifted.exp().sum(dim=dim, keepdim=True).log()
