"""What an answer computes in threads of its own is counted as well.

The modes in which torch tells of operations belong to one thread. So each thread that an answer starts is in
two of them from its first step to its last, and they tell whatever is measured at the time: a pool of threads
may be older than the call that uses it.
"""

import _thread
import contextlib
import threading
from collections.abc import Callable
from typing import Any

from grader.worker.measuring.meter import Calls, Meter, Mode, allow_subclasses

_STARTING = ("start_new_thread", "start_new", "start_joinable_thread")


class Relay(Mode):
    """Tells the meter of the call that is being measured, if one is, what this thread computes."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls = Calls()

    def tell(self, name: str, args: Any, result: Any) -> None:
        if (meter := Meter.running) is not None:
            meter.count(name, args, result, self.calls.running)


class Followed:
    """A function to run in a thread, under a relay."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        relay = Relay()
        with contextlib.ExitStack() as modes:
            modes.enter_context(relay.calls)
            modes.enter_context(relay)
            self._function(*args, **kwargs)


def follow_threads() -> None:
    """From now on threads that Python starts are followed."""
    for name in _STARTING:
        for module, own in ((_thread, name), (threading, f"_{name}")):
            if hasattr(module, own):
                setattr(module, own, _following(getattr(module, own)))


def _following(start: Callable[..., Any]) -> Callable[..., Any]:
    def start_followed(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if not callable(function) or isinstance(function, Followed):
            return start(function, *args, **kwargs)
        allow_subclasses()
        return start(Followed(function), *args, **kwargs)

    return start_followed
