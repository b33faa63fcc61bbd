"""Relative position bias: a learned number for each head and distance of query and key, added to the scores.

Clipped distances are from "Self-Attention with Relative Position Representations" (Shaw et al., 2018), a
number instead of a vector and the buckets from T5 (Raffel et al., 2019). Nothing is forbidden.
"""

from jaxtyping import Float, Int
from torch import Tensor, nn


class RelativePositionBias(nn.Module):
    """Distances beyond max_distance share their number with max_distance, on either side.

    `embedding`, an nn.Embedding(2 * max_distance + 1, num_heads), is all that is learned (buffers are free):
    row 0 is for a key max_distance or more before the query, row max_distance for the query's own place.
    """

    def __init__(self, num_heads: int, max_distance: int) -> None:
        raise NotImplementedError

    def forward(self, q_len: int, kv_len: int) -> Float[Tensor, "1 num_heads q_len kv_len"]:
        """The bias of query i and key j is row clamp(j - i, -max_distance, max_distance) + max_distance.

        i counts from 0 to q_len - 1, j from 0 to kv_len - 1: both begin at the same place, also where the
        lengths differ. The result has the dtype of embedding.weight (float32 or float64) and is on its
        device, whatever the default device is.
        """
        raise NotImplementedError


def t5_bucket(
    relative_position: Int[Tensor, "..."],
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Int[Tensor, "..."]:
    """T5's bucket for each relative position (key minus query, int64): near ones alone, far ones together.

    bidirectional: keys behind the query (relative position above 0) have the upper half of the buckets, all
        others the lower half. Otherwise all buckets are for keys before the query, and those behind it share
        bucket 0 with distance 0.
    Of the n buckets of one direction, the first e = n / 2 are for the distances 0, 1, …, e - 1. A distance
    d from e on has bucket e + floor(log(d / e) / log(max_distance / e) * (n - e)), and at most n - 1.

    The result is int64, of the same shape (any) and on the same device. relative_position is not modified.
    num_buckets is a multiple of 4, max_distance larger than e and at most 1000, so that float32 will do for
    the logarithm; distances are at most a million. Those between e and max_distance at which the last product
    is exactly a whole number (16, 32 and 64 by default) are not asked: rounding decides there.
    """
    raise NotImplementedError
