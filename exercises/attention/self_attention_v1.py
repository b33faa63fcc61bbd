"""Self-attention, level 1 of 4: the plain formula. Every token gets a weighted mean of all tokens' values.

softmax(Q K^T / sqrt(hidden_size)) V, from "Attention Is All You Need" (Vaswani et al., 2017), where queries,
keys and values are projections of the same tokens. Forbidden: F.scaled_dot_product_attention, flex_attention
and nn.MultiheadAttention, which do the exercise. The built-in softmax is allowed.
"""

from jaxtyping import Float
from torch import Tensor, nn


class SelfAttention(nn.Module):
    """Self-attention with a single head as wide as the tokens, without mask, dropout or output projection.

    Parameters: `q_proj`, `k_proj` and `v_proj`, each an `nn.Linear(hidden_size, hidden_size)` with a bias,
    and no others (buffers are free).
    """

    def __init__(self, hidden_size: int) -> None:
        """hidden_size: features of a token, and of its query, key and value."""
        raise NotImplementedError

    def forward(self, x: Float[Tensor, "batch seq hidden_size"]) -> Float[Tensor, "batch seq hidden_size"]:
        """Attention of every token over all tokens of its sequence; the scale is 1 / sqrt(hidden_size).

        The result has the dtype of x and the parameters (float32 or float64). Scores in the thousands, of
        either sign, do not overflow. Gradients reach x and every parameter. x is not modified.
        """
        raise NotImplementedError
