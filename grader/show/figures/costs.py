"""What a call costs: counted by running it, to be set beside a formula."""

import math
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from grader.show.cards import Card, table


@dataclass(frozen=True)
class Counted:
    """A call's cost. FLOPs are those of matrix products, two for each multiply-add; `largest_tensor` counts
    elements; `peak_bytes` is what Python and NumPy allocated at most (0 where torch did the work);
    `calls` are the torch functions that were called, by name.
    """

    value: Any
    matmul_flops: int
    largest_tensor: int
    peak_bytes: int
    calls: tuple[str, ...]
    operations: tuple[tuple[str, tuple[tuple[int, ...], ...], int], ...]


def measure(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Counted:
    """Call a function that computes with torch and count what it does: as the grader does."""
    from grader.worker.measuring.meter import Meter

    meter = Meter()
    with meter, meter.calls:
        value = function(*args, **kwargs)
    operations = tuple(operation[:3] for operation, times in meter.operations.items() for _ in range(times))
    return Counted(value, meter.matmul_flops, meter.largest_tensor, 0, tuple(meter.calls.names), operations)


def measure_memory(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Counted:
    """Call a function that computes with NumPy and note the most memory that it held at once."""
    tracemalloc.start()
    try:
        value = function(*args, **kwargs)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return Counted(value, 0, 0, peak, (), ())


def parameter_count(module: Any) -> int:
    """How many numbers a module learns."""
    return sum(prod(parameter.shape) for parameter in module.parameters())


def side_by_side(rows: Sequence[tuple[str, str, float, Any]]) -> Card:
    """Rows of (what, formula, its value, what was measured); the last column says how they compare.

    A module in the place of what was measured stands for the number of its parameters.
    """
    cells = []
    for what, formula, expected, found in rows:
        measured = parameter_count(found) if hasattr(found, "parameters") else found
        cells.append((what, formula, _number(expected), _number(measured), _compared(expected, measured)))
    return table(["", "formula", "by the formula", "measured", ""], cells, code=(1,))


def bytes_text(count: float) -> str:
    """A number of bytes with the unit that suits it."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(count) < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024
    return f"{count:.4g} TiB"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.4g}"


def _compared(expected: float, measured: float) -> str:
    if math.isclose(expected, measured):  # a sum of many floats is off in its last digits
        return "equal"
    return f"measured is {measured / expected:.3g} × the formula" if expected else "differ"
