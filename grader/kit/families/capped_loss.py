"""For the losses that are -log of a probability: whether something keeps that logarithm finite."""

import torch
from torch import Tensor

from grader.kit.recording import fail, record

FAR = torch.tensor([1e4, 5e3, 2e3], dtype=torch.float64)
"""By so much the logit of the right answer lies below that of the wrong one."""


def assert_not_capped(losses: Tensor) -> None:
    """Losses of examples that are `FAR` off (the last dimension) are not all the same. For diagnosis the size
    of the small number in the logarithm does not count, nor how it gets there."""
    shape_is_right = isinstance(losses, Tensor) and losses.shape[-1:] == FAR.shape
    if not shape_is_right or not bool(losses.isfinite().all()):
        return  # the values tell more
    apart = losses.double().diff(dim=-1)
    # At 100 F.binary_cross_entropy clamps: that is a cap of its own.
    at_100 = losses == 100
    record([apart, at_100], [FAR.diff().expand_as(apart), torch.zeros_like(at_100)])
    if not bool(apart.any()):
        fail(
            f"a logit that is {FAR[0]:g} off has no more loss than one that is {FAR[-1]:g} off: "
            f"both have {float(losses.flatten()[0]):.4g}"
        )
