"""A hand-written autograd.Function over a (channels, n) matrix, float64 inside, recomputing in backward."""

import torch
from torch import nn
from torch.autograd import Function


def _hat(rows, eps):
    mean = rows.mean(1, keepdim=True)
    centred = rows - mean
    var = centred.square().mean(1, keepdim=True)
    inv = (var + eps).rsqrt()
    return centred * inv, inv, mean, var


class _Normalize(Function):
    @staticmethod
    def forward(ctx, rows, weight, bias, eps):
        ctx.save_for_backward(rows, weight)
        ctx.eps = eps
        hat, _, mean, var = _hat(rows.double(), eps)
        out = (hat * weight.double()[:, None] + bias.double()[:, None]).to(rows.dtype)
        mean, var = mean.squeeze(1), var.squeeze(1)
        ctx.mark_non_differentiable(mean, var)
        return out, mean, var

    @staticmethod
    def backward(ctx, grad, _mean, _var):
        rows, weight = ctx.saved_tensors
        hat, inv, _, _ = _hat(rows.double(), ctx.eps)
        g = grad.double()
        grad_rows = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            a = g * weight.double()[:, None]
            grad_rows = inv * (a - a.mean(1, keepdim=True) - hat * (a * hat).mean(1, keepdim=True))
            grad_rows = grad_rows.to(rows.dtype)
        if ctx.needs_input_grad[1]:
            grad_weight = (g * hat).sum(1).to(weight.dtype)
        if ctx.needs_input_grad[2]:
            grad_bias = g.sum(1).to(weight.dtype)
        return grad_rows, grad_weight, grad_bias, None


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))

    def forward(self, x):
        turned = x.transpose(0, 1)
        rows = turned.flatten(1)
        if self.training:
            out, mean, var = _Normalize.apply(rows, self.weight, self.bias, self.eps)
            n = rows.shape[1]
            with torch.no_grad():
                self.running_mean.mul_(1 - self.momentum).add_(self.momentum * mean.to(x.dtype))
                self.running_var.mul_(1 - self.momentum).add_(
                    self.momentum * (var * (n / (n - 1))).to(x.dtype)
                )
        else:
            mean = self.running_mean.clone().unsqueeze(1)
            inv = (self.running_var + self.eps).rsqrt().unsqueeze(1)
            out = (rows - mean) * inv * self.weight.unsqueeze(1) + self.bias.unsqueeze(1)
        return out.view(turned.shape).transpose(0, 1)
