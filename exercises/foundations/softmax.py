"""Softmax and log-softmax: logits to (log-)probabilities along one dimension, exp(x_i) / sum_j exp(x_j).

As written, that overflows from x = 89 on in float32: real logits need the stable form (Milakov and Gimelshein
2018, https://arxiv.org/abs/1805.02867). Forbidden: built-ins that contain a softmax: softmax, log_softmax,
softmin, Softmax2d, gumbel_softmax, logsumexp, logaddexp, logcumsumexp, cross entropy, attention.
"""

from jaxtyping import Float
from torch import Tensor


def softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    """Probabilities along `dim` (any dimension of `x`, counted from the end if negative), which sum to 1.

    `x` is float32 or float64 and has one dimension or more. The result has its shape and dtype, in which it
    is computed (or in a larger one); `x` is not modified. Right for all logits between -1e4 and 1e4, also
    where one slice lies at -1e4 and another at 1e4. Some entries may be -inf: their probability is 0; no
    slice along `dim` consists of -inf alone.
    In all these cases autograd's gradient of `x` is that of the softmax, whatever the upstream gradient.
    """
    raise NotImplementedError


def log_softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    """The logarithm of the probabilities along `dim`; everything said of `softmax` holds here too.

    Finite and right wherever `x` is finite, also where the probability itself underflows to 0. An entry of
    -inf gives -inf.
    """
    raise NotImplementedError
