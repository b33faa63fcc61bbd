"""Softmax, log-softmax and mean cross entropy, backwards: by hand, from what forward has saved.

What autograd's kernels compute (for cross entropy see https://cs231n.github.io/neural-networks-case-study/#grad).
Forbidden: autograd, however it is reached (torch.autograd, backward(), grad_fn, torch.func, forward mode),
and the built-in backward kernels. The forward built-ins are allowed.
"""

import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def softmax_backward(
    grad_output: Float[Tensor, "*shape"], output: Float[Tensor, "*shape"], dim: int = -1
) -> Float[Tensor, "*shape"]:
    """The gradient of x, where output = softmax(x, dim) and grad_output is the gradient of output.

    At least one dimension; dim may be any of them, also counted from the end. Entries of output may be
    exactly 0 (they were masked: their gradient is 0) or 1.

    In all three functions: no operation makes a tensor with more elements than output (log_probs), so no
    Jacobian, not even that of one row if the row is long. The arguments may be non-contiguous, they are of
    one dtype, float32 or float64, and on one device, both of which the result keeps. Nothing is written to
    them: they were saved, and others may need them.
    """
    # The Jacobian is diag(y) - y y^T. Its product with a vector takes one sum, and no matrix.
    weighted_sum = (output * grad_output).sum(dim=dim, keepdim=True)
    return output * (grad_output - weighted_sum)


def log_softmax_backward(
    grad_output: Float[Tensor, "*shape"], output: Float[Tensor, "*shape"], dim: int = -1
) -> Float[Tensor, "*shape"]:
    """The gradient of x, where output = log_softmax(x, dim): finite logarithms, down to -1e4.

    All that softmax_backward says of dimensions, memory and arguments holds here too.
    """
    probs = output.exp()
    return grad_output - probs * grad_output.sum(dim=dim, keepdim=True)


def cross_entropy_backward(
    grad_output: Float[Tensor, ""],
    log_probs: Float[Tensor, "batch classes"],
    target: Int[Tensor, "batch"],
    ignore_index: int = -100,
) -> Float[Tensor, "batch classes"]:
    """The gradient of the logits, where log_probs = log_softmax(logits, 1), the loss is the mean of
    -log_probs[i, target[i]] over the kept rows, and grad_output is the gradient of the loss: any number.

    target: int64, each a class or ignore_index. ignore_index may be any integer: negative, beyond the last
    class, or a class. Rows whose target it is are not kept: their gradient is 0. At least one row is kept.
    """
    kept = target != ignore_index
    index = target.masked_fill(~kept, 0)  # what stands in an ignored row is no class
    # The probabilities, less 1 where the target is. This is why the softmax is part of the loss.
    grad_logits = log_probs.exp() - F.one_hot(index, log_probs.shape[1])
    grad_logits = grad_logits.masked_fill(~kept.unsqueeze(1), 0)
    return grad_logits * (grad_output / kept.sum())
