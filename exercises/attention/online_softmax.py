"""Online softmax: attention of one query in a single pass over the keys and values.

From "Online normalizer calculation for softmax" (Milakov and Gimelshein, 2018). Keys and values come block by
block and are never kept, which is what lets FlashAttention (Dao et al., 2022) avoid the matrix of scores.
NumPy only: torch is forbidden.
"""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float


def online_attention(
    query: Float[np.ndarray, "head_dim"],
    blocks: Iterable[tuple[Float[np.ndarray, "block head_dim"], Float[np.ndarray, "block value_dim"]]],
    scale: float | None = None,
) -> Float[np.ndarray, "value_dim"]:
    """softmax(scale * keys @ query) @ values, over the rows of all blocks together.

    blocks: pairs (keys, values), at least one, each with at least one row; the number of rows varies from
    block to block. It is any iterable, perhaps a generator: go through it once. Use a block before you ask
    for the next one, which may come in the same two arrays.
    scale: the factor of the scores; None means 1 / sqrt(head_dim). 0.0 is a scale like any other;
    negative ones are not asked for.

    Memory does not grow with the number of blocks: neither blocks nor scores are kept, only the largest score
    so far, the denominator and the output. Scores up to ±1e4 give right values, in any order.
    The result has the dtype of the query, float32 or float64; keys and values have it too. Neither the query
    nor a block is modified.
    """
    raise NotImplementedError
