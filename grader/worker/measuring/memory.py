"""A bound on this process's memory that nothing in it can lift."""

import contextlib
import ctypes
import os
import resource
import sys
import threading
from pathlib import Path

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # of mallopt(3)
_LARGE = 2**17
"""Bytes. Blocks of that size and more go back to the system when they are freed."""
_STACK = 2**21
"""Bytes of a thread's stack."""

_DESCRIPTORS = 4
"""More that may be open at once: an import takes two or three. What lies in pipes counts for nobody."""

_bounds: list[int] = []


def bound_memory(more: int) -> None:
    """Let the process, and all that it starts, have so many bytes above what it has now; and none in files or
    pipes, where an answer could keep as much as it likes.
    """
    _bounds.append(more)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    number = _end_of_descriptors()
    resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))
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


def _end_of_descriptors() -> int:
    """The number below which as many are free as may be opened."""
    number = free = 0
    while free < _DESCRIPTORS:
        try:
            os.fstat(number)
        except OSError:
            free += 1
        number += 1
    return number


def is_bounded() -> bool:
    """Whether this process is."""
    return bool(_bounds)
