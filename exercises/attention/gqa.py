"""Grouped-query attention: several query heads share one key/value head, so that the KV cache shrinks.

From "GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints" (Ainslie et al.,
2023); Llama 2 70B and many models since use it. Forbidden: nn.MultiheadAttention and
F.scaled_dot_product_attention. The built-in softmax and dropout are allowed.
"""

from jaxtyping import Bool, Float
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """Self-attention with num_heads query heads and num_kv_heads key/value heads.

    Parameters, each an `nn.Linear` with a bias, and no others (buffers are free): `q_proj` and `o_proj` from
    hidden_size to hidden_size, `k_proj` and `v_proj` from hidden_size to num_kv_heads * head_dim, with
    head_dim = hidden_size // num_heads. Head i owns the features i * head_dim … (i + 1) * head_dim - 1 of its
    projection; `o_proj` gets the query heads' results side by side in their order.
    """

    def __init__(self, hidden_size: int, num_heads: int, num_kv_heads: int, dropout: float = 0.0) -> None:
        """num_kv_heads: between 1 (multi-query attention) and num_heads (multi-head attention).

        dropout: probability of dropping an attention weight, in [0, 1), in training mode only.
        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size, or num_kv_heads does
        not divide num_heads.
        """
        raise NotImplementedError

    def forward(
        self,
        x: Float[Tensor, "batch seq hidden_size"],
        mask: Bool[Tensor, "#batch #num_heads #seq #seq"] | None = None,
    ) -> Float[Tensor, "batch seq hidden_size"]:
        """Attention of every token over all tokens, with scores scaled by 1 / sqrt(head_dim).

        Query head i reads key/value head i // (num_heads // num_kv_heads).
        mask: True = may be attended to, as (batch, query head, query, key); any of the four sizes may be 1.
        Every query has at least one key that it may attend to.

        Dropout acts on the attention weights, each on its own, as nn.Dropout does, after the softmax and
        before the product with the values; in evaluation there is none. The result has the dtype of x and the
        parameters (float32 or float64). Scores of up to a few thousand, of either sign, at allowed and
        forbidden places, do not overflow. Gradients reach x and every parameter. No argument is modified.
        """
        raise NotImplementedError
