"""What one process of a worker may take; `grader.worker.process.resource_watch` watches all of them."""

import resource
import sys
from pathlib import Path

MEMORY = 2 * 2**30
"""Bytes above what the process has when it starts."""
FILES = 64 * 2**20
"""Bytes of files."""
PROCESSES = 128
"""Processes and threads of a worker together."""
DESCRIPTORS = 1024
GROUP_MEMORY = MEMORY + 2**30
GROUP_PROCESSES = PROCESSES + 64
"""The same where the kernel bounds everything around a worker at once, the next worker and what they are
forked from included. There is room above what the watch asks for: it says what was too much, and this stops
what is faster.
"""


def set_limits(alone: bool) -> None:
    """Bound memory, file size, descriptors and core dumps of this process and of all that it starts.

    The number of processes is bounded where they are counted `alone`, for a user or in a namespace of their
    own: elsewhere everything that the user runs would count.
    """
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, FILES)
    _limit(resource.RLIMIT_NOFILE, DESCRIPTORS)
    if alone:
        _limit(resource.RLIMIT_NPROC, PROCESSES)
    if sys.platform == "linux":  # elsewhere the address space cannot be bounded
        _limit(resource.RLIMIT_AS, _taken() + MEMORY)


def _taken() -> int:
    """Bytes of address space, as `/proc/self/statm` has it, which is not there without a file system of
    processes."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 8 * 2**30
    return pages * resource.getpagesize()


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound))
