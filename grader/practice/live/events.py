"""What happens while somebody works: saves, keys, verdicts, the passing of time; one event after the other.

watched files ─┐
keyboard ──────┤
signals ───────┼── queue ── next()        A script (`--answers FILE`) stands for the files and the
the judge ─────┘                          keyboard where there is no person: see `script`.
"""

import contextlib
import os
import queue
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import FrameType

from grader.judge.verdict import Verdict
from grader.practice.live.file_watcher import Watched, Watcher
from grader.practice.live.keyboard import Keyboard
from grader.practice.live.script import Press, Save, Step, Wait, read_script

TICK_SECONDS = 1.0


@dataclass(frozen=True)
class Saved:
    """The content of a watched file is new."""

    path: Path


@dataclass(frozen=True)
class Key:
    """A key was pressed: its character, or "enter"."""

    name: str


@dataclass(frozen=True)
class Tick:
    """About a second has passed. `waited`: seconds that a script lets pass at once, on top of real ones."""

    waited: float = 0.0


@dataclass(frozen=True)
class Resized:
    """The terminal has another size, or has to be painted anew."""


@dataclass(frozen=True)
class Checked:
    """All checks were run, and the mistake is still looked for: the verdict, as far as it is. A `Graded` will
    follow.
    """

    path: Path
    verdict: Verdict


@dataclass(frozen=True)
class Graded:
    """A verdict is there, on the source that stood in the file (None: unreadable) when grading began."""

    path: Path
    source: bytes | None
    verdict: Verdict
    started: datetime


@dataclass(frozen=True)
class Stopped:
    """It is over, from outside: the terminal was closed, a signal came, the script has ended."""

    why: str


@dataclass(frozen=True)
class GradingBegun:
    """A verdict will come. Never given by `next`: a script goes on when all verdicts are there."""


@dataclass(frozen=True)
class Failed:
    """Something in the background failed. Never given by `next`, which raises the error."""

    error: BaseException


Event = Saved | Key | Tick | Resized | Checked | Graded | Stopped
_Queued = Event | GradingBegun | Failed

_Handler = Callable[[int, FrameType | None], object] | int | None

_SIGNALS = {
    "SIGTERM": "terminated",
    "SIGHUP": "the terminal was closed",
    "SIGQUIT": "quit by a signal",
}


class Events:
    """The events of a session about some files: a context manager, in the main thread.

    Keys come only where standard input is a terminal; its modes are put back on every way out. Ctrl-C raises
    KeyboardInterrupt as anywhere, a script that cannot be followed `grader.practice.live.script.ScriptError`.
    """

    def __init__(self, files: Sequence[Path], script: Path | None = None) -> None:
        self._queue: queue.SimpleQueue[_Queued] = queue.SimpleQueue()
        self._watched = Watched(files)
        self._script = iter(read_script(script)) if script is not None else None
        self._watcher = Watcher(self._watched, self._post_saved, self._post_failure)
        self._keyboard = Keyboard(lambda name: self.post(Key(name)), lambda why: self.post(Stopped(why)))
        self._to_grade = 0
        self._next_tick = time.monotonic() + TICK_SECONDS
        self._old_handlers: dict[int, _Handler] = {}

    def next(self) -> Event:
        """The next event, as soon as there is one. Raises what failed in the background."""
        while True:
            match self._pop():
                case Failed(error):
                    raise error
                case GradingBegun():
                    self._to_grade += 1
                case Graded() as graded:
                    self._to_grade -= 1
                    return graded
                case event:
                    return event

    def post(self, event: _Queued) -> None:
        """Add an event; from any thread, and from signal handlers."""
        self._queue.put(event)

    def watch(self, files: Sequence[Path]) -> None:
        """Watch these files from now on: what stands in them now is not new."""
        self._watched.replace(files)
        if self._script is None:
            self._watcher.restart()

    @contextlib.contextmanager
    def handed_over(self) -> Iterator[None]:
        """While the terminal belongs to another program: an editor. Afterwards it has to be painted anew."""
        self._keyboard.release()
        try:
            yield
        finally:
            self._keyboard.take()
            self.post(Resized())

    def __enter__(self) -> "Events":
        for name, why in _SIGNALS.items():
            self._handle(name, lambda *_, why=why: self.post(Stopped(why)))
        self._handle("SIGWINCH", lambda *_: self.post(Resized()))
        if self._script is None:
            self._handle("SIGTSTP", self._suspend)
            self._watcher.restart()
            self._keyboard.take()
        return self

    def __exit__(self, *exception: object) -> None:
        self._keyboard.release(for_good=True)
        self._watcher.stop()
        for number, handler in self._old_handlers.items():
            signal.signal(number, handler or signal.SIG_DFL)

    def _pop(self) -> _Queued:
        if self._script is not None and self._queue.empty() and self._to_grade == 0:
            self._follow(self._script)
        left = self._next_tick - time.monotonic()
        with contextlib.suppress(queue.Empty):
            return self._queue.get(timeout=max(left, 0.0))
        self._next_tick = time.monotonic() + TICK_SECONDS
        if self._script is None:
            self._watcher.make_up()
        return Tick()

    def _follow(self, script: Iterator[Step]) -> None:
        """Take steps of the script until something comes of them."""
        while self._queue.empty():
            match next(script, None):
                case Press(key):
                    self.post(Key(key))
                case Wait(seconds):
                    self.post(Tick(seconds))
                case Save() as save:
                    save.into(self._watched.files)
                    for path in self._watched.renewed():
                        self.post(Saved(path))
                case None:
                    self.post(Stopped("end of script"))

    def _handle(self, name: str, handler: _Handler) -> None:
        """Install a handler, unless the signal is ignored: `nohup` means it."""
        number = getattr(signal, name)
        if signal.getsignal(number) is not signal.SIG_IGN:
            self._old_handlers[number] = signal.signal(number, handler)

    def _suspend(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-Z: stop with the terminal as it was, and go on when the shell says so."""
        had_keys = self._keyboard.release()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._suspend)
        if had_keys:
            self._keyboard.take()
        self.post(Resized())

    def _post_saved(self, path: Path) -> None:
        self.post(Saved(path))

    def _post_failure(self, error: BaseException) -> None:
        self.post(Failed(error))
