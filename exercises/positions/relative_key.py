"""Scores from relative positions, as BERT's relative_key and relative_key_query compute them.

A learned vector for each distance takes the place of a learned number, so content decides how much a
distance counts. From "Self-Attention with Relative Position Representations" (Shaw et al., 2018), with the
key's term of "Improve Transformer Models with Better Relative Position Embeddings" (Huang et al., 2020).
Nothing is forbidden.
"""

from jaxtyping import Float
from torch import Tensor


def relative_key_scores(
    query: Float[Tensor, "batch num_heads seq head_dim"],
    key: Float[Tensor, "batch num_heads seq head_dim"],
    distance_embedding: Float[Tensor, "2*max_positions-1 head_dim"],
    use_key: bool = False,
) -> Float[Tensor, "batch num_heads seq seq"]:
    """What the positions add to the scores of query i (rows) and key j (columns), before any scaling.

    distance_embedding has a vector for each distance i - j (query minus key) from -(max_positions - 1) to
    max_positions - 1: that of i and j is row i - j + max_positions - 1, the same for all heads. seq is at
    most max_positions.

    use_key=False ("relative_key"): query_i · row. use_key=True ("relative_key_query"): query_i · row plus
    key_j · row, with the same row. The product query_i · key_j is not part of it.

    float32 stays float32; float64 stays float64, right to 1e-6 of the largest score. Gradients reach query
    and distance_embedding, and key with use_key=True. Everything stays on the arguments' device, whatever the
    default device is, and no argument is modified.
    """
    raise NotImplementedError
