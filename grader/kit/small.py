"""Inputs for cases to follow by hand: small whole numbers."""

from torch import Tensor

from grader.kit.generators import Rng
from grader.kit.handles import Instance, Weights


def whole(rng: Rng, *shape: int, most: int = 2) -> Tensor:
    """Whole numbers from -most to most, float64."""
    return rng.integers(-most, most + 1, *shape).double()


def fill(rng: Rng, module: Instance, *, most: int = 2, without: str = "") -> Weights:
    """Give every parameter of a module small whole numbers (0 to those whose name contains `without`), and
    say which.
    """
    values = {name: whole(rng, *shape, most=most) for name, shape in sorted(module.shapes().items())}
    if without:
        values = {name: value * (without not in name) for name, value in values.items()}
    module.load(values)
    return Weights(values)
