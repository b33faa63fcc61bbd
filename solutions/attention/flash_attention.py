"""FlashAttention: exact attention, tile by tile, without ever making the matrix of scores.

From "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness" (Dao et al., 2022). PyTorch
only, no NumPy. Forbidden: F.scaled_dot_product_attention, flex_attention, nn.MultiheadAttention, and the
built-in softmax and log_softmax. logsumexp and logaddexp are allowed.
"""

import math

import torch
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
    batch, heads, q_len, head_dim = query.shape
    query = query / math.sqrt(head_dim)
    results = []

    for q_start in range(0, q_len, block_size):
        q_end = min(q_start + block_size, q_len)
        q_block = query[:, :, q_start:q_end]  # (batch, heads, rows, head_dim)
        largest = query.new_full((batch, heads, q_end - q_start, 1), -math.inf)
        denominator = torch.zeros_like(largest)
        output = torch.zeros_like(q_block)

        # No query of this block sees a key after its last query: causal attention does half the work.
        kv_end = q_end if is_causal else key.shape[2]
        for k_start in range(0, kv_end, block_size):
            k_end = min(k_start + block_size, kv_end)
            scores = q_block @ key[:, :, k_start:k_end].transpose(-2, -1)  # (batch, heads, rows, columns)
            if is_causal and k_end > q_start:
                rows = torch.arange(q_start, q_end, device=query.device)
                columns = torch.arange(k_start, k_end, device=query.device)
                scores = scores.masked_fill(columns > rows[:, None], -math.inf)

            new_largest = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
            weights = torch.exp(scores - new_largest)
            # What is summed so far counts from the old maximum; now it has to count from the new one.
            correction = torch.exp(largest - new_largest)  # 0 in the first round
            denominator = denominator * correction + weights.sum(dim=-1, keepdim=True)
            output = output * correction + weights @ value[:, :, k_start:k_end]
            largest = new_largest

        results.append(output / denominator)
    return torch.cat(results, dim=2)
