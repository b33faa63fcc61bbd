"""Attention, backwards: from the stored weights, and block by block as in FlashAttention.

From "FlashAttention" (Dao et al. 2022, https://arxiv.org/abs/2205.14135, algorithm 4). Forbidden: autograd,
however it is reached (torch.autograd, backward(), grad_fn, torch.func, forward mode), the built-in attention
and all built-in backward kernels. Where memory or FLOPs are bounded, those of NumPy count as well.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor


def attention_backward(
    grad_output: Float[Tensor, "batch heads q_len value_dim"],
    query: Float[Tensor, "batch heads q_len head_dim"],
    key: Float[Tensor, "batch heads kv_len head_dim"],
    value: Float[Tensor, "batch heads kv_len value_dim"],
    weights: Float[Tensor, "batch heads q_len kv_len"],
) -> tuple[
    Float[Tensor, "batch heads q_len head_dim"],
    Float[Tensor, "batch heads kv_len head_dim"],
    Float[Tensor, "batch heads kv_len value_dim"],
]:
    """(grad_query, grad_key, grad_value), where grad_output is the gradient of weights @ value.

    weights: softmax(query @ keyᵀ / sqrt(head_dim)), perhaps masked: masked entries are exactly 0.
    The FLOPs in matrix products are at most 4.3 times 2 * batch * heads * q_len * kv_len * the larger of
    head_dim and value_dim.

    In both functions: the arguments are float32 or float64, which the results keep, and on one device, where
    all is made. They may be non-contiguous. None is written to.
    """
    scale = 1 / math.sqrt(query.shape[-1])
    grad_value = weights.transpose(-2, -1) @ grad_output  # (batch, heads, kv_len, value_dim)
    grad_weights = grad_output @ value.transpose(-2, -1)  # (batch, heads, q_len, kv_len)
    # The softmax of each query, backwards.
    delta = (weights * grad_weights).sum(dim=-1, keepdim=True)
    grad_scores = weights * (grad_weights - delta) * scale
    return grad_scores @ key, grad_scores.transpose(-2, -1) @ query, grad_value


def flash_attention_backward(
    grad_output: Float[Tensor, "batch heads q_len head_dim"],
    query: Float[Tensor, "batch heads q_len head_dim"],
    key: Float[Tensor, "batch heads kv_len head_dim"],
    value: Float[Tensor, "batch heads kv_len head_dim"],
    output: Float[Tensor, "batch heads q_len head_dim"],
    logsumexp: Float[Tensor, "batch heads q_len"],
    block_size: int = 64,
    is_causal: bool = False,
) -> tuple[
    Float[Tensor, "batch heads q_len head_dim"],
    Float[Tensor, "batch heads kv_len head_dim"],
    Float[Tensor, "batch heads kv_len head_dim"],
]:
    """The same three gradients without the weights: they are computed again, block by block, as
    exp(scores - logsumexp).

    output: the result of forward, and logsumexp: of each query, the natural logarithm of the sum of
        exp(scaled score) over the keys that it may see. Both are used as they are given: the sum over a
        query's keys of weights * grad_weights is taken as the sum over the features of grad_output * output,
        and no normalizer is computed again.
    block_size: at least 1. Cut queries, keys or both into blocks of that size, in any order. It need not
        divide q_len or kv_len, and may be larger; it changes cost, never values.
    is_causal: query i sees the keys 0 … i only. Used only with q_len == kv_len.

    No operation makes a tensor, views and masks included, of more than batch * heads * max(q_len, kv_len) *
    max(block_size, head_dim) elements, with the lengths rounded up to full blocks. The FLOPs in matrix
    products are at most 5.3 times 2 * batch * heads * q_len * kv_len * head_dim; with is_causal blocks above
    the diagonal are skipped: at 16 blocks it takes at most 0.7 of the FLOPs that it takes without.
    Scores of ±1e3 give finite gradients, also those of later keys that stand in the block on the diagonal.
    """
    q_len, kv_len, scale = query.shape[2], key.shape[2], 1 / math.sqrt(query.shape[-1])
    # The row sums of the whole softmax, which no single block could know, from what forward saved.
    delta = (grad_output * output).sum(dim=-1, keepdim=True)  # (batch, heads, q_len, 1)
    logsumexp = logsumexp.unsqueeze(-1)
    grad_query, grad_key, grad_value = (torch.zeros_like(each) for each in (query, key, value))

    for k_start in range(0, kv_len, block_size):
        columns = slice(k_start, min(k_start + block_size, kv_len))
        key_block, value_block = key[:, :, columns], value[:, :, columns]

        # No query before this block sees any of its keys.
        for q_start in range(k_start if is_causal else 0, q_len, block_size):
            rows = slice(q_start, min(q_start + block_size, q_len))
            query_block, grad_block = query[:, :, rows], grad_output[:, :, rows]

            scores = query_block @ key_block.transpose(-2, -1) * scale  # (batch, heads, rows, columns)
            if is_causal and q_start == k_start:
                # Before exp: a later key's score may be far above the logsumexp, and inf times 0 is NaN.
                later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
                scores = scores.masked_fill(later, -math.inf)
            weights = torch.exp(scores - logsumexp[:, :, rows])

            grad_value[:, :, columns] += weights.transpose(-2, -1) @ grad_block
            grad_weights = grad_block @ value_block.transpose(-2, -1)
            grad_scores = weights * (grad_weights - delta[:, :, rows]) * scale
            grad_query[:, :, rows] += grad_scores @ key_block
            grad_key[:, :, columns] += grad_scores.transpose(-2, -1) @ query_block

    return grad_query, grad_key, grad_value
