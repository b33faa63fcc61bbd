"""Through logarithms: log(sigmoid(x)) = -log(exp(0) + exp(-x)); the normal distribution function as it is."""

import math

import torch
from torch import special


def sigmoid(x):
    return torch.exp(-torch.logaddexp(torch.zeros_like(x), -x))


def tanh(x):
    return sigmoid(2 * x).mul(2).sub(1)


def relu(x):
    return torch.where(x > 0, x, 0)


def leaky_relu(x, negative_slope=0.01):
    return x.clamp(min=0) + negative_slope * x.clamp(max=0)


def elu(x, alpha=1.0):
    return torch.where(x > 0, x, alpha * special.expm1(torch.where(x > 0, torch.zeros_like(x), x)))


def silu(x):
    return x * sigmoid(x)


def gelu(x):
    return x * special.ndtr(x)


def gelu_tanh(x):
    scale = torch.tensor(math.sqrt(8 / math.pi))  # float32, whatever x is
    return x * sigmoid(scale * (x + 0.044715 * x**3))
