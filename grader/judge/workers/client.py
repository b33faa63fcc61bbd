"""The judge's end of a worker: requests with a time limit, captured output, and what became of the
process.
"""

import signal
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from grader.judge.workers.launch import Ending, Launcher
from grader.judge.workers.pipe import KEPT_OUTPUT, OutOfTime, Pipe
from grader.kit.outcomes import Crashed, Forbidden, Misused, NotWritten, Raised, TimedOut
from grader.worker import wire
from grader.worker.answering.loading import Signatures
from grader.worker.serve import REPLY

START_SECONDS = 60.0
"""Time for a worker to start: a new interpreter has to load torch."""


@dataclass(frozen=True)
class Setup:
    """What a worker is told before anything else."""

    forbid: tuple[str, ...] = ()
    without_torch: bool = False


@dataclass(frozen=True)
class Program:
    """The code that a worker loads: its text, the path and module name it goes by, and what it has to
    define.
    """

    text: str
    path: str
    name: str
    required: Signatures = field(default_factory=dict, hash=False)


class WorkerFault(RuntimeError):
    """A worker failed before it had anything to do with a submission."""


class Session(Protocol):
    """An answer that is loaded: in a worker, or in this process."""

    deadline: float

    def begin(self, seed: int) -> None: ...

    def request(self, request: dict[str, Any]) -> dict[str, Any]: ...

    def callback(self, function: Callable[..., Any]) -> wire.Callback: ...


class Worker:
    """One worker process at a time. After a kill, the next request meets a fresh one with the same program
    loaded.
    """

    def __init__(self, launcher: Launcher, setup: Setup, program: Program) -> None:
        self.deadline = float("inf")
        self._seed = 0
        self._launcher = launcher
        self._setup = setup
        self._program = program
        self._pipe: Pipe | None = None
        self._fresh = True
        self._earlier = bytearray()  # output that was taken
        self._output = bytearray()
        self._callbacks: list[Callable[..., Any]] = []

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *exception: object) -> None:
        self.end()

    @property
    def output(self) -> str:
        """The end of what the submission has printed so far."""
        return (self._earlier + self._output).decode("utf-8", "replace")

    def take_output(self) -> str:
        """The end of what it has printed since this was last asked for."""
        while self._pipe is not None and self._pipe.read_output():
            pass
        text = self._output.decode("utf-8", "replace")
        self._earlier = (self._earlier + self._output)[-KEPT_OUTPUT:]
        self._output.clear()
        return text

    def callback(self, function: Callable[..., Any]) -> wire.Callback:
        """A stand-in for a function of the judge's: the submission calls it over the pipe."""
        self._callbacks.append(function)
        return wire.Callback(len(self._callbacks) - 1)

    def load(self, program: Program | None = None) -> dict[str, Any]:
        """Load the program (another one, if given) and say what is wrong with it: see `Host.do_load`."""
        self._program = program or self._program
        if self._pipe is None:
            self._start()
        return self._judged(self._exchange(load_request(self._program)))

    def request(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply of the worker. Raises what stopped it (see `grader.kit.outcomes`)."""
        if self._pipe is None:
            self.load()
        return self._judged(self._exchange(request))

    def begin(self, seed: int) -> None:
        """Start a check: its global random seed, and no objects of the one before."""
        self._seed = seed
        self._callbacks.clear()
        self._fresh = True

    def _exchange(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and give the plain reply; a worker that does not give one is ended."""
        assert self._pipe is not None
        self._seed += 1  # two calls in one check do not draw the same numbers
        fresh, self._fresh = self._fresh, False
        try:
            self._pipe.send(wire.encode({**request, "seed": self._seed, "fresh": fresh}), self.deadline)
            while True:
                kind, data = self._pipe.receive(self.deadline)
                if kind == REPLY:
                    reply = wire.decode(data)
                    if not isinstance(reply, dict):
                        raise ValueError("not a reply")
                    return reply
                self._pipe.send(wire.encode(self._called_back(data)), self.deadline)
        except (OSError, ValueError, EOFError) as problem:
            raise Crashed(_ended(self.end(by_itself=True), problem)) from None
        except OutOfTime:
            self.end()
            raise TimedOut from None
        except BaseException:
            self.end()
            raise

    def end(self, by_itself: bool = False) -> Ending:
        """End the process with all that it started, now or (`by_itself`) after it had a moment to end."""
        if self._pipe is None:
            return Ending()
        pipe, self._pipe = self._pipe, None
        ending = self._launcher.end(by_itself)
        pipe.close()
        return ending

    def _start(self) -> None:
        self._pipe = Pipe(self._launcher.start(), self._output)
        # Starting is ours, not the submission's: it takes nothing from its time.
        begun, deadline = time.monotonic(), self.deadline
        self.deadline = begun + START_SECONDS
        try:
            self._exchange({"forbid": list(self._setup.forbid), "without_torch": self._setup.without_torch})
        except (Crashed, TimedOut) as fault:
            raise WorkerFault(f"a worker does not start: {fault}\n{self.output}") from fault
        self.deadline = deadline + time.monotonic() - begun

    def _judged(self, reply: dict[str, Any]) -> dict[str, Any]:
        try:
            return value_or_stop(reply)
        except Crashed:
            self.end()
            raise

    def _called_back(self, data: bytes) -> Any:
        message = wire.decode(data)
        number, args = message
        try:
            return self._callbacks[number](*args)
        except ValueError as error:  # the check's, not the pipe's
            raise Misused(f"what came cannot be used: {error}") from error


def load_request(program: Program) -> dict[str, Any]:
    """What asks a worker to load a program."""
    return {"do": "load", **asdict(program)}


def value_or_stop(reply: dict[str, Any]) -> dict[str, Any]:
    """The reply, when the submission gave a value. Raises what stopped it (see `grader.kit.outcomes`)
    otherwise.
    """
    if "refused" in reply:
        raise Forbidden(reply["refused"])
    if "raised" not in reply:
        return reply
    raised = reply["raised"]
    if raised["memory"]:
        raise Crashed("It took more memory than an answer may have (2 GiB).")
    if "NotImplementedError" in raised["types"] and raised["own"]:
        raise NotWritten(raised)
    raise Raised(raised)


def _ended(ending: Ending, problem: Exception) -> str:
    """What became of a worker that gave no answer, in a sentence."""
    if ending.signal is not None:
        name = (
            signal.Signals(ending.signal).name
            if ending.signal in list(signal.Signals)
            else str(ending.signal)
        )
        return f"The process was ended by the signal {name}{_MEANING.get(name, '')}."
    if ending.status is not None:
        return f"The process ended itself with exit status {ending.status}, without an answer."
    if isinstance(problem, ValueError):
        return "The process wrote something else where its answer belongs."
    return "The process closed its connection to the judge."


_MEANING = {"SIGSEGV": " (invalid memory access)", "SIGABRT": " (abort)", "SIGKILL": " (killed)"}
