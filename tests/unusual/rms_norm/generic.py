"""A generic base class, a dataclass for the settings, a cached property."""

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import torch
from torch import nn

T = TypeVar("T")


@dataclass(frozen=True)
class _Settings:
    hidden_size: int
    eps: float


class _Configured(nn.Module, Generic[T]):
    def __init__(self, settings: T) -> None:
        super().__init__()
        self.settings = settings


class RMSNorm(_Configured[_Settings]):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__(_Settings(hidden_size, eps))
        self.weight = nn.Parameter(torch.ones(hidden_size))

    @cached_property
    def _eps(self):
        return self.settings.eps

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        return (self.weight * wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self._eps)).to(
            x.dtype
        )
