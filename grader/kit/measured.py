"""What a measured call cost, beside its value."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

_is_anywhere: ContextVar[bool] = ContextVar("is_anywhere", default=False)


@dataclass(frozen=True)
class Operation:
    """A torch operation that a call ran: its aten name, the shapes of its outputs, FLOPs if a matrix product,
    the torch function that the answer called to run it ("" if it is not known), and how often it ran so.
    """

    name: str
    shapes: tuple[tuple[int, ...], ...]
    matmul_flops: int
    inside: str = ""
    times: int = 1

    @property
    def elements(self) -> int:
        """How many elements all of its outputs have, each time added."""
        return self.times * sum(map(math.prod, self.shapes))


@dataclass(frozen=True)
class Measured:
    """A call's value and cost: FLOPs of matrix products, elements of the largest tensor made (views count),
    each operation with its times; `peak_bytes` (what Python and NumPy allocated) in topics without torch.
    """

    value: Any
    matmul_flops: int = 0
    largest_tensor: int = 0
    operations: tuple[Operation, ...] = ()
    peak_bytes: int = 0

    @property
    def elements(self) -> int:
        """How many elements all operations together made."""
        return sum(operation.elements for operation in self.operations)


@contextmanager
def anywhere() -> Iterator[None]:
    """In what is measured inside, an answer may compute where nothing is counted, in NumPy say."""
    token = _is_anywhere.set(True)
    try:
        yield
    finally:
        _is_anywhere.reset(token)


def how() -> str:
    """What a request to measure says of that: "anywhere" or "in tensors"."""
    return "anywhere" if _is_anywhere.get() else "in tensors"


def measured(value: Any, cost: dict[str, Any]) -> Measured:
    """As the worker reports it (see `grader.worker.measuring.meter`)."""
    operations = tuple(
        Operation(name, tuple(tuple(shape) for shape in shapes), flops, inside, times)
        for name, shapes, flops, inside, times in cost.get("operations", [])
    )
    return Measured(value, **{**cost, "operations": operations})
