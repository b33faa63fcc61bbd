"""Starting a worker and telling it its setup; the next one ahead, where it is known what it will be for."""

import contextlib
import time
from dataclasses import asdict, dataclass
from typing import Any

from grader.judge.workers.endings import stopped
from grader.judge.workers.launch import NO_PARTS, Ending, Launcher
from grader.judge.workers.pipe import OutOfTime, Pipe
from grader.worker import wire
from grader.worker.serve import REPLY
from grader.worker.torch_import import Part
from grader.worker.unpacking import decode
from grader.worker.walls.wall import Wall

START_SECONDS = 60.0
"""Time for a worker to start: a new interpreter has to load torch."""


@dataclass(frozen=True)
class Setup:
    """What a worker is given, and told before anything else. `parts` of torch are loaded before it is
    made, where workers are forked; `memory` is in bytes above those of a worker that has loaded nothing.
    """

    forbid: tuple[str, ...] = ()
    without_torch: bool = False
    parts: Part = NO_PARTS
    memory: int | None = None

    def told(self) -> dict[str, Any]:
        """What the worker itself needs to know."""
        return {**asdict(self), "parts": self.parts.value}


class WorkerFault(RuntimeError):
    """A worker failed before it had anything to do with a submission."""


class Starter:
    """One worker at a time, and behind it one that is ready: forked, and with all that is forbidden
    forbidden, which takes as long as twenty calls.
    """

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._ready: tuple[Setup, Pipe] | None = None

    def start(self, setup: Setup, printed: bytearray) -> Pipe:
        """A worker that has its setup. `printed` collects what comes out of it."""
        if self._ready is not None and self._ready[0] == setup:
            pipe, self._ready = self._ready[1], None
            pipe.printed = printed
            if self._has_its_setup(pipe) is None and pipe.is_open():
                return pipe
            self.end(pipe)  # it has waited for long, and somebody killed it
        self._let_go()
        pipe = self._begun(setup, printed)
        fault = self._has_its_setup(pipe)
        if fault is not None:
            why = stopped(self.end(pipe, by_itself=True), fault)
            raise WorkerFault(f"a worker does not start: {why}\n{printed.decode('utf-8', 'replace')}")
        return pipe

    def make_ready(self, setup: Setup) -> None:
        """Begin a worker with this setup, while there is none: whoever starts one next finds it ready, if it
        is to have the same. Where that fails it will be tried again, and told, when somebody does.
        """
        if self._ready is None or self._ready[0] != setup:
            with contextlib.suppress(OSError, RuntimeError):
                self._let_go()
                self._ready = setup, self._begun(setup, bytearray())

    def end(self, pipe: Pipe, by_itself: bool = False) -> Ending:
        """End the worker and all that it started, now or (`by_itself`) after it had a moment to end."""
        ending = self._launcher.end(by_itself)
        pipe.close()
        return ending

    def walls(self) -> Wall:
        """What stands around its workers."""
        return self._launcher.walls()

    def close(self) -> None:
        """End the one that is ready, and what it comes from."""
        self._let_go()
        self._launcher.close()

    def _let_go(self) -> None:
        if self._ready is not None:
            pipe, self._ready = self._ready[1], None
            self.end(pipe)

    def _begun(self, setup: Setup, printed: bytearray) -> Pipe:
        pipe = Pipe(self._launcher.start(setup.parts & ~Part.DYNAMO), printed)
        with contextlib.suppress(OSError):  # it has ended: it will not say that it has its setup
            pipe.send(wire.encode(setup.told()), time.monotonic() + START_SECONDS)
        return pipe

    @staticmethod
    def _has_its_setup(pipe: Pipe) -> Exception | None:
        """None once the worker says so, or what came instead."""
        try:
            kind, data = pipe.receive(time.monotonic() + START_SECONDS)
            return None if (kind, decode(data)) == (REPLY, {}) else ValueError("expected no reply")
        except OutOfTime:
            return TimeoutError("it does not answer")
        except (OSError, ValueError, EOFError) as fault:
            return fault
