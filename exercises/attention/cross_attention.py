"""Cross-attention: the queries come from one sequence, the keys and values from another.

From "Attention Is All You Need" (Vaswani et al., 2017), section 3.2.3: so every decoder layer reads the
encoder's output. Forbidden: nn.MultiheadAttention and F.scaled_dot_product_attention. The built-in softmax
and dropout are allowed.
"""

from jaxtyping import Bool, Float
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Multi-head attention from x over context.

    Parameters, each an `nn.Linear` with a bias, and no others (buffers are free): `q_proj` and `o_proj` from
    hidden_size to hidden_size, `k_proj` and `v_proj` from context_size to hidden_size. Head i owns the
    features i * head_dim … (i + 1) * head_dim - 1 of the outputs of `q_proj`, `k_proj` and `v_proj`, with
    head_dim = hidden_size // num_heads; `o_proj` gets the heads' results side by side in the same order.
    """

    def __init__(
        self, hidden_size: int, num_heads: int, context_size: int | None = None, dropout: float = 0.0
    ) -> None:
        """hidden_size: features of a token of x. context_size: those of a token of context, any positive
        number; None means hidden_size.

        dropout: probability of dropping an attention weight, in [0, 1), in training mode only.
        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size.
        """
        raise NotImplementedError

    def forward(
        self,
        x: Float[Tensor, "batch tgt hidden_size"],
        context: Float[Tensor, "batch src context_size"],
        mask: Bool[Tensor, "#batch #num_heads #tgt #src"] | None = None,
    ) -> Float[Tensor, "batch tgt hidden_size"]:
        """Attention of every token of x over all tokens of context, with scores scaled by 1 / sqrt(head_dim).

        mask: True = may be attended to, as (batch, head, token of x, token of context); any of the four sizes
        may be 1. Every token of x has at least one token of context that it may attend to.

        Dropout acts on the attention weights, each on its own, as nn.Dropout does, after the softmax and
        before the product with the values; in evaluation there is none. The result has the dtype of x,
        context and the parameters (float32 or float64). Scores of up to a few thousand, of either sign, at
        allowed and forbidden places, do not overflow. Gradients reach x, context and every parameter. No
        argument is modified. No call depends on an earlier one: each goes by the values that context and the
        parameters have then.
        """
        raise NotImplementedError
