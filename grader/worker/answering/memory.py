"""This process's memory: what it holds, and a bound that nothing in it can lift."""

import gc
import resource
import sys
from pathlib import Path
from typing import Any


def bound_memory(more: int) -> None:
    """Let the process, and all that it starts, have so many bytes above what it has now."""
    if sys.platform == "linux":  # elsewhere the address space cannot be bounded
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
