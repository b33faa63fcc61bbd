"""Solutions and their stubs."""

SOLUTION = '''\
"""Softmax (Bridle 1990)."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

_EPS = 1e-6
print("imported")


# Shared by both.
def _shift(x):
    return x - x.amax()


def softmax(x: Tensor, dim: int = -1) -> Tensor:  # one dimension
    """Probabilities."""
    # The largest exponent is 0.
    exps = torch.exp(_shift(x))
    return exps / exps.sum(dim)  # (batch, seq)


# Learners need this one.
@dataclass
class Cache:
    """Keys so far."""

    length: int
    size: int = 7
    _seen: int = 0

    @property
    def full(self) -> bool:
        return self.length == self.size

    def _grow(self) -> None:
        self.size *= 2

    # given
    def clear(self) -> None:
        self.length = 0

    # end given


class Block(nn.Module):
    def _split(self, x):
        return math.sqrt(x)

    async def forward(
        self,
        x: "Tensor",
    ) -> None:
        # Nothing to see.
        return self._split(x)
        # Nothing here either.
'''
STUB = '''\
"""Softmax (Bridle 1990)."""

from dataclasses import dataclass

from torch import Tensor, nn


def softmax(x: Tensor, dim: int = -1) -> Tensor:  # one dimension
    """Probabilities."""
    raise NotImplementedError


# Learners need this one.
@dataclass
class Cache:
    """Keys so far."""

    length: int
    size: int = 7

    @property
    def full(self) -> bool:
        raise NotImplementedError

    # given
    def clear(self) -> None:
        self.length = 0

    # end given


class Block(nn.Module):
    async def forward(
        self,
        x: "Tensor",
    ) -> None:
        raise NotImplementedError
'''
