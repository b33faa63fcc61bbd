"""Layer normalization: mean 0 and variance 1 over each vector's own features, then learned scale and shift.

It has no statistics over the batch, so training and evaluation are the same and a batch of one works (Ba,
Kiros and Hinton 2016, https://arxiv.org/abs/1607.06450). Forbidden: the built-in layer, group, batch,
instance and RMS norms; vector norms are allowed.
"""

from jaxtyping import Float
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """weight * (x - mean) / sqrt(variance + eps) + bias, with mean and variance over the last dimension.

    Parameters: `weight` (hidden_size,), at first ones, and `bias` (hidden_size,), at first zeros; no others.
    """

    def __init__(self, hidden_size: int, eps: float = 1e-5) -> None:
        """`eps` is added to the variance, inside the root."""
        raise NotImplementedError

    def forward(self, x: Float[Tensor, "... hidden_size"]) -> Float[Tensor, "... hidden_size"]:
        """`x` normalized, in the dtype of `x` and the parameters (float32 or float64); `x` is not modified.

        `x` may have any layout (transposed, say). float64 is computed in float64. The variance is the biased
        one: divided by hidden_size. The result is accurate also where the mean is large beside the spread
        (1e3 plus noise of size 1, in float32). The gradients of `x`, `weight` and `bias` are the true ones:
        they flow through mean and variance too.
        """
        raise NotImplementedError
