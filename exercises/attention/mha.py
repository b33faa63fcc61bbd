"""Multi-head attention: several attentions in parallel, each over its own slice of the features.

From "Attention Is All You Need" (Vaswani et al., 2017), section 3.2.2; here as self-attention. Forbidden:
nn.MultiheadAttention and F.scaled_dot_product_attention. The built-in softmax and dropout are allowed.
"""

from jaxtyping import Bool, Float
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Multi-head self-attention.

    Parameters: `q_proj`, `k_proj`, `v_proj` and `o_proj`, each an `nn.Linear(hidden_size, hidden_size)` with
    a bias, and no others (buffers are free). Head i owns the features i * head_dim … (i + 1) * head_dim - 1
    of the first three's outputs, with head_dim = hidden_size // num_heads; `o_proj` gets the heads' results
    side by side in the same order.
    """

    def __init__(self, hidden_size: int, num_heads: int, dropout: float = 0.0) -> None:
        """hidden_size: features of a token, divided evenly among num_heads heads.

        dropout: probability of dropping an attention weight, in [0, 1), in training mode only.
        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size.
        """
        raise NotImplementedError

    def forward(
        self,
        x: Float[Tensor, "batch seq hidden_size"],
        mask: Bool[Tensor, "#batch #num_heads #seq #seq"] | None = None,
    ) -> Float[Tensor, "batch seq hidden_size"]:
        """Attention of every token over all tokens, with scores scaled by 1 / sqrt(head_dim).

        mask: True = may be attended to, as (batch, head, query, key); any of the four sizes may be 1. Every
        query has at least one key that it may attend to.

        Dropout acts on the attention weights, each on its own, as nn.Dropout does, after the softmax and
        before the product with the values; in evaluation there is none. The result has the dtype of x and the
        parameters (float32 or float64). Scores of up to a few thousand, of either sign, at allowed and
        forbidden places, do not overflow. Gradients reach x and every parameter. No argument is modified.
        """
        raise NotImplementedError
