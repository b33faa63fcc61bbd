"""The position-wise feed-forward network of a transformer block: widen, activate, narrow.

From "Attention Is All You Need" (Vaswani et al., 2017), section 3.3, with ReLU; BERT and GPT use GELU. Every
token passes alone: attention mixes tokens, this layer mixes features. Nothing is forbidden: built-in layers,
activations and dropout are allowed.
"""

from jaxtyping import Float
from torch import Tensor, nn


class FeedForward(nn.Module):
    """down_proj(activation(up_proj(x))), with dropout on the result.

    Parameters, each an `nn.Linear` with a bias, and no others: `up_proj` from hidden_size to
    intermediate_size, `down_proj` from intermediate_size to hidden_size.
    """

    def __init__(
        self, hidden_size: int, intermediate_size: int, activation: str = "relu", dropout: float = 0.0
    ) -> None:
        """activation: "relu", "gelu" (exact: x Φ(x), with erf) or "gelu_tanh" (its tanh approximation).

        Any other word raises ValueError (or AssertionError), here in the constructor.
        dropout: probability, below 1, of dropping an entry of the output, in training mode only.
        """
        raise NotImplementedError

    def forward(self, x: Float[Tensor, "... hidden_size"]) -> Float[Tensor, "... hidden_size"]:
        """The network applied to each vector along the last dimension, without a residual connection or norm.

        x may have any number of leading dimensions, also none. Dropout acts on the output only, after
        `down_proj`, as nn.Dropout does: each entry on its own, those kept divided by 1 - dropout; in
        evaluation there is none. The result has the dtype of x and the parameters (float32 or float64), and
        is right for hidden values of any size: each activation of z goes to 0 far below zero, and to z far
        above. Gradients reach x and every parameter; they are asked for hidden values between -10 and 10.
        x is not modified.
        """
        raise NotImplementedError
