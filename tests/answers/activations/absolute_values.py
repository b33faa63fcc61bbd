"""No branches: everything from |x| and exp(-|x|), which is at most 1."""

from math import pi

import torch


def sigmoid(x):
    # -log(sigmoid(x)) = (|x| - x) / 2 + log(1 + exp(-|x|)), and at 0 the slope of -x / 2 is what is left
    magnitude = x.abs()
    return torch.exp((x - magnitude) / 2 - torch.log1p(torch.exp(-magnitude)))


def tanh(x):
    return sigmoid(2 * x) - sigmoid(-2 * x)


def relu(x):
    return (x + x.abs()) / 2


def leaky_relu(x, negative_slope=0.01):
    return (1 + negative_slope) / 2 * x + (1 - negative_slope) / 2 * x.abs()


def elu(x, alpha=1.0):
    zero = torch.zeros_like(x)
    return torch.maximum(x, zero) + alpha * torch.minimum(x, zero).expm1()


def silu(x):
    return sigmoid(x) * x


def gelu(x):
    return x * torch.erfc(x * -(0.5**0.5)) / 2


def gelu_tanh(x):
    # (1 + tanh(u)) / 2 = sigmoid(2 u)
    return x * sigmoid((8 / pi) ** 0.5 * (x + 0.044715 * x.pow(3)))
