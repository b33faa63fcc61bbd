"""FlashAttention: exact attention, tile by tile, without ever making the matrix of scores.

From "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness" (Dao et al., 2022). PyTorch
only, no NumPy. Forbidden: F.scaled_dot_product_attention, flex_attention, nn.MultiheadAttention, and the
built-in softmax and log_softmax. logsumexp and logaddexp are allowed.
"""

from jaxtyping import Float
from torch import Tensor


def flash_attention(
    query: Float[Tensor, "batch heads q_len head_dim"],
    key: Float[Tensor, "batch heads kv_len head_dim"],
    value: Float[Tensor, "batch heads kv_len head_dim"],
    block_size: int = 64,
    is_causal: bool = False,
) -> Float[Tensor, "batch heads q_len head_dim"]:
    """softmax(Q K^T / sqrt(head_dim)) V, block by block.

    You may cut the queries, the keys or both into blocks of block_size, and loop in any order.
    block_size: at least 1; it changes cost, never values. It need not divide q_len or kv_len, and may be
    larger than they are.
    is_causal: query i attends to the keys 0 … i only. Used only with q_len == kv_len; without it the two
    lengths may differ.

    In the forward pass no operation makes a tensor, views and masks included, of more than
    batch * heads * max(q_len, kv_len) * max(block_size, head_dim) elements, with the lengths rounded up to
    full blocks; and without gradients the scores of all blocks are never kept together. With is_causal,
    blocks above the diagonal are skipped: at 16 blocks it takes at most 0.7 of the FLOPs in matrix products
    that it takes without. (In an answer without any matrix product, the elements that all its operations
    make are counted instead.)

    The result has the dtype of the inputs, float32 or float64. Scores of up to a few thousand, of either
    sign, do not overflow. Gradients reach query, key and value; how much memory backward takes is free, and
    autograd's is enough. No argument is modified.
    """
    raise NotImplementedError
