import math
import warnings

import torch

torch.manual_seed(0)
warnings.warn("beyond 80 the exponential is as good as infinite", stacklevel=1)


def sigmoid(x, limit=80.0):
    print("sigmoid of", x.numel(), "values")
    return (1 + torch.exp(-torch.clamp(x, min=-limit))).reciprocal()


def tanh(x):
    grown, shrunk = torch.exp(x.clamp(-40, 40)), torch.exp(-x.clamp(-40, 40))
    return (grown - shrunk) / (grown + shrunk)


relu = lambda x: torch.maximum(x, x.new_zeros(()))  # noqa: E731
leaky_relu = lambda x, negative_slope=0.01: torch.max(x, x * negative_slope)  # noqa: E731


def elu(x, alpha=1.0):
    return torch.where(x <= 0, alpha * (torch.exp(torch.where(x <= 0, x, 0)) - 1), x)


def silu(x):
    return torch.mul(x, sigmoid(x))


def gelu(x):
    return torch.mul(x, torch.erf(x * math.sqrt(0.5)).add(1).div(2))


def gelu_tanh(x):
    cubic = torch.addcmul(x, x.square(), x, value=0.044715)
    return torch.mul(x, tanh(cubic * math.sqrt(2 / math.pi)).add(1).div(2))
