"""Ways to where costs are not counted: other processes, maps, and the count itself. An answer may not take
them in a call that is measured, nor where its memory is bounded.
"""

import os
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

from grader.worker.measuring.memory import is_bounded

COUNTING = "grader.counting"
"""The event of a call that begins to be measured."""

UNCOUNTED = frozenset((COUNTING, "os.fork", "os.forkpty", "mmap.__new__"))
"""Events with which something is made that counts for nothing."""


def counted_only(
    meter: Any, is_submission: Callable[[], bool], refuse: Callable[[str, str], BaseException]
) -> Callable[[str], None]:
    """A function that refuses one of these events in a call that is measured, and in a process of bounded
    memory; and a measured call that a child from before could compute. `meter` is the class that measures
    where torch is.
    """
    counting, bounded, is_tracing, made = COUNTING, is_bounded(), tracemalloc.is_tracing, list[str]()
    look, everybody, options = os.waitid, os.P_ALL, os.WEXITED | os.WNOHANG | os.WNOWAIT

    def check(event: str) -> None:
        is_measured = is_tracing() if meter is None else meter.running is not None
        if event == counting:
            if made and has_children():
                raise refuse(made[0], text_of(made[0]))
        elif bounded or is_measured:
            raise refuse(event, text_of(event))
        elif event != "mmap.__new__" and is_submission():
            made.append(event)

    def has_children() -> bool:
        try:
            look(everybody, 0, options)
        except ChildProcessError:
            return False
        return True

    def text_of(event: str) -> str:
        return f"{event} leads to where costs are not counted: no answer needs it"

    return check


def keep_tracing(is_submission: Callable[[], bool], refuse: Callable[[str, str], BaseException]) -> None:
    """Let no answer stop or reset the count of what Python allocates, and tell of its start."""
    start = tracemalloc.start

    def start_and_tell(frames: int = 1) -> None:
        sys.audit(COUNTING)
        start(frames)

    def kept(name: str) -> Callable[[], None]:
        change = getattr(tracemalloc, name)

        def change_by_others() -> None:
            if is_submission():
                raise refuse(f"tracemalloc.{name}", "It stops the count of memory: no answer needs it.")
            change()

        return change_by_others

    changed = {name: kept(name) for name in ("stop", "clear_traces", "reset_peak")}
    for module in (tracemalloc, sys.modules["_tracemalloc"]):
        vars(module).update(changed, start=start_and_tell)
