"""The linear layer, y = x Wᵀ + b, and its backward pass by hand: matrix products in both directions.

Every projection of a transformer is one. Forbidden: F.linear, nn.Linear, F.bilinear, nn.Bilinear; autograd,
however it is reached (torch.autograd.grad, backward, calling a grad_fn, torch.func, forward mode), but for a
Function of your own. Matrix products (@, matmul, mm, addmm), einsum and torch.nn.init are allowed.
"""

from jaxtyping import Float
from torch import Tensor, nn


def linear(
    x: Float[Tensor, "... in_features"],
    weight: Float[Tensor, "out_features in_features"],
    bias: Float[Tensor, "out_features"] | None = None,
) -> Float[Tensor, "... out_features"]:
    """`x` times the transposed weight, plus the bias if there is one.

    `x` has any number of leading dimensions, also none: a vector gives a vector. Sizes are at least 1, any
    layout (not contiguous, say). All arguments have one dtype, float32 or float64, and the result has it too;
    it is on their device, whatever the default device is. No argument is modified. The gradients of `x`,
    `weight` and `bias` are the true ones.
    """
    raise NotImplementedError


def linear_backward(
    grad_output: Float[Tensor, "... out_features"],
    x: Float[Tensor, "... in_features"],
    weight: Float[Tensor, "out_features in_features"],
) -> tuple[
    Float[Tensor, "... in_features"],
    Float[Tensor, "out_features in_features"],
    Float[Tensor, "out_features"],
]:
    """The gradients of x, weight and bias, in this order, where `grad_output` is that of linear's result.

    Those of weight and bias are *summed* over all leading dimensions. Of these there may be any number, also
    none. That of the bias is always given. What is said of layout, dtype, device and arguments at `linear`
    holds here too.
    """
    raise NotImplementedError


class Linear(nn.Module):
    """`linear` with weights of its own. Parameters: `weight` and, unless bias=False, `bias`; no others."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        """Both parameters start as in nn.Linear: uniform between ±1/sqrt(in_features), in float32 where
        that is the default dtype.

        `weight` is (out_features, in_features), `bias` (out_features,). Each number is drawn by itself,
        anew for each layer; what random numbers you use is up to you. With bias=False there is no parameter
        `bias` (an attribute that is None is fine).
        """
        raise NotImplementedError

    def forward(self, x: Float[Tensor, "... in_features"]) -> Float[Tensor, "... out_features"]:
        """What `linear` gives with its parameters; the module may have been moved to another device."""
        raise NotImplementedError
