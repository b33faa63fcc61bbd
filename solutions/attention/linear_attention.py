"""Linear attention: a feature map instead of the softmax, so that keys and values can be summed up first.

From "Transformers are RNNs: Fast Autoregressive Transformers with Linear Attention" (Katharopoulos et al.,
2020). Nothing is forbidden. Where costs are counted, compute in torch, not in NumPy.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def linear_attention(
    query: Float[Tensor, "... seq dim"],
    key: Float[Tensor, "... seq dim"],
    value: Float[Tensor, "... seq dim"],
    is_causal: bool = False,
    eps: float = 1e-6,
) -> Float[Tensor, "... seq dim"]:
    """Row i is the mean of the values v_j with the weights f(q_i) . f(k_j), where f(x) = elu(x) + 1.

    That is sum_j (f(q_i) . f(k_j)) v_j, divided by (f(q_i) . sum_j f(k_j)) + eps. Scores are not scaled.
    is_causal: both sums go over the keys j <= i only; otherwise over all keys.

    The cost is linear in seq. Checked: for a text four times as long, operations (views do not count) make at
    most ten times as many numbers, all together; with 3 features and hundreds of tokens at most 1000 for each
    token. And weights of all pairs are never there at once: where seq is at least 64 and more than dim * dim
    times all leading sizes, no operation, views included, makes a tensor whose last two sizes are both seq or
    more.

    Any number of leading dimensions, or none; no size is 0. The result has the dtype and the device of the
    inputs (float32 or float64), and is right to 1e-6 of its largest value in float64. Gradients reach query,
    key and value; that of f at 0 is 1. Entries of query and key may be as large as 1000, or -1000: the result
    and the gradients are right then too. No argument is modified.
    """
    query, key = F.elu(query) + 1, F.elu(key) + 1
    if is_causal:
        # What an RNN would carry from token to token: a matrix and a vector, of the same size at every token.
        state = torch.cumsum(key.unsqueeze(-1) * value.unsqueeze(-2), dim=-3)  # (..., seq, dim, dim)
        total = torch.cumsum(key, dim=-2)  # (..., seq, dim)
        numerator = (query.unsqueeze(-2) @ state).squeeze(-2)  # (..., seq, dim)
    else:
        # (Q K^T) V = Q (K^T V): the second order never makes a seq x seq matrix. A softmax would forbid it.
        state = key.transpose(-2, -1) @ value  # (..., dim, dim)
        total = key.sum(dim=-2, keepdim=True)  # (..., 1, dim)
        numerator = query @ state  # (..., seq, dim)
    denominator = (query * total).sum(dim=-1, keepdim=True)  # (..., seq, 1)
    return numerator / (denominator + eps)
