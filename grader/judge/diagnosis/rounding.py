"""Rounding as a witness: a version run once more with inputs one unit in the last place off. Where that moves
its wrong values as far as they are from the submission's, they are what rounding leaves of a right idea, and
another way to write the same mistake has others of their size.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from grader.judge.workers.client import Worker
from grader.worker import wire


class Nudged:
    """A worker whose submission gets every floating-point input rounded to a neighbour."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    @property
    def deadline(self) -> float:
        return self._worker.deadline

    @deadline.setter
    def deadline(self, value: float) -> None:
        self._worker.deadline = value

    def begin(self, seed: int) -> None:
        self._worker.begin(seed)

    def take_output(self) -> str:
        return self._worker.take_output()

    def drop_output(self) -> None:
        self._worker.drop_output()

    def bounded(self, memory: int) -> AbstractContextManager[None]:
        return self._worker.bounded(memory)

    def callback(self, function: Callable[..., Any]) -> wire.Callback:
        return self._worker.callback(function)

    def request(self, request: dict[str, Any]) -> dict[str, Any]:
        return self._worker.request({name: nudged(value) for name, value in request.items()})


def nudged(value: Any) -> Any:
    """The tensors and arrays in it, each number the next one up or down by turns. Whole numbers stay: they
    may be switches, as the 0 and 1 of a mask are.
    """
    if isinstance(value, dict):
        return {name: nudged(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(nudged(inner) for inner in value)
    if isinstance(value, np.ndarray):
        return nudged(torch.from_numpy(value)).numpy() if value.dtype.kind == "f" else value
    if not isinstance(value, Tensor) or value.dtype not in (torch.float32, torch.float64):
        return value
    up = torch.arange(value.numel()).reshape(value.shape) % 2 == 0
    infinity = torch.full_like(value, torch.inf)
    neighbour = torch.nextafter(value.detach(), torch.where(up, infinity, -infinity))
    return torch.where(value.isfinite() & (value.frac() != 0), neighbour, value)
