"""The judge's end of a worker: requests with a time limit, captured output, and what became of the
process.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from grader.judge.workers import replies
from grader.judge.workers.endings import FORGED, OVER, ended, refused_call, stopped
from grader.judge.workers.launch import Ending
from grader.judge.workers.own_accord import of_its_own_accord
from grader.judge.workers.pipe import KEPT_OUTPUT, OutOfTime, Pipe
from grader.judge.workers.scenarios import as_sent
from grader.judge.workers.starting import Setup, Starter
from grader.kit.outcomes import Crashed, Forbidden, Misused, NotWritten, Raised, Stopped, TimedOut
from grader.worker import wire
from grader.worker.answering.signatures import Signatures
from grader.worker.serve import LATE, REPLY
from grader.worker.unpacking import Bounds, decode

LATE_SECONDS = 0.2
"""Time for a worker to say which line it is at when the submission's is over."""
CALLED_BACK = Bounds(items=2**14, depth=8, size=2**20)
"""What a submission may give to a callback: the judge computes with it, and meanwhile no clock is asked."""


def _nothing() -> None: ...


@dataclass(frozen=True)
class Program:
    """The code that a worker loads: its text, the path and module name it goes by, and what it has to
    define.
    """

    text: str
    path: str
    name: str
    required: Signatures = field(default_factory=dict, hash=False)

    def position(self, line: bytes = b"") -> list[Any] | None:
        """[line, text] of a line, told as its number in digits; None if that is none. The text is not the
        worker's to tell."""
        lines = self.text.split("\n")
        number = int(line) if line.isdigit() and len(line) < 8 else 0
        return [number, lines[number - 1].strip()] if 0 < number <= len(lines) else None


class Session(Protocol):
    """An answer that is loaded: in a worker, or in this process."""

    deadline: float

    def begin(self, seed: int) -> None: ...

    def bounded(self, memory: int) -> contextlib.AbstractContextManager[None]: ...

    def request(self, request: dict[str, Any]) -> dict[str, Any]: ...

    def callback(self, function: Callable[..., Any]) -> wire.Callback: ...


class Heard(Session, Protocol):
    """A session whose output can be told from check to check."""

    def take_output(self) -> str: ...

    def drop_output(self) -> None: ...


class Worker:
    """One worker process at a time. After a kill, the next request meets a fresh one with the same program
    loaded.
    """

    def __init__(self, starter: Starter, setup: Setup, program: Program) -> None:
        self.deadline = float("inf")
        self._seed = 0
        self._starter = starter
        self._setup = setup
        self._program = program
        self._pipe: Pipe | None = None
        self._fresh = True
        self._refused: dict[str, Any] | None = None
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
        self._read_output()
        return (self._earlier + self._output).decode("utf-8", "replace")

    def take_output(self) -> str:
        """The end of what it has printed since this was last asked for."""
        self._read_output()
        text = self._output.decode("utf-8", "replace")
        self._earlier = (self._earlier + self._output)[-KEPT_OUTPUT:]
        self._output.clear()
        return text

    def drop_output(self) -> None:
        """Have nobody see what it has printed since then."""
        self._read_output()
        self._output.clear()

    def _read_output(self) -> None:
        if self._pipe is not None:
            self._pipe.read_all_output()

    def callback(self, function: Callable[..., Any]) -> wire.Callback:
        """A stand-in for a function of the judge's: the submission calls it over the pipe."""
        self._callbacks.append(function)
        return wire.Callback(len(self._callbacks) - 1)

    def load(
        self, program: Program | None = None, meanwhile: Callable[[], None] = _nothing
    ) -> dict[str, Any]:
        """Load the program (another one, if given) and say what is wrong with it: see `Host.do_load`. The
        judge does something `meanwhile`.
        """
        self._program = program or self._program
        if self._pipe is None:
            self._start()
        self._refused = None
        return self._judged(load_request(self._program), meanwhile)

    def request(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply of the worker. Raises what stopped it (see `grader.kit.outcomes`)."""
        if self._pipe is None:
            self.load()
        return self._judged(request)

    @contextlib.contextmanager
    def bounded(self, memory: int) -> Iterator[None]:
        """Meanwhile requests meet a worker of its own that has so many bytes, and no objects from before."""
        setup = self._setup
        self.end()
        # What torch may load for itself takes as much as an answer: here it is not to count.
        parts = setup.parts | of_its_own_accord(self._program.text)
        self._setup = replace(setup, memory=memory, parts=parts)
        try:
            yield
        finally:
            self.end()
            self._setup = setup

    def begin(self, seed: int) -> None:
        """Start a check: its global random seed, and no objects of the one before."""
        self._seed = seed
        self._callbacks.clear()
        self._fresh = True

    def _exchange(self, request: dict[str, Any], meanwhile: Callable[[], None] = _nothing) -> dict[str, Any]:
        """Send a request and give the plain reply; a worker that does not give one is ended."""
        assert self._pipe is not None
        self._seed += 1  # two calls in one check do not draw the same numbers
        fresh, self._fresh = self._fresh, False
        try:
            whole = {**as_sent(request), "seed": self._seed, "fresh": fresh, **self._seconds_left()}
            self._pipe.send(wire.encode(whole), self.deadline)
            meanwhile()
            while True:
                kind, data = self._pipe.receive(self.deadline + LATE_SECONDS)
                if kind == REPLY:
                    return replies.checked(request, decode(data))
                if kind == LATE:
                    raise OutOfTime(data)
                self._pipe.send(wire.encode(self._called_back(data)), self.deadline)
        except (OSError, ValueError, EOFError, MemoryError) as problem:
            # Who wrote something else than an answer lives on; of the others it will be known how they ended.
            raise stopped(self.end(by_itself=not isinstance(problem, ValueError)), problem) from None
        except OutOfTime as late:
            self.end()
            raise TimedOut(self._program.position(*late.args)) from None
        except BaseException:
            self.end()
            raise

    def _seconds_left(self) -> dict[str, float]:
        """What a request says of the time for it; nothing where that is without limit."""
        left = self.deadline - time.monotonic()
        return {"seconds": max(left, 0.001)} if left < float("inf") else {}

    def end(self, by_itself: bool = False) -> Ending:
        """End the process with all that it started, now or (`by_itself`) after it had a moment to end."""
        if self._pipe is None:
            return Ending()
        self._hear()
        pipe, self._pipe = self._pipe, None
        ending = self._starter.end(pipe, by_itself)
        if ending.refused is not None and self._refused is None:
            self._refused = refused_call(ending.refused)
        return ending

    def _start(self) -> None:
        # Starting is ours, not the submission's: it takes nothing from its time.
        begun = time.monotonic()
        self._pipe = self._starter.start(self._setup, self._output)
        self._seed += 1  # being told its setup counts as a call
        self.deadline += time.monotonic() - begun

    def _judged(self, request: dict[str, Any], meanwhile: Callable[[], None] = _nothing) -> dict[str, Any]:
        """The reply, unless something stopped it. Whatever the reply is, a refusal comes first."""
        try:
            reply = value_or_stop(self._exchange(request, meanwhile))
        except Stopped as stop:
            if isinstance(stop, Crashed):
                self.end()
            raise self.refusal or stop from None
        if self.refusal is not None:
            raise self.refusal
        return reply

    @property
    def refusal(self) -> Stopped | None:
        """What was first refused to the program, if anything was: it is stopped by that, whatever came of
        it. Crashed when something else stands where refusals are reported.
        """
        self._hear()
        if self._refused is None:
            return None
        return Forbidden(self._refused) if self._refused else Crashed(ended(Ending(), FORGED))

    def _hear(self) -> None:
        report = self._pipe.read_report() if self._pipe is not None else b""
        if report and self._refused is None:
            try:
                self._refused = replies.refusal(report)
            except ValueError:
                self._refused = {}

    def _called_back(self, data: bytes) -> Any:
        number, args = replies.called_back(decode(data, bounds=CALLED_BACK), len(self._callbacks))
        try:
            return self._callbacks[number](*args)
        except ValueError as error:  # the check's, not the pipe's
            raise Misused(f"what it hands to a function cannot be used: {error}") from error


def load_request(program: Program) -> dict[str, Any]:
    """What asks a worker to load a program."""
    return {"do": "load", **asdict(program)}


def value_or_stop(reply: dict[str, Any]) -> dict[str, Any]:
    """The reply, when the submission gave a value. Raises what stopped it (see `grader.kit.outcomes`)
    otherwise.
    """
    if "raised" not in reply:
        return reply
    raised = reply["raised"]
    if raised["memory"]:
        raise Crashed(OVER["memory"])
    if raised["unwritten"]:
        raise NotWritten(raised)
    raise Raised(raised)
