"""Gradient clipping: a gradient that is too long is shortened, all parameters by one factor, before the step.

From "On the difficulty of training recurrent neural networks" (Pascanu et al., 2013).
Forbidden: what torch.nn.utils has for it (clip_grad_norm_, clip_grad_value_, get_total_norm,
clip_grads_with_norm_, and those behind them). Norms (torch.linalg.vector_norm, .norm()) are allowed.
"""

from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor


def clip_grad_norm_(
    parameters: Iterable[Tensor], max_norm: float, norm_type: float = 2.0
) -> Float[Tensor, ""]:
    """Clip the gradients of the parameters by their global norm, in place, and give that norm as it was.

    The norm is that of *all* gradients as one long vector. Every gradient is multiplied by
    min(1, max_norm / (norm + 1e-6)), so short ones stay as they are; the 1e-6 may be left out (gradients are
    compared at 1e-5, and where something is clipped the norm is at least 0.1).

    parameters: in a list, or in an iterator such as model.parameters() gives: it can be walked only once.
        Each stands there once; gradients are in `.grad`, all float32 or all float64, of any shape (also
        0-dimensional or non-contiguous, never empty). A parameter whose gradient is None is skipped. The
        parameters themselves are not modified.
    max_norm: above 0, an int or a float.
    norm_type: 1, 2, 3 or math.inf, the last for the largest absolute value; ints and floats. Gradients are
        far from where their powers overflow or vanish.

    Returns a new 0-dimensional tensor in the dtype of the gradients. It carries no gradient, also where the
    gradients carry one (as after backward(create_graph=True)).

    The gradients change in place: afterwards `.grad` is the same tensor object with other numbers. Gradients
    of zeros stay zeros. Without any gradient (or any parameter) the norm is 0, in any floating-point dtype.
    With inf or NaN among the gradients the norm is not finite either (inf or NaN), whatever the norm_type;
    what becomes of the gradients then is free. Nothing is made on the default device where the gradients are
    on another one.
    """
    grads = [param.grad.detach() for param in parameters if param.grad is not None]  # share their memory
    if not grads:
        return torch.zeros(())
    norms = torch.stack([torch.linalg.vector_norm(grad, norm_type) for grad in grads])  # (gradients,)
    # The norm of the norms is that of all entries as one vector, which need not be put together.
    norm = torch.linalg.vector_norm(norms, norm_type)
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)  # one for all: the direction stays
    for grad in grads:
        grad.mul_(factor)
    return norm
