"""Every function with its value and its derivative, written down by hand."""

import math

import torch


class Elementwise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, value, derivative):
        ctx.save_for_backward(x)
        ctx.derivative = derivative
        return value(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * ctx.derivative(x), None, None


def _s(x):
    z = torch.exp(-torch.abs(x))
    return torch.where(x < 0, z, torch.ones_like(z)) / (1 + z)


def _t(x):
    z = torch.exp(-2 * torch.abs(x))
    return torch.sign(x) * (1 - z) / (1 + z)


def _step(x):
    return (x > 0).to(x.dtype)


def sigmoid(x):
    return Elementwise.apply(x, _s, lambda x: _s(x) * _s(-x))


def tanh(x):
    return Elementwise.apply(x, _t, lambda x: 1 - _t(x) ** 2)


def relu(x):
    return Elementwise.apply(x, lambda x: x * _step(x), _step)


def leaky_relu(x, negative_slope=0.01):
    def slope(x):
        return _step(x) + negative_slope * (1 - _step(x))

    return Elementwise.apply(x, lambda x: x * slope(x), slope)


def elu(x, alpha=1.0):
    def low(x):
        return torch.exp(torch.clamp(x, max=0.0))

    return Elementwise.apply(
        x,
        lambda x: torch.where(x > 0, x, alpha * (low(x) - 1)),
        lambda x: torch.where(x > 0, torch.ones_like(x), alpha * low(x)),
    )


def silu(x):
    return Elementwise.apply(x, lambda x: x * _s(x), lambda x: _s(x) * (1 + x * _s(-x)))


def gelu(x):
    def cdf(x):
        return (1 + torch.erf(x / math.sqrt(2.0))) / 2

    def density(x):
        return torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)

    return Elementwise.apply(x, lambda x: x * cdf(x), lambda x: cdf(x) + x * density(x))


def gelu_tanh(x):
    c = math.sqrt(2 / math.pi)

    def t(x):
        return _t(c * (x + 0.044715 * x**3))

    return Elementwise.apply(
        x,
        lambda x: 0.5 * x * (1 + t(x)),
        lambda x: 0.5 * (1 + t(x)) + 0.5 * x * (1 - t(x) ** 2) * c * (1 + 3 * 0.044715 * x**2),
    )
