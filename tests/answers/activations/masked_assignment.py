import math

import torch


def _by_sign(x, when_positive, otherwise):
    out = torch.empty_like(x)
    positive = x > 0
    out[positive] = when_positive(x[positive])
    out[~positive] = otherwise(x[~positive])
    return out


def sigmoid(x):
    return _by_sign(x, lambda p: 1 / (1 + torch.exp(-p)), lambda n: torch.exp(n) / (torch.exp(n) + 1))


def tanh(x):
    def of_negative(n):
        t = torch.expm1(2 * n)
        return t / (t + 2)

    return _by_sign(x, lambda p: -of_negative(-p), of_negative)


def relu(x):
    return _by_sign(x, lambda p: p, torch.zeros_like)


def leaky_relu(x, negative_slope=0.01):
    return _by_sign(x, lambda p: p, lambda n: n * negative_slope)


def elu(x, alpha=1.0):
    return _by_sign(x, lambda p: p, lambda n: alpha * (torch.exp(n) - 1))


def silu(x):
    return x * sigmoid(x)


def gelu(x):
    return 0.5 * (x + x * torch.special.erf(x / 2**0.5))


def gelu_tanh(x):
    return 0.5 * (x + x * tanh((2 / math.pi) ** 0.5 * x * (1 + 0.044715 * x * x)))
