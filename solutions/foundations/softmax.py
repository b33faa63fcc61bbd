"""Softmax and log-softmax: logits to (log-)probabilities along one dimension, exp(x_i) / sum_j exp(x_j).

As written, that overflows from x = 89 on in float32: real logits need the stable form (Milakov and Gimelshein
2018, https://arxiv.org/abs/1805.02867). Forbidden: built-ins that contain a softmax: softmax, log_softmax,
softmin, Softmax2d, gumbel_softmax, logsumexp, logaddexp, logcumsumexp, cross entropy, attention.
"""

import torch
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
    # A constant added to all logits cancels. With the largest at 0, exp never overflows, and the sum is at
    # least 1, so it never underflows either.
    largest = x.amax(dim=dim, keepdim=True)
    exps = torch.exp(x - largest)
    total = exps.sum(dim=dim, keepdim=True)
    return exps / total


def log_softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    """The logarithm of the probabilities along `dim`; everything said of `softmax` holds here too.

    Finite and right wherever `x` is finite, also where the probability itself underflows to 0. An entry of
    -inf gives -inf.
    """
    shifted = x - x.amax(dim=dim, keepdim=True)
    # log(softmax(x)) would be log(0) where a probability underflows; a difference of logarithms is not.
    log_total = torch.exp(shifted).sum(dim=dim, keepdim=True).log()
    return shifted - log_total
