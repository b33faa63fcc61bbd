"""Linear attention: a feature map instead of the softmax, so that keys and values can be summed up first.

From "Transformers are RNNs: Fast Autoregressive Transformers with Linear Attention" (Katharopoulos et al.,
2020). Nothing is forbidden. Where costs are counted, compute in torch, not in NumPy.
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
    raise NotImplementedError
