"""Chooses what to do by an enumeration, a named tuple, a pattern and a protocol."""

import enum
from typing import NamedTuple, Protocol

import torch


class Scale(enum.Enum):
    LINEAR = enum.auto()
    LOG = enum.auto()


class Shifted(NamedTuple):
    values: torch.Tensor
    dim: int


class Finish(Protocol):
    def __call__(self, shifted: Shifted) -> torch.Tensor: ...


def finish(scale: Scale) -> Finish:
    match scale:
        case Scale.LINEAR:
            return lambda s: s.values.exp() / s.values.exp().sum(s.dim, keepdim=True)
        case Scale.LOG:
            return lambda s: s.values - s.values.exp().sum(s.dim, keepdim=True).log()


def _shifted(x, dim):
    return Shifted(x - x.amax(dim, keepdim=True), dim)


def softmax(x, dim=-1):
    return finish(Scale.LINEAR)(_shifted(x, dim))


def log_softmax(x, dim=-1):
    return finish(Scale["LOG"])(_shifted(x, dim))
