"""This process's memory: what it holds, and a bound that nothing in it can lift."""

import contextlib
import ctypes
import gc
import resource
import sys
import threading
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # of mallopt(3)
_LARGE = 2**17
"""Bytes. Blocks of that size and more go back to the system when they are freed."""
_STACK = 2**21
"""Bytes of a thread's stack."""


def bound_memory(more: int) -> None:
    """Let the process, and all that it starts, have so many bytes above what it has now."""
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
