"""What a call costs: the multiplications of its matrix products and convolutions, and its largest tensor."""

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from grader.worker.measuring.flops import flops_of
from grader.worker.measuring.uncounted import COUNTING

MAX_OPERATIONS = 20_000
"""Operations that are told apart, and names of functions; others only count in the sums."""

MOST_LEAVING = 16
"""Numbers of one tensor that may be looked at in Python or NumPy where a rule hangs on the costs."""
_LEAVING = frozenset(
    (
        *("numpy", "__array__", "tolist", "__dlpack__", "data_ptr", "__reduce_ex__"),
        *("storage", "untyped_storage", "_typed_storage", "apply_", "map_", "map2_"),
    )
)

Shape = tuple[int, ...]


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
        if here.counting and (meter := Meter.running) is not None:
            meter.refuse_to_leave(name, args)
        if len(self.names) < MAX_OPERATIONS:
            self.names.append(name)
        outer, self.running = self.running, name
        try:
            return func(*args, **(kwargs or {}))
        finally:
            self.running = outer


_new_tensor = torch.Tensor.__new__
_NO_HANDLER = torch.Tensor.__torch_dispatch__


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


def follow_dlpack() -> None:
    """Tell the meter of functions in C that hand on a tensor and that no mode hears of, for good."""

    def told(hand_on: Callable[..., Any]) -> Callable[..., Any]:
        def hand_on_and_tell(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if here.counting and (meter := Meter.running) is not None:
                meter.refuse_to_leave("__dlpack__", (tensor,))
            return hand_on(tensor, *args, **kwargs)

        return hand_on_and_tell

    for name in ("_to_dlpack", "_to_dlpack_versioned"):
        setattr(torch._C, name, told(getattr(torch._C, name)))
    torch.to_dlpack = torch.utils.dlpack.to_dlpack = torch._C._to_dlpack  # type: ignore[attr-defined]


class Mode(TorchDispatchMode):
    """A dispatch mode that costs little to begin with, and tells of each operation after it ran."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # otherwise the first call loads the whole compiler, 0.7 s

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if any(kind.__torch_dispatch__ is not _NO_HANDLER for kind in types):
            return NotImplemented  # their own handlers come next, and what these compute is told
        if _is_composite(func):  # it comes whole in inference mode and from the handlers of other modes
            with self._again():
                return func.decompose(*args, **kwargs)
        result = func(*args, **kwargs)
        if here.counting:
            self.tell(func.overloadpacket.__name__, args, result)
            if func._schema.is_mutable:
                self.tell_written(result)
        return result

    def tell(self, name: str, args: Any, result: Any) -> None:
        """What became of one operation."""

    def tell_written(self, result: Any) -> None:
        """What an operation has written to."""

    @contextmanager
    def _again(self) -> Iterator[None]:
        """Torch leaves a mode while it tells it of an operation."""
        TorchDispatchMode.__enter__(self)
        try:
            yield
        finally:
            TorchDispatchMode.__exit__(self, None, None, None)


def _is_large(tensor: torch.Tensor) -> bool:
    """Whether it holds more real or complex numbers than may be looked at."""
    return (tensor.is_floating_point() or tensor.is_complex()) and tensor.numel() > MOST_LEAVING


def _is_borrowed(tensor: torch.Tensor) -> bool:
    """Whether its memory is another's than torch's: an array's, say, that can be read without it."""
    with torch._C.DisableTorchFunction():
        return tensor.layout is torch.strided and not tensor.untyped_storage().resizable()


def _address(tensor: torch.Tensor) -> int:
    with torch._C.DisableTorchFunction():
        return tensor.untyped_storage().data_ptr()


@cache
def _is_composite(func: Any) -> bool:
    """Whether an operator is made of others, whatever its arguments are."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd")


class Meter(Mode):
    """Counts while it is entered: how often each operation ran, by its name, the shapes of its outputs (views
    too), its FLOPs and the torch function that ran it. What the worker does to reach the judge meanwhile is
    `paused`; what other threads do comes over `grader.worker.measuring.threads`.
    """

    running: ClassVar["Meter | None"] = None
    keeps_new: ClassVar[bool] = False

    def __init__(
        self, refuse: Callable[[str, str], BaseException] | None = None, given: Iterable[torch.Tensor] = ()
    ) -> None:
        """`refuse(what, text)` gives the exception where numbers leave tensors, if that is not allowed. The
        memory of those that were `given` is no array's that an answer has: to write there is another mistake.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        self._refuse = refuse
        self._given = frozenset(map(_address, given))
        self.operations: dict[tuple[str, tuple[Shape, ...], int, str], int] = {}
        self.matmul_flops = 0
        self.largest_tensor = 0
        self._is_cast = False
        self.calls = Calls()
        self._lock = threading.Lock()
        self._outer: Meter | None = None

    def __enter__(self) -> "Meter":
        sys.audit(COUNTING)
        self._outer, Meter.running = Meter.running, self
        torch.Tensor.__new__ = staticmethod(_new)  # type: ignore[method-assign]
        return super().__enter__()  # type: ignore[no-untyped-call,no-any-return]

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)  # type: ignore[no-untyped-call]
        Meter.running = self._outer
        if self._outer is None and not Meter.keeps_new:
            del torch.Tensor.__new__

    def refuse_to_leave(self, name: str, args: Any) -> None:
        """Refuse a function that hands the numbers of a large tensor to where nothing is counted. (Indices
        may be asked for, in lists.)
        """
        if self._refuse is None or name not in _LEAVING or not args or not isinstance(args[0], torch.Tensor):
            return
        if _is_large(args[0]) or (self._is_cast and args[0].numel() > MOST_LEAVING):
            raise self._left(name)

    def _left(self, name: str) -> BaseException:
        text = f"{name} takes a tensor's numbers to where costs are not counted: compute in torch here"
        assert self._refuse is not None
        return self._refuse("numpy", text)

    def tell(self, name: str, args: Any, result: Any) -> None:
        self.count(name, args, result, self.calls.running)
        if name == "view" and _is_large(args[0]) and not _is_large(result):
            self._is_cast = True  # as integers they could leave

    def tell_written(self, result: Any) -> None:
        if self._refuse is None:
            return
        for item in result if isinstance(result, tuple | list) else (result,):
            is_large = isinstance(item, torch.Tensor) and _is_large(item)
            if is_large and _is_borrowed(item) and _address(item) not in self._given:
                raise self._left("writing to an array's memory")

    def count(self, name: str, args: Any, result: Any, inside: str) -> None:
        """One operation more, of whatever thread."""
        flops = flops_of(name, args, result)
        outputs = result if isinstance(result, tuple | list) else (result,)
        shapes = tuple([item.shape for item in outputs if isinstance(item, torch.Tensor)])
        operation = name, shapes, flops, inside
        with self._lock:
            self.matmul_flops += flops
            for shape in shapes:
                self.largest_tensor = max(self.largest_tensor, shape.numel())
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
