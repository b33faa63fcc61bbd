"""Layer norm and RMS norm, backwards: the gradients of input, weight and bias, by hand.

From what forward has saved (Ba et al. 2016, https://arxiv.org/abs/1607.06450; Zhang and Sennrich 2019,
https://arxiv.org/abs/1910.07467). Forbidden: autograd, however it is reached (torch.autograd, backward(),
grad_fn, torch.func, forward mode), and the built-in backward kernels.
"""

from jaxtyping import Float
from torch import Tensor


def layer_norm_backward(
    grad_output: Float[Tensor, "*leading hidden"],
    x: Float[Tensor, "*leading hidden"],
    mean: Float[Tensor, "*leading 1"],
    rstd: Float[Tensor, "*leading 1"],
    weight: Float[Tensor, " hidden"],
) -> tuple[Float[Tensor, "*leading hidden"], Float[Tensor, " hidden"], Float[Tensor, " hidden"]]:
    """(grad_x, grad_weight, grad_bias), where grad_output is the gradient of
    (x - mean) * rstd * weight + bias, and mean and rstd depend on x.

    mean: of each vector of x. rstd: 1 / sqrt(variance + eps) with the biased variance. Both are what a
        forward has saved, with some eps that you need not know: use them as they are.

    grad_weight and grad_bias are summed over all leading dimensions, of which there may be none (x is one
    vector) or many, none of them 0. hidden is at least 3.

    In both functions: no operation makes a tensor with more elements than x, and no argument is written to.
    All arguments are of one dtype, float32 or float64, and on one device, both of which the results keep;
    they may be non-contiguous. float32 stays accurate (1e-2) also where the means of x are 1e3 and its
    deviations 1.
    """
    raise NotImplementedError


def rms_norm_backward(
    grad_output: Float[Tensor, "*leading hidden"],
    x: Float[Tensor, "*leading hidden"],
    rstd: Float[Tensor, "*leading 1"],
    weight: Float[Tensor, " hidden"],
) -> tuple[Float[Tensor, "*leading hidden"], Float[Tensor, " hidden"]]:
    """(grad_x, grad_weight), where grad_output is the gradient of x * rstd * weight, and rstd, which depends
    on x, is 1 / sqrt(mean(x**2) + eps).

    All that layer_norm_backward says holds here too.
    """
    raise NotImplementedError
