"""As one would plug them into autograd: classes with a backward, which is then called by hand."""

from types import SimpleNamespace

import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.dim = dim
        y = torch.softmax(x, dim)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        product = y * grad
        return product - y * product.sum(ctx.dim, keepdim=True), None


class LogSoftmax(torch.autograd.Function):
    @staticmethod
    def backward(ctx, grad):
        (log_y,) = ctx.saved_tensors
        return grad - torch.exp(log_y) * torch.sum(grad, ctx.dim, keepdim=True), None


@torch.no_grad()
def softmax_backward(grad_output, output, dim=-1):
    return Softmax.backward(SimpleNamespace(saved_tensors=(output,), dim=dim), grad_output)[0]


@torch.no_grad()
def log_softmax_backward(grad_output, output, dim=-1):
    return LogSoftmax.backward(SimpleNamespace(saved_tensors=(output,), dim=dim), grad_output)[0]


@torch.inference_mode()
def cross_entropy_backward(grad_output, log_probs, target, ignore_index=-100):
    keep = (target != ignore_index).to(log_probs.dtype)
    safe = torch.where(keep.bool(), target, torch.zeros_like(target))
    places = torch.arange(log_probs.size(1), device=log_probs.device)
    delta = (places == safe.unsqueeze(-1)).type_as(log_probs)
    print("kept", keep.sum())
    return (log_probs.exp() - delta) * keep.unsqueeze(-1) * grad_output / keep.sum()
