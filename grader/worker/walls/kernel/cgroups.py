"""A control group around what workers are forked from: the kernel bounds memory and number of all its
processes together, at once. Nothing is raised where the system refuses any part of it.

Its name begins with the number of the judge: whoever makes a group removes those that no living judge has.
"""

import contextlib
import os
import time
from pathlib import Path

from grader.worker.walls.kernel.hierarchies import Place, places

_PREFIX = "byheart-"
_OPTIONAL = {"memory.memsw.limit_in_bytes", "memory.swap.max"}
"""Files about swap, which not every kernel has."""
_NEAR = 2**20
"""Bytes below the bound where it is met: the kernel charges several pages at a time."""
_SECONDS = 1.0
"""Time for the last process of a group to be gone."""


class Counters:
    """The open files of a group that tell of its memory. None where there is no group."""

    def __init__(self, events: int | None = None, most: int | None = None, bound: int = 0) -> None:
        """`events` tells how many processes the kernel has ended in the group for want of memory, and in
        version 2 how often its `bound` was met. In version 1 `most` tells that, the most that it has taken.
        """
        self._events = events
        self._most = most
        self._nearly = bound - _NEAR
        self._before: dict[str, int] = {}

    @property
    def descriptors(self) -> list[int]:
        """All that is open; nothing where there is no group."""
        return [descriptor for descriptor in (self._events, self._most) if descriptor is not None]

    def begin(self) -> None:
        """What was until now counts no more."""
        self._before = self._read()
        if self._most is not None:
            os.pwrite(self._most, b"0", 0)

    def was_over(self) -> bool:
        """Whether a process was ended since for what the group took. (The machine may be short of memory,
        too.)
        """
        now = self._read()
        if now.get("oom_kill", 0) <= self._before.get("oom_kill", 0):
            return False
        if self._most is not None:
            return int(os.pread(self._most, 99, 0)) >= self._nearly
        return now.get("oom", 0) > self._before.get("oom", 0)

    def _read(self) -> dict[str, int]:
        if self._events is None:
            return {}
        lines = os.pread(self._events, 4096, 0).decode().splitlines()
        return {name: int(number) for name, _, number in (line.partition(" ") for line in lines)}


class Group:
    """One for a judge's workers of one framework, if one can be made from here."""

    def __init__(self) -> None:
        self._places: list[Place] = []
        with contextlib.suppress(OSError):
            self._places = places(_memberships(), Path("/proc/self/mountinfo").read_text())
        self._name = f"{_PREFIX}{os.getpid()}-{os.urandom(4).hex()}"

    def enter(self) -> Counters:
        """Make it and move this process into it, and with it its children to come."""
        if not self._places:
            return Counters()
        entered: list[Place] = []
        try:
            for place in self._places:
                _sweep(place.parent)
                self._make(place)
            for place in self._places:
                _write(self._file(place, "cgroup.procs"), 0)
                entered.append(place)
            inside = [line for line in _memberships().splitlines() if line.endswith(f"/{self._name}")]
            if len(inside) != len(self._places):
                raise OSError("this process has not moved")
            return self._counters(self._places[0])
        except OSError:
            for place in entered:
                with contextlib.suppress(OSError):
                    _write(os.path.join(place.home, "cgroup.procs"), 0)
            self.remove()
            return Counters()

    def remove(self) -> None:
        """Remove it, now that its processes have ended. One that cannot be removed is left to the next
        judge.
        """
        deadline = time.monotonic() + _SECONDS
        for place in self._places:
            while not _removed(self._file(place, "")) and time.monotonic() < deadline:
                time.sleep(0.005)

    def _counters(self, memory: Place) -> Counters:
        if "memory.max" in memory.bounds:
            return Counters(os.open(self._file(memory, "memory.events"), os.O_RDONLY))
        events = os.open(self._file(memory, "memory.oom_control"), os.O_RDONLY)
        most = os.open(self._file(memory, "memory.max_usage_in_bytes"), os.O_RDWR)
        return Counters(events, most, memory.bounds["memory.limit_in_bytes"])

    def _make(self, place: Place) -> None:
        """Make and bound it there. Raises OSError where a bound is not what it was set to."""
        os.mkdir(self._file(place, ""))
        for name, bound in place.bounds.items():
            file = self._file(place, name)
            if name in _OPTIONAL and not os.path.exists(file):
                continue
            _write(file, bound)
            if Path(file).read_text().strip() != str(bound):
                raise OSError(f"{name} is not set")

    def _file(self, place: Place, name: str) -> str:
        return os.path.join(place.parent, self._name, name)


def be_first_to_end() -> None:
    """Let the kernel end this process, and its children to come, before others where memory is short."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _memberships() -> str:
    return Path("/proc/self/cgroup").read_text()


def _write(file: str, number: int) -> None:
    descriptor = os.open(file, os.O_WRONLY)
    try:
        os.write(descriptor, str(number).encode())
    finally:
        os.close(descriptor)


def _removed(folder: str) -> bool:
    """Whether there is none, after it was to be removed."""
    with contextlib.suppress(OSError):
        os.rmdir(folder)
    return not os.path.exists(folder)


def _is_alive(pid: int) -> bool:
    import psutil  # it takes a while, and mostly there are none

    return bool(psutil.pid_exists(pid))


def _sweep(parent: str) -> None:
    """Remove the groups of judges that were killed."""
    for name in os.listdir(parent):
        number = name.removeprefix(_PREFIX).partition("-")[0]
        if name.startswith(_PREFIX) and number.isdigit() and not _is_alive(int(number)):
            _removed(os.path.join(parent, name))  # those that hold processes stay
