"""ALiBi, attention with linear biases: the further apart query and key are, the less their score.

Each head has a slope of its own, fixed and not learned; nothing is added to the tokens. From "Train Short,
Test Long: Attention with Linear Biases Enables Input Length Extrapolation" (Press et al., 2021). Nothing is
forbidden. All sizes are at least 1. The default float dtype is float32 or float64.
"""

from jaxtyping import Float
from torch import Tensor


def alibi_slopes(num_heads: int) -> Float[Tensor, "num_heads"]:
    """The slope of each head, all positive, in the default float dtype and on the default device, those at
    the time of the call.

    For a power of two n the slope of head i = 1 … n is 2^(-8 i / n), in this order. For other numbers, with n
    the next smaller power of two: first the slopes of n heads, then every second of the slopes of 2 n heads
    (its first, third, fifth, …), as many as are missing. So for 3 heads: those of 2, then the first of 4.
    """
    raise NotImplementedError


def alibi_bias(num_heads: int, q_len: int, kv_len: int) -> Float[Tensor, "num_heads q_len kv_len"]:
    """What is added to the scores of each head before softmax: -slope * |distance of query and key|.

    The last query is at the place of the last key, as behind a cache: query i is at the place of key
    i + kv_len - q_len. Keys behind the query are no exception: a causal mask is another matter. q_len may
    also be larger than kv_len. Default float dtype and device, as for the slopes.
    """
    raise NotImplementedError
