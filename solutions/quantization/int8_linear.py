"""INT8 linear layer (W8A8): weights and activations as 8-bit integers, with one scale for each row of either.

Absmax quantization by rows, as in "LLM.int8()" (Dettmers et al., 2022), without its outliers. Forbidden:
torch.ao, torch.quantize_* and torch.fake_quantize_*; torch._int_mm is allowed. Gradients and half precision
are not asked. Nothing is made on the default device where the arguments are on another one.
"""

import torch
from jaxtyping import Float, Int8
from torch import Tensor, nn


def quantize(x: Float[Tensor, "... n"]) -> tuple[Int8[Tensor, "... n"], Float[Tensor, "... 1"]]:
    """Whole numbers from -127 to 127 for the rows of x (along its last dimension), and each row's scale.

    scale = max |x| / 127, over the row, in x's dtype; q = x / scale, rounded to the nearest whole number. A
    row of zeros gets zeros, and any scale that is positive and finite. Gives (q, scale).

    x: float32 or float64, with any leading dimensions or none, n >= 1; not modified. In each row the largest
        |x| is 0 or at least 1e-4, and no x / scale is within 1e-4 of the middle between two whole numbers.
    """
    scale = x.abs().amax(dim=-1, keepdim=True) / 127  # (..., 1)
    scale = scale.masked_fill(scale == 0, 1.0)  # 0 / 0 would be NaN
    return torch.round(x / scale).to(torch.int8), scale


class Int8Linear(nn.Module):
    """nn.Linear with weight and input in int8. Made from a trained one; independent of it afterwards.

    It has no parameters, and these buffers:
        weight (out_features, in_features), int8: the linear's, quantized;
        scale (out_features, 1), in the dtype of the linear's weight: one for each output; it requires no
            gradient (a graph would keep the float weight alive);
        bias (out_features,): a copy of the linear's, or None where it has none.
    Nothing else is in the state dict, and forward works with what is loaded from one. Beside the int8 weight
    no other copy of it is kept, in whatever dtype, neither here nor elsewhere, and neither after a forward.
    The linear is not modified.
    """

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        weight, scale = quantize(linear.weight.detach())
        self.register_buffer("weight", weight)
        self.register_buffer("scale", scale)
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach().clone())

    def forward(self, x: Float[Tensor, "... in_features"]) -> Float[Tensor, "... out_features"]:
        """x weight^T + bias, with x quantized here, each token (row of the last dimension) by its own scale.

        The sum of products of whole numbers is exact: it is taken in int32 or wider, or in float64 (up to
        100,000 features are asked, so int32 holds it). Then it is multiplied by both scales, and the bias is
        added. The result has the dtype of x, which is that of the linear; in float64 it is right to 1e-12 of
        the largest value.

        x: any leading dimensions or none, at least 2 features (of 1 torch._int_mm is wrong on CPUs); values
            as for `quantize`; not modified. A row of zeros gives the bias.
        """
        q, x_scale = quantize(x)
        # Up to in_features * 127^2: too large for int8, and beyond 2^24 float32 has not all whole numbers.
        total = q.int() @ self.weight.int().T  # (..., out_features)
        # Both scales come out of the sum, as neither depends on the input feature that it runs over.
        out = total * x_scale * self.scale[:, 0]
        return out if self.bias is None else out + self.bias
