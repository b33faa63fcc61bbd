"""The memory and the number of all processes of a worker together: no limit of the system's is about them.

The process around the worker asks for both, some twenty times a second. It is not one that the worker could
stop, and what has lost its parent becomes its child.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from grader.worker.walls.limits import MEMORY, PROCESSES

SECONDS = 0.05
"""Between two looks."""


def can_watch() -> bool:
    """Whether the processes that are seen are those that this one can have."""
    try:
        pid = os.readlink("/proc/self")
        return pid == str(os.getpid()) and os.path.exists(f"/proc/{pid}/task/{pid}/children")
    except OSError:
        return False


class Watch:
    """Of all processes below this one, from now on."""

    def __init__(self) -> None:
        self._at_first = sum(map(_memory, _below(os.getpid())))

    def has_too_many(self) -> bool:
        """Whether there are more processes and threads than an answer may have."""
        return sum(len(_threads(pid)) for pid in _below(os.getpid())) > PROCESSES

    def takes_too_much(self) -> bool:
        """Whether they take more memory than an answer may have, above what they had at first."""
        family = list(_below(os.getpid()))
        # What is shared counts for each here, once in the exact number, which takes longer to get.
        if sum(map(_memory, family)) - self._at_first <= MEMORY:
            return False
        return sum(map(_exact_memory, family)) - self._at_first > MEMORY


def _below(pid: int) -> Iterator[int]:
    """The processes below this one; at most a few more than there may be."""
    left, count = list(_children(pid)), 0
    while left and count <= PROCESSES:
        child = left.pop()
        count += 1
        yield child
        left += _children(child)


def _children(pid: int) -> Iterator[int]:
    for thread in _threads(pid):
        with contextlib.suppress(OSError):
            yield from map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())


def _threads(pid: int) -> list[str]:
    with contextlib.suppress(OSError):
        return os.listdir(f"/proc/{pid}/task")
    return []


def _memory(pid: int) -> int:
    """Bytes that are of no file, those shared with others included."""
    return _sum_of(f"/proc/{pid}/status", (b"RssAnon:", b"RssShmem:"))


def _exact_memory(pid: int) -> int:
    """The same; of what is shared by n processes, an n-th."""
    exact = _sum_of(f"/proc/{pid}/smaps_rollup", (b"Pss_Anon:", b"Pss_Shmem:"))
    return exact or _memory(pid)  # it is not shown of a process that has closed itself


def _sum_of(path: str, fields: tuple[bytes, ...]) -> int:
    with contextlib.suppress(OSError):
        lines = Path(path).read_bytes().splitlines()
        return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith(fields))
    return 0
