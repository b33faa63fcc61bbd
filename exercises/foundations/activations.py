"""Activations: the element-wise non-linearities of neural networks, stable in value and in gradient.

Each keeps shape and dtype (float32, float64) of `x` and does not modify it. Values and gradients are right
from -1000 to 1000 (0 will do for sizes below 1e-8), at 0 too but for kinks (relu, leaky_relu, elu with
alpha != 1).
Forbidden: all built-in activations (expit, softplus...). Allowed: exp, expm1, erf, erfc, abs, where, clamp...
"""

from jaxtyping import Float
from torch import Tensor


def sigmoid(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """1 / (1 + exp(-x))."""
    raise NotImplementedError


def tanh(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """(exp(x) - exp(-x)) / (exp(x) + exp(-x))."""
    raise NotImplementedError


def relu(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """x where positive, else 0."""
    raise NotImplementedError


def leaky_relu(x: Float[Tensor, "..."], negative_slope: float = 0.01) -> Float[Tensor, "..."]:
    """x where positive, else negative_slope * x. `negative_slope` lies in [0, 1]."""
    raise NotImplementedError


def elu(x: Float[Tensor, "..."], alpha: float = 1.0) -> Float[Tensor, "..."]:
    """x where positive, else alpha * (exp(x) - 1) (Clevert et al. 2015). `alpha` is positive."""
    raise NotImplementedError


def silu(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """x * sigmoid(x), also called Swish (Elfwing et al. 2017)."""
    raise NotImplementedError


def gelu(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """x * Phi(x), exactly, with Phi the standard normal distribution function (Hendrycks and Gimpel 2016)."""
    raise NotImplementedError


def gelu_tanh(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))); sqrt(2 / pi) to 6 digits at least.

    The approximation of gelu from the same paper; in PyTorch: approximate="tanh". It is off from the exact
    gelu by up to 5e-4, so neither passes for the other.
    """
    raise NotImplementedError
