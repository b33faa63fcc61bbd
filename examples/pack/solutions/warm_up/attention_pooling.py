"""Attention pooling: one vector for a text, the mean of its tokens weighted by what a query finds in them.

The query is learned. Instead of the last token or a plain mean; as in "Hierarchical Attention Networks" (Yang
et al., 2016). Forbidden: the built-in softmax and attention.
"""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def attention_pooling(
    tokens: Float[Tensor, "batch seq dim"],
    query: Float[Tensor, "dim"],
    mask: Bool[Tensor, "batch seq"] | None = None,
) -> Float[Tensor, "batch dim"]:
    """sum_t w_t tokens_t with w = softmax over the sequence of tokens_t · query / sqrt(dim).

    Where mask is False, a token is padding and has no weight; a text of padding only gives zeros. Scores of
    a few thousand do not overflow. Gradients reach tokens and query. Nothing is modified.
    """
    scores = tokens @ query / math.sqrt(query.shape[0])  # (batch, seq)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    largest = scores.amax(dim=1, keepdim=True).clamp(min=-1e30)  # a text of padding only: no -inf - -inf
    exps = torch.exp(scores - largest)
    weights = exps / exps.sum(dim=1, keepdim=True).clamp(min=1e-30)  # the sum is 1 or more, or 0
    return (weights.unsqueeze(1) @ tokens).squeeze(1)
