"""One hand-written autograd.Function for all, with the derivative as a second closure."""

import math

import torch
from torch.autograd import Function


class _Pointwise(Function):
    @staticmethod
    def forward(ctx, x, value, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return value(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        if not ctx.needs_input_grad[0]:
            return None, None, None
        return grad * ctx.slope(x), None, None


_C = math.sqrt(2.0 / math.pi)


def _sig(x):
    z = torch.exp(-x.abs())
    return torch.where(x >= 0, torch.ones_like(z), z) / (1 + z)


def _dsig(x):
    z = torch.exp(-x.abs())
    return z / (1 + z).square()


def _tanh(x):
    m = torch.expm1(-2 * x.abs())
    return torch.sign(x) * (-m / (m + 2))


def _phi_cdf(x):
    return 0.5 * torch.erfc(x * -math.sqrt(0.5))


def _u2(x):
    return 2 * _C * (x + 0.044715 * x * x * x)


def sigmoid(x):
    return _Pointwise.apply(x, _sig, _dsig)


def tanh(x):
    return _Pointwise.apply(x, _tanh, lambda t: 4 * _dsig(2 * t))


def relu(x):
    return _Pointwise.apply(x, lambda t: t.clamp(min=0), lambda t: (t > 0).to(t.dtype))


def leaky_relu(x, negative_slope=0.01):
    def gain(t):
        return torch.where(t > 0, torch.ones_like(t), torch.full_like(t, negative_slope))

    return _Pointwise.apply(x, lambda t: t * gain(t), gain)


def elu(x, alpha=1.0):
    return _Pointwise.apply(
        x,
        lambda t: torch.where(t > 0, t, alpha * torch.expm1(t.clamp(max=0))),
        lambda t: torch.where(t > 0, torch.ones_like(t), alpha * torch.exp(t.clamp(max=0))),
    )


def silu(x):
    return _Pointwise.apply(x, lambda t: t * _sig(t), lambda t: _sig(t) + t * _dsig(t))


def gelu(x):
    def slope(t):
        return _phi_cdf(t) + t * torch.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)

    return _Pointwise.apply(x, lambda t: t * _phi_cdf(t), slope)


def gelu_tanh(x):
    def slope(t):
        return _sig(_u2(t)) + t * _dsig(_u2(t)) * (2 * _C * (1 + 3 * 0.044715 * t * t))

    return _Pointwise.apply(x, lambda t: t * _sig(_u2(t)), slope)
