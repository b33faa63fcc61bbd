"""RMS normalization: each vector is divided by the root of its features' mean square, then scaled.

Layer norm without the mean and the bias (Zhang and Sennrich 2019, https://arxiv.org/abs/1910.07467), used by
Llama, Mistral and most other recent decoders. Forbidden: the built-in layer, group, batch, instance and RMS
norms; vector norms are allowed.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """weight * x / sqrt(mean(x**2) + eps), with the mean over the last dimension; nothing is subtracted.

    Parameter: `weight` (hidden_size,), at first ones; no others.
    """

    def __init__(self, hidden_size: int, eps: float = 1e-6) -> None:
        """`eps` is added to the mean square, inside the root."""
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden_size))

    def forward(self, x: Float[Tensor, "... hidden_size"]) -> Float[Tensor, "... hidden_size"]:
        """`x` normalized, in the dtype of `x`: float32, float64, float16 or bfloat16. `x` is not modified.

        The weight has that dtype too, or is float32 while `x` is float16 or bfloat16: the result has the
        dtype of `x` all the same. For these two the mean square is computed in float32, so that float16
        values of 300 do not overflow, with weights of 300 neither, nor those of 1e-4 underflow; whether you
        round before or after the weight is up to you. In float64, right to 1e-6 of the largest value will do,
        for gradients too.
        In float32 and float64 the gradients of `x` and `weight` are the true ones: they flow through the
        mean square too. Vectors of zeros give zeros, with finite gradients.
        """
        # float16 ends at 65504, less than 256 squared. Wider types stay as they are.
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        mean_square = wide.square().mean(dim=-1, keepdim=True)
        normalized = wide * torch.rsqrt(mean_square + self.eps)
        # A float32 weight would make the result float32, and all that follows.
        return (self.weight * normalized).to(x.dtype)
