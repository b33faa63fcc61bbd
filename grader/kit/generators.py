"""Random inputs that are the same in every run: seeded from the name of the check that draws them."""

import hashlib
import math
from typing import TypeVar

import torch
from torch import Tensor

from grader.kit.rounds import is_second_round, round_seed
from grader.worker import wire

Number = TypeVar("Number", int, float)


def upstream_generator(number: int = 1) -> torch.Generator:
    """What draws the gradients that a backward pass begins with: the same ones wherever they are drawn, for
    the evidence of mistakes, and in the second round others, that no answer can know.
    """
    return torch.Generator().manual_seed(number + round_seed())


class Rng:
    """Draws tensors on the judge's side. Two checks (or two cases of one) never share a stream."""

    def __init__(self, name: str) -> None:
        self.seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "little")
        self._generator = torch.Generator().manual_seed(self.seed)

    def normal(self, *shape: int, dtype: torch.dtype = torch.float64, scale: float = 1.0) -> Tensor:
        """Normally distributed values, mean 0 and standard deviation `scale`."""
        values = torch.randn(shape, generator=self._generator, dtype=torch.float64)
        return (values if scale == 1.0 else values.mul_(scale)).to(dtype)

    def uniform(
        self, *shape: int, low: float = 0.0, high: float = 1.0, dtype: torch.dtype = torch.float64
    ) -> Tensor:
        """Values in [low, high)."""
        values = torch.rand(shape, generator=self._generator, dtype=torch.float64)
        return (low + (high - low) * values).to(dtype)

    def integers(self, low: int, high: int, *shape: int) -> Tensor:
        """int64 values from low to high - 1."""
        return torch.randint(low, high, shape, generator=self._generator)

    def option(self, usual: Number, low: Number, high: Number) -> Number:
        """What everybody is asked first is `usual`; in the second round it is a number from `low` to `high`,
        both above 0 and as likely small as large: whole where `usual` is, else with few digits, as people
        write them, or with many.
        """
        if not is_second_round():
            return usual
        begin, end, at = math.log(low), math.log(high), self.uniform(2)
        drawn = math.exp(begin + (end - begin) * float(at[0]))
        if float(at[1]) < 0.5:
            drawn = float(f"{drawn:.1g}")
        return type(usual)(min(max(round(drawn) if isinstance(usual, int) else drawn, low), high))

    def permutation(self, n: int) -> Tensor:
        """The numbers 0 to n - 1, shuffled."""
        return torch.randperm(n, generator=self._generator)

    def mask(self, *shape: int, keep: float = 0.6) -> Tensor:
        """A boolean mask, `True` with probability `keep`; along the last dimension at least one is `True`
        and, where there is more than one place, not all are."""
        mask = self.uniform(*shape) < keep
        places = shape[-1]
        if places > 1:
            chosen = self.integers(0, places, *shape[:-1], 1)
            mask = mask.scatter(-1, (chosen + 1) % places, False)
            return mask.scatter(-1, chosen, True)
        return torch.ones(shape, dtype=torch.bool)

    def as_generator(self) -> wire.Seeded:
        """What arrives in the worker as a fresh `torch.Generator` with a seed of its own."""
        return wire.Seeded("torch", int(self.integers(0, 2**31, 1)))

    def as_numpy_generator(self) -> wire.Seeded:
        """What arrives in the worker as a fresh `numpy.random.Generator` with a seed of its own."""
        return wire.Seeded("numpy", int(self.integers(0, 2**31, 1)))
