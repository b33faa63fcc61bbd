"""Linear attention: a feature map instead of the softmax, so that keys and values can be summed up first.

From "Transformers are RNNs: Fast Autoregressive Transformers with Linear Attention" (Katharopoulos et al.,
2020). Nothing is forbidden.
"""

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

    The cost is linear in seq: where seq is at least 64, at least 8 * dim, and larger than all leading sizes,
    no operation makes a tensor, views included, whose last two sizes are both seq or more; and whatever their
    shape, weights of all pairs are never kept together.

    Any number of leading dimensions, or none. The result has the dtype and the device of the inputs (float32
    or float64), and is right to 1e-6 of the largest value in float64. Gradients reach query, key and value;
    that of f at 0 is 1. No argument is modified.
    """
    raise NotImplementedError
