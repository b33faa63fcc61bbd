"""Inputs for cases to follow by hand: small whole numbers."""

from torch import Tensor

from grader.kit.generators import Rng
from grader.kit.handles import Instance, Weights


def whole(rng: Rng, *shape: int, most: int = 2) -> Tensor:
    """Whole numbers from -most to most, float64."""
    return rng.integers(-most, most + 1, *shape).double()


def fill(rng: Rng, module: Instance) -> Weights:
    """Give every parameter of a module small whole numbers, and say which."""
    values = {name: whole(rng, *value.shape) for name, value in sorted(module.parameters().items())}
    module.load(values)
    return Weights(values)
