"""What attention weights show: how sharp a head is, which tokens are read, how much a token reads itself.

As in "What Does BERT Look At?" (Clark et al., 2019). Nothing is forbidden. In all three functions weights are
those of one text after the softmax: rows (the last dimension) are at least 0 and sum to 1, and entries may be
exactly 0, where a mask was; no size is 0. Results have the dtype and the device of the weights, whatever the
default device is. In float64 they may be off by 1e-6 of the largest right value, or by 1e-8 if that is more,
in float32 by 1e-4 of it. The weights are not modified.
"""

from jaxtyping import Float
from torch import Tensor


def attention_entropy(weights: Float[Tensor, "heads q_len kv_len"]) -> Float[Tensor, "heads"]:
    """The entropy of each head in nats: of each query's weights, -sum_j w_j ln(w_j), averaged over queries.

    A weight of 0 adds 0. But for rounding the result is 0 for a head whose queries each read one key, and at
    most ln(kv_len), for one that reads all alike. Its gradients are not asked for.
    """
    raise NotImplementedError


def attention_received(weights: Float[Tensor, "heads q_len kv_len"]) -> Float[Tensor, "kv_len"]:
    """How much each key is read: the mean over heads of the sum over all queries' weights for it.

    All keys together receive q_len. Gradients reach the weights, also where they are 0.
    """
    raise NotImplementedError


def self_attention_share(weights: Float[Tensor, "heads seq seq"]) -> Float[Tensor, "seq"]:
    """How much each token reads itself: the mean over heads of its query's weight for its own key.

    There are as many queries as keys. Gradients reach the weights, also where they are 0.
    """
    raise NotImplementedError
