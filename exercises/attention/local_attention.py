"""Local attention: every token sees its neighbours only, in memory that grows linearly with the sequence.

The sliding window of Longformer (Beltagy et al., 2020), to both sides as in an encoder. Forbidden:
flex_attention. F.scaled_dot_product_attention is allowed, on blocks. Where costs are counted, compute in
torch, not in NumPy.
"""

from jaxtyping import Float
from torch import Tensor


def local_attention(
    query: Float[Tensor, "batch heads seq head_dim"],
    key: Float[Tensor, "batch heads seq head_dim"],
    value: Float[Tensor, "batch heads seq head_dim"],
    window: int,
) -> Float[Tensor, "batch heads seq head_dim"]:
    """Attention in which query i sees the keys j with |i - j| <= window, the later ones too.

    Scores are scaled by 1 / sqrt(head_dim). window: at least 0, where each token sees itself alone; it may be
    seq or more, where all see all. seq is any number from 1 on: nothing need divide it.

    Memory is linear in seq. Where seq is at least 130 and at least 8 * window, and larger than batch, heads
    and head_dim, no operation of the call makes a tensor, views and masks included, whose last two sizes are
    both seq or more. Whatever their shapes, the tensors alive at one time have together fewer numbers than a
    tenth of all pairs of tokens, where the sequence is long: tried without gradients, with 12,288 tokens, one
    head of size 8 and a window of 16, so that blocks of some hundred queries are far from it.

    The result has the dtype and the device of the inputs, float32 or float64. Scores of up to a few thousand,
    of either sign, do not overflow. Gradients reach query, key and value. No argument is modified.
    """
    raise NotImplementedError
