"""Softmax, log-softmax and mean cross entropy, backwards: by hand, from what forward has saved.

What autograd's kernels compute (for cross entropy see https://cs231n.github.io/neural-networks-case-study/#grad).
Forbidden: autograd, however it is reached (torch.autograd, backward(), grad_fn, torch.func, forward mode),
and the built-in backward kernels. The forward built-ins are allowed.
"""

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
    raise NotImplementedError


def log_softmax_backward(
    grad_output: Float[Tensor, "*shape"], output: Float[Tensor, "*shape"], dim: int = -1
) -> Float[Tensor, "*shape"]:
    """The gradient of x, where output = log_softmax(x, dim): finite logarithms, down to -1e4.

    All that softmax_backward says of dimensions, memory and arguments holds here too.
    """
    raise NotImplementedError


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
    raise NotImplementedError
