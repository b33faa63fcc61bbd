"""Scaled dot-product attention: every query reads a weighted mean of the values.

softmax(Q K^T / sqrt(head_dim)) V, from "Attention Is All You Need" (Vaswani et al., 2017). Forbidden:
F.scaled_dot_product_attention, flex_attention and nn.MultiheadAttention, which do the exercise. The built-in
softmax is allowed.
"""

from jaxtyping import Bool, Float
from torch import Tensor


def scaled_dot_product_attention(
    query: Float[Tensor, "... q_len head_dim"],
    key: Float[Tensor, "... kv_len head_dim"],
    value: Float[Tensor, "... kv_len value_dim"],
    mask: Bool[Tensor, "... #q_len #kv_len"] | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Float[Tensor, "... q_len value_dim"]:
    """Attention of every query over all keys.

    Leading dimensions: any number, also none; query, key and value have the same ones.
    mask: True = may be attended to; broadcasts against the scores `(..., q_len, kv_len)`. Every query has at
    least one key that it may attend to.
    is_causal: query i attends to the keys 0 … i only. Used only with q_len == kv_len, and never together
    with a mask.
    scale: the factor of the scores; None means 1 / sqrt(head_dim). 0.0 is a scale like any other.

    The result has the dtype of the inputs: float32, float64 and float16 (what you fill masked scores with has
    to fit in it). In float32 and float64 it stays right, to 1e-3, with scaled scores of up to 2000, of either
    sign, at allowed and forbidden places. Gradients reach query, key and value. No argument is modified.
    """
    raise NotImplementedError
