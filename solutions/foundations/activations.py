"""Activations: the element-wise non-linearities of neural networks, stable in value and in gradient.

Each keeps shape and dtype (float32, float64) of `x` and does not modify it. Values and gradients are right
from -1000 to 1000 (0 will do for sizes below 1e-8), at 0 too but for kinks (relu, leaky_relu, elu with
alpha != 1).
Forbidden: all built-in activations (expit, softplus...). Allowed: exp, expm1, erf, erfc, abs, where, clamp...
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor


def sigmoid(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """1 / (1 + exp(-x))."""
    # Each branch sees only its own side, so no exp overflows. torch.where over an overflowing exp would
    # not do: backward multiplies the infinite derivative of the branch not taken by 0, and that is NaN.
    exp_minus = torch.exp(-x.clamp(min=0))
    exp_plus = torch.exp(x.clamp(max=0))
    return torch.where(x >= 0, 1 / (1 + exp_minus), exp_plus / (1 + exp_plus))


def tanh(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """(exp(x) - exp(-x)) / (exp(x) + exp(-x))."""
    # The quotient as written is inf / inf for large x; a stretched sigmoid is the same function. (Near 0 the
    # difference leaves few digits of a tiny value, with an absolute error like that of 1: enough here.)
    return 2 * sigmoid(2 * x) - 1


def relu(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """x where positive, else 0."""
    return x.clamp(min=0)


def leaky_relu(x: Float[Tensor, "..."], negative_slope: float = 0.01) -> Float[Tensor, "..."]:
    """x where positive, else negative_slope * x. `negative_slope` lies in [0, 1]."""
    return torch.where(x > 0, x, negative_slope * x)


def elu(x: Float[Tensor, "..."], alpha: float = 1.0) -> Float[Tensor, "..."]:
    """x where positive, else alpha * (exp(x) - 1) (Clevert et al. 2015). `alpha` is positive."""
    # expm1 keeps the digits that exp(x) - 1 loses near 0; the clamp keeps the branch not taken finite.
    negative = alpha * torch.expm1(x.clamp(max=0))
    return torch.where(x > 0, x, negative)


def silu(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """x * sigmoid(x), also called Swish (Elfwing et al. 2017)."""
    return x * sigmoid(x)


def gelu(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """x * Phi(x), exactly, with Phi the standard normal distribution function (Hendrycks and Gimpel 2016)."""
    phi = 0.5 * (1 + torch.erf(x / math.sqrt(2)))
    return x * phi


def gelu_tanh(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))); sqrt(2 / pi) to 6 digits at least.

    The approximation of gelu from the same paper; in PyTorch: approximate="tanh". It is off from the exact
    gelu by up to 5e-4, so neither passes for the other.
    """
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1 + tanh(inner))
