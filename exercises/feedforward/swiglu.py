"""SwiGLU: a feed-forward network whose hidden layer is the product of a gate and a value.

From "GLU Variants Improve Transformer" (Shazeer, 2020); Llama and most later models use it. A narrower
hidden layer makes up for the third matrix: 2/3 of the usual width gives the same number of weights. Nothing
is forbidden: built-in layers, activations and dropout are allowed.
"""

from jaxtyping import Float
from torch import Tensor, nn


def swiglu_intermediate_size(hidden_size: int, multiple_of: int = 1) -> int:
    """The width of the hidden layer that Llama takes: int(2/3 * 4 * hidden_size), rounded up to a multiple.

    The fraction is cut off first; the integer is then rounded up to the next multiple of multiple_of, and
    stays if it is one already. An int is returned. Both arguments are positive ints.
    """
    raise NotImplementedError


class SwiGLU(nn.Module):
    """down_proj(silu(gate_proj(x)) * up_proj(x)), with dropout on the result; silu(z) is z * sigmoid(z).

    Parameters, each an `nn.Linear` with bias=False, and no others: `gate_proj` and `up_proj` from hidden_size
    to intermediate_size, `down_proj` from intermediate_size to hidden_size.
    """

    def __init__(self, hidden_size: int, intermediate_size: int, dropout: float = 0.0) -> None:
        """intermediate_size: the width of the hidden layer, taken as it is (not scaled or rounded).

        dropout: probability, below 1, of dropping an entry of the output, in training mode only.
        """
        raise NotImplementedError

    def forward(self, x: Float[Tensor, "... hidden_size"]) -> Float[Tensor, "... hidden_size"]:
        """The network applied to each vector along the last dimension, without a residual connection or norm.

        x may have any number of leading dimensions, also none. Dropout acts on the output only, after
        `down_proj`, as nn.Dropout does: each entry on its own, those kept divided by 1 - dropout; in
        evaluation there is none. The result has the dtype of x and the parameters (float32 or float64), and
        is right for gates of any size: silu(z) goes to 0 far below zero, and to z far above.
        Gradients reach x and every parameter; they are asked for gates between -80 and 80. x is not modified.
        """
        raise NotImplementedError
