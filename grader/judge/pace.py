"""How fast this machine is, so that as much is found out about an answer on a slow one as on any other.

What the judge does beyond the checks (a second round's further cases, naming the mistake, the trail) is
bounded by seconds, and these are seconds of an ordinary machine; so are those for a file, unless a check
times out. Those that bound a check, which somebody waits for, are real ones. But they are longer where many
work on the machine: no right answer is to fail for that.
"""

import os
import time
from functools import lru_cache

ORDINARY = 0.33e-3
"""Seconds that `_work` takes on an ordinary machine."""
SLOWEST = 4.0
"""A machine that is slower still is taken for one of this pace: somebody waits."""
_LASTS = 20.0
"""Seconds for which a measurement is good: a machine that gets hot, or is shared, gets slower."""
_TIMES = 3


def paced(seconds: float) -> float:
    """What takes so many seconds on an ordinary machine takes so many on this one."""
    return seconds * _measured(int(time.monotonic() / _LASTS))


def crowding() -> float:
    """How many times as long something takes here because others work too: 1 where each processor has one or
    two to work for, as it does while tests run.
    """
    for_each = os.getloadavg()[0] / (os.cpu_count() or 1)
    return min(max(for_each - 1.0, 1.0), SLOWEST)


def pace(seconds: float) -> float:
    """How many times as long as an ordinary machine one takes that does `_work` in so many seconds: 1 for a
    fast one, too.
    """
    return min(max(seconds / ORDINARY, 1.0), SLOWEST)


@lru_cache(maxsize=1)
def _measured(period: int) -> float:
    """The pace of this machine in one of the periods."""
    return pace(min(_seconds_of_work() for _ in range(_TIMES)))


def _seconds_of_work() -> float:
    begun = time.thread_time()
    _work()
    return time.thread_time() - begun


def _work() -> int:
    total = 0
    for number in range(15_000):
        total += number
    return total
