"""This process's memory: what it holds, and a bound that nothing in it can lift."""

import contextlib
import ctypes
import gc
import resource
import sys
from pathlib import Path
from typing import Any

_M_MMAP_THRESHOLD = -3  # of mallopt(3)
_LARGE = 2**17
"""Bytes. Blocks of that size and more go back to the system when they are freed."""


def bound_memory(more: int) -> None:
    """Let the process, and all that it starts, have so many bytes above what it has now."""
    if sys.platform == "linux":  # elsewhere the address space cannot be bounded
        # By itself the C library keeps freed blocks that lie below one in use, however small that is: of an
        # answer that collects small results between large ones all of these would seem to be there at once.
        with contextlib.suppress(AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE)
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
