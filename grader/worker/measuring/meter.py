"""What a call costs: the multiplications of its matrix products and convolutions, and its largest tensor."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

MAX_OPERATIONS = 20_000
"""Operations that are told apart, and names of functions; others only count in the sums."""

Shape = tuple[int, ...]


def _product(matrices: tuple[Any, ...]) -> int:
    """(…, n, k) @ (…, k, m) and every smaller form: two FLOPs for each multiplication."""
    first, second = matrices
    columns = second.shape[-1] if second.dim() > 1 else 1
    return int(2 * first.numel() * columns)


def _attention(arguments: tuple[Any, ...]) -> int:
    query, key, value = arguments[:3]
    rows = query.numel() // query.shape[-1]
    return int(2 * rows * key.shape[-2] * (query.shape[-1] + value.shape[-1]))


def _convolution(arguments: tuple[Any, ...], result: torch.Tensor) -> int:
    """A product of matrices can be written as one: every number of the result (of the input, where it is
    transposed) meets one filter."""
    tensor, weight, is_transposed = arguments[0], arguments[1], arguments[6]
    return int(2 * (tensor if is_transposed else result).numel() * weight[0].numel())


_FLOPS: dict[str, Callable[[tuple[Any, ...]], int]] = {
    "mm": lambda a: _product(a[:2]),
    "_int_mm": lambda a: _product(a[:2]),
    "bmm": lambda a: _product(a[:2]),
    "mv": lambda a: _product(a[:2]),
    "dot": lambda a: 2 * a[0].numel(),
    "addmm": lambda a: _product(a[1:3]),
    "addmv": lambda a: _product(a[1:3]),
    "baddbmm": lambda a: _product(a[1:3]),
    "addbmm": lambda a: _product(a[1:3]),
    "_addmm_activation": lambda a: _product(a[1:3]),
    "_scaled_dot_product_flash_attention_for_cpu": _attention,
}


class _Here(threading.local):
    """Of the thread that asks."""

    counting = True


here = _Here()


@contextmanager
def paused() -> Iterator[None]:
    """Nothing that this thread does inside is counted."""
    here.counting = False
    try:
        yield
    finally:
        here.counting = True


class Calls(TorchFunctionMode):
    """Notes the names of the torch functions that are called while it is entered; `running` is the one that
    is being called.
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.running = ""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if len(self.names) < MAX_OPERATIONS:
            self.names.append(name)
        outer, self.running = self.running, name
        try:
            return func(*args, **(kwargs or {}))
        finally:
            self.running = outer


_new_tensor = torch.Tensor.__new__


def _new(*args: Any, **kwargs: Any) -> Any:
    """`Tensor.__new__`, also for subclasses (a causal bias, say): a dispatch mode is in their way.

    The compiler of torch, which optimizers load, would take no other signature.
    """
    if args[:1] == (torch.Tensor,):
        return _new_tensor(*args, **kwargs)
    with _disable_current_modes():
        return _new_tensor(*args, **kwargs)


def allow_subclasses() -> None:
    """Let them be made under a dispatch mode, in all threads and for good."""
    torch.Tensor.__new__ = staticmethod(_new)  # type: ignore[method-assign]
    Meter.keeps_new = True


class Mode(TorchDispatchMode):
    """A dispatch mode that costs little to begin with."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # otherwise the first call loads the whole compiler, 0.7 s


class Meter(Mode):
    """Counts while it is entered: how often each operation ran, by its name, the shapes of its outputs (views
    too), its FLOPs and the torch function that ran it. What the worker does to reach the judge meanwhile is
    `paused`; what other threads do comes over `grader.worker.measuring.threads`.
    """

    running: ClassVar["Meter | None"] = None
    keeps_new: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.operations: dict[tuple[str, tuple[Shape, ...], int, str], int] = {}
        self.matmul_flops = 0
        self.largest_tensor = 0
        self.calls = Calls()
        self._lock = threading.Lock()
        self._outer: Meter | None = None

    def __enter__(self) -> "Meter":
        self._outer, Meter.running = Meter.running, self
        torch.Tensor.__new__ = staticmethod(_new)  # type: ignore[method-assign]
        return super().__enter__()  # type: ignore[no-untyped-call,no-any-return]

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)  # type: ignore[no-untyped-call]
        Meter.running = self._outer
        if self._outer is None and not Meter.keeps_new:
            del torch.Tensor.__new__

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if here.counting:
            self.count(func.overloadpacket.__name__, args, result, self.calls.running)
        return result

    def count(self, name: str, args: Any, result: Any, inside: str) -> None:
        """One operation more, of whatever thread."""
        flops = _FLOPS[name](args) if name in _FLOPS else 0
        if name == "convolution":
            flops = _convolution(args, result)
        outputs = result if isinstance(result, tuple | list) else (result,)
        made = [item for item in outputs if isinstance(item, torch.Tensor)]
        operation = name, tuple(tuple(item.shape) for item in made), flops, inside
        with self._lock:
            self.matmul_flops += flops
            self.largest_tensor = max([self.largest_tensor, *(item.numel() for item in made)])
            if operation in self.operations or len(self.operations) < MAX_OPERATIONS:
                self.operations[operation] = self.operations.get(operation, 0) + 1

    def report(self) -> dict[str, Any]:
        """FLOPs of matrix products, elements of the largest tensor, and each operation with its times."""
        with self._lock:
            operations = list(self.operations.items())
        return {
            "matmul_flops": self.matmul_flops,
            "largest_tensor": self.largest_tensor,
            "operations": [
                [name, [list(shape) for shape in shapes], flops, inside, times]
                for (name, shapes, flops, inside), times in operations
            ],
        }
