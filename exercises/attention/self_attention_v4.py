"""Self-attention, level 4 of 4: everything from memory: fused projection, masks made here, dropout, float16.

The layer as an interviewer asks for it on a whiteboard ("Attention Is All You Need", Vaswani et al., 2017):
padding and causality come as plain arguments, and the layer combines them. Forbidden:
F.scaled_dot_product_attention, flex_attention and nn.MultiheadAttention. The built-in softmax and dropout are
allowed.
"""

from jaxtyping import Bool, Float
from torch import Tensor, nn


class SelfAttention(nn.Module):
    """Self-attention with a single head as wide as the tokens.

    Parameters, each an `nn.Linear` with a bias, and no others (buffers are free): `qkv_proj` from hidden_size
    to 3 * hidden_size, whose output is query, key and value side by side in this order, and `o_proj` from
    hidden_size to hidden_size, which is applied to the weighted mean of the values.
    """

    def __init__(self, hidden_size: int, dropout: float = 0.0) -> None:
        """hidden_size: features of a token, and of its query, key and value.

        dropout: probability of dropping an attention weight, in [0, 1), in training mode only.
        """
        raise NotImplementedError

    def forward(
        self,
        x: Float[Tensor, "batch seq hidden_size"],
        padding_mask: Bool[Tensor, "batch seq"] | None = None,
        is_causal: bool = False,
    ) -> Float[Tensor, "batch seq hidden_size"]:
        """Attention of every token over the tokens of its sequence; the scale is 1 / sqrt(hidden_size).

        padding_mask: True marks real tokens; no token attends to padding. The first token of a sequence is
        real, others may be padding anywhere. The result's rows of padding tokens may hold anything, but they
        must not spoil gradients: those of a loss over the real rows are right (a NaN that the loss leaves out
        can still reach them).
        is_causal: token i attends to the tokens 0 … i only. Both may be given: then both hold.
        Each call has its own masks, and a seq of any length.

        Dropout acts on the attention weights, after the softmax and before the product with the values, each
        weight on its own, as nn.Dropout does; nothing else is dropped, and nothing at all in evaluation. The
        result has the dtype of x and the parameters: float32, float64 or float16 (what you fill masked scores
        with has to fit in it). In float32 and float64 scores of up to a few thousand, of either sign, at
        allowed and forbidden places, do not overflow. Gradients reach x and every parameter. No argument is
        modified.
        """
        raise NotImplementedError
