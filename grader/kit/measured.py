"""What a measured call cost, beside its value."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

_is_shown: ContextVar[bool] = ContextVar("is_shown", default=False)


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
def shown() -> Iterator[None]:
    """What is measured inside is only shown: no rule hangs on it, an answer may compute where it likes."""
    token = _is_shown.set(True)
    try:
        yield
    finally:
        _is_shown.reset(token)


def how() -> str:
    """What a request to measure says of that: "shown" or "ruled"."""
    return "shown" if _is_shown.get() else "ruled"


def measured(value: Any, cost: dict[str, Any]) -> Measured:
    """As the worker reports it (see `grader.worker.measuring.meter`)."""
    operations = tuple(
        Operation(name, tuple(tuple(shape) for shape in shapes), flops, inside, times)
        for name, shapes, flops, inside, times in cost.get("operations", [])
    )
    return Measured(value, **{**cost, "operations": operations})
