"""This process's memory: what it holds, and a bound that nothing in it can lift."""

import contextlib
import ctypes
import gc
import os
import resource
import sys
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # of mallopt(3)
_LARGE = 2**17
"""Bytes. Blocks of that size and more go back to the system when they are freed."""
_STACK = 2**21
"""Bytes of a thread's stack."""

COUNTING = "grader.counting"
"""The event of a call that begins to be measured."""

UNCOUNTED = frozenset((COUNTING, "os.fork", "os.forkpty", "mmap.__new__"))
"""Events with which something is made that counts for nothing."""

_bounds: list[int] = []


def bound_memory(more: int) -> None:
    """Let the process, and all that it starts, have so many bytes above what it has now; and none in files,
    where an answer could keep as much as it likes.
    """
    _bounds.append(more)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if sys.platform == "linux":  # elsewhere the address space cannot be bounded
        # By itself the C library keeps freed blocks that lie below one in use, however small that is: of an
        # answer that collects small results between large ones all of these would seem to be there at once.
        # And each thread takes 72 MiB of addresses to begin with: for blocks of its own, and its stack.
        with contextlib.suppress(AttributeError):  # another C library
            mallopt = ctypes.CDLL(None).mallopt
            mallopt(_M_MMAP_THRESHOLD, _LARGE)
            mallopt(_M_ARENA_MAX, 1)
        threading.stack_size(_STACK)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        bound = pages * resource.getpagesize() + more
        if hard != resource.RLIM_INFINITY:
            bound = min(bound, hard)
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))


def counted_only(
    meter: Any, is_submission: Callable[[], bool], refuse: Callable[[str, str], BaseException]
) -> Callable[[str], None]:
    """A function that refuses one of these events in a call that is measured, and in a process of bounded
    memory; and a measured call that a child from before could compute. `meter` is the class that measures
    where torch is.
    """
    counting, bounded, is_tracing, made = COUNTING, bool(_bounds), tracemalloc.is_tracing, list[str]()
    look, everybody, options = os.waitid, os.P_ALL, os.WEXITED | os.WNOHANG | os.WNOWAIT

    def check(event: str) -> None:
        is_measured = is_tracing() if meter is None else meter.running is not None
        if event == counting:
            if made and has_children():
                raise refuse(made[0], text_of(made[0]))
        elif bounded or is_measured:
            raise refuse(event, text_of(event))
        elif event != "mmap.__new__" and is_submission():
            made.append(event)

    def has_children() -> bool:
        try:
            look(everybody, 0, options)
        except ChildProcessError:
            return False
        return True

    def text_of(event: str) -> str:
        return f"{event} leads to where costs are not counted: no answer needs it"

    return check


def keep_tracing(is_submission: Callable[[], bool], refuse: Callable[[str, str], BaseException]) -> None:
    """Let no answer stop or reset the count of what Python allocates, and tell of its start."""
    start = tracemalloc.start

    def start_and_tell(frames: int = 1) -> None:
        sys.audit(COUNTING)
        start(frames)

    def kept(name: str) -> Callable[[], None]:
        change = getattr(tracemalloc, name)

        def change_by_others() -> None:
            if is_submission():
                raise refuse(f"tracemalloc.{name}", "It stops the count of memory: no answer needs it.")
            change()

        return change_by_others

    changed = {name: kept(name) for name in ("stop", "clear_traces", "reset_peak")}
    for module in (tracemalloc, sys.modules["_tracemalloc"]):
        vars(module).update(changed, start=start_and_tell)


def live_tensors() -> list[Any]:
    """All tensors that anything holds, in topics with torch."""
    gc.collect()
    tensor = sys.modules["torch"].Tensor
    return [item for item in gc.get_objects() if issubclass(type(item), tensor)]


def tensors_of(value: Any) -> list[Any]:
    """The tensors that an object holds, however deep in its attributes and containers."""
    torch = sys.modules["torch"]
    found, seen, left = [], set(), [value]
    while left:
        item = left.pop()
        if id(item) in seen or isinstance(item, type | ModuleType | FunctionType):
            continue
        seen.add(id(item))
        if isinstance(item, torch.Tensor):
            found.append(item)
        else:
            left += gc.get_referents(item)
    return found
