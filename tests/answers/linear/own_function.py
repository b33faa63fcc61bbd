"""An autograd.Function around both directions, and gradients in a named tuple."""

from collections import namedtuple

import torch

Gradients = namedtuple("Gradients", "x weight bias")


def linear_backward(grad_output, x, weight):
    print("backward", tuple(grad_output.shape))
    leading = grad_output.shape[:-1]
    rows = leading.numel()
    flat = grad_output.contiguous().view(rows, -1)
    return Gradients(
        x=torch.mm(flat, weight).view(*leading, weight.size(1)),
        weight=torch.mm(flat.t(), x.contiguous().view(rows, -1)),
        bias=torch.ones(1, rows, dtype=flat.dtype, device=flat.device).mm(flat).squeeze(0),
    )


class Apply(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        out = torch.matmul(x, weight.transpose(0, 1))
        return out.add_(bias) if ctx.has_bias else out

    @staticmethod
    def backward(ctx, grad_output):
        found = linear_backward(grad_output, *ctx.saved_tensors)
        return found.x, found.weight, found.bias if ctx.has_bias else None


def linear(x, weight, bias=None):
    return Apply.apply(x, weight, bias)


class Linear(torch.nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        spread = in_features**-0.5
        draw = lambda *shape: torch.nn.Parameter((2 * torch.rand(*shape) - 1) * spread)  # noqa: E731
        self.weight = draw(out_features, in_features)
        if bias:
            self.bias = draw(out_features)

    def forward(self, x):
        return linear(x, self.weight, getattr(self, "bias", None))
