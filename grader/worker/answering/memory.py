"""A bound on this process's memory that nothing in it can lift."""

import resource
import sys
from pathlib import Path


def bound_memory(more: int) -> None:
    """Let the process, and all that it starts, have so many bytes above what it has now."""
    if sys.platform == "linux":  # elsewhere the address space cannot be bounded
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        bound = pages * resource.getpagesize() + more
        if hard != resource.RLIM_INFINITY:
            bound = min(bound, hard)
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
