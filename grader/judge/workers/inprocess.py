"""The worker's side in the judge's own process, to step through an answer with a debugger. Not for
grading.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from grader.judge.workers.client import Program, load_request, value_or_stop
from grader.judge.workers.scenarios import as_sent
from grader.worker import wire
from grader.worker.answering.host import Host
from grader.worker.unpacking import decode


class InProcess:
    """Looks like a `Worker` to the kit. Nothing is forbidden, limited or kept apart."""

    def __init__(self, program: Program) -> None:
        self.deadline = float("inf")  # of no effect here
        self._host = Host(lambda number, args: self._callbacks[number](*args))
        self._callbacks: list[Callable[..., Any]] = []
        self._seed = 0
        self._fresh = True
        value_or_stop(self._exchange(load_request(program)))

    def begin(self, seed: int) -> None:
        """Start a check: its global random seed, and no objects of the one before."""
        self._seed = seed
        self._callbacks.clear()
        self._fresh = True

    def bounded(self, memory: int) -> AbstractContextManager[None]:
        """Nothing is bounded here."""
        return nullcontext()

    def take_output(self) -> str:
        """What it has printed is on the screen already."""
        return ""

    def drop_output(self) -> None:
        """It is on the screen already."""

    def request(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request. Raises what stopped it (see `grader.kit.outcomes`)."""
        return value_or_stop(self._exchange(request))

    def callback(self, function: Callable[..., Any]) -> wire.Callback:
        """A stand-in for a function of the check's."""
        self._callbacks.append(function)
        return wire.Callback(len(self._callbacks) - 1)

    def _exchange(self, request: dict[str, Any]) -> dict[str, Any]:
        self._seed += 1
        fresh, self._fresh = self._fresh, False
        data = wire.encode({**as_sent(request), "seed": self._seed, "fresh": fresh})
        reply: dict[str, Any] = decode(self._host.answer(data))
        return reply
