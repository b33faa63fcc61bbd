"""The memory of a process in large pages: who is forked from it copies a table of them, and drops it in the
end. With small ones that takes as long as most answers compute.
"""

import contextlib
import ctypes
import time
from collections.abc import Iterator
from pathlib import Path

from grader.worker.walls.kernel.libc import call

SIZE = Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
"""Says how large such a page is, where the system has any."""
_COLLAPSE = 25  # the advice of that name in madvise(2), since Linux 6.1
LONGEST = 2.0
"""Seconds for all of it, where a fraction of one is usual."""


def gather() -> Iterator[bool]:
    """Gather what this process holds by itself in large pages, at most one at each step (True), which takes
    some milliseconds. What the system does not gather, all of it where it has no such pages, stays as it is.
    Where it takes long (memory is short, or all in small pieces) the rest is left.
    """
    try:
        size = int(SIZE.read_text())
    except (OSError, ValueError):
        return
    spent = 0.0
    for start, end in _own_memory():
        for address in range(-(-start // size) * size, end // size * size, size):
            begun = time.monotonic()
            with contextlib.suppress(OSError):
                call("madvise", ctypes.c_void_p(address), ctypes.c_size_t(size), _COLLAPSE)
            spent += time.monotonic() - begun
            if spent > LONGEST:
                return
            yield True


def _own_memory() -> list[tuple[int, int]]:
    """Where what can be written to and is part of no file lies: from and to."""
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights, _, _, node, *name = line.split()
        if "w" in rights and "p" in rights and node == "0" and name in ([], ["[heap]"]):
            start, end = (int(address, 16) for address in span.split("-"))
            found.append((start, end))
    return found
