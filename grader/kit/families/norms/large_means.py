"""The gradient where the mean is large beside the spread."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from grader.kit.assertions import assert_close
from grader.kit.generators import Rng
from grader.kit.handles import Instance
from grader.kit.rounds import is_second_round


def over_channels(x: Tensor) -> Tensor:
    """Each channel normalized over all else, by the built-in."""
    return functional.batch_norm(x, None, None, training=True)


def assert_gradient_of_large_mean(
    rng: Rng, layer: Instance, built_in: Callable[[Tensor], Tensor], x: Tensor
) -> None:
    """In the second round: the gradient of x, in float32, is that of the built-in in float64. By any right
    way it is off by less than a thousandth of the largest; by a variance from E[x²] - E[x]² by hundredths.
    """
    if is_second_round():
        upstream, exact = rng.normal(*x.shape, dtype=torch.float32), x.double().requires_grad_()
        (expected,) = torch.autograd.grad(built_in(exact), exact, upstream.double())
        came = layer.gradients([upstream], x).inputs[0]
        assert_close(came, expected.float(), tolerance=1e-2, what="gradient of x")
