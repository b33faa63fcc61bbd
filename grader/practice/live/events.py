"""What happens while somebody works: saves, keys, verdicts, the passing of time; one event after the other.

watched files ─┐
the judge ─────┼── queue ── next()        Keys come from a terminal (`terminal_events`) or from the
keys ──────────┘                          page in the browser: whoever has them posts them.
"""

import contextlib
import queue
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from grader.judge.verdict import Verdict
from grader.practice.live.file_watcher import Watched, Watcher

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
class PassedOnce:
    """All checks passed, and other inputs are still tried: the verdict, if they hold there too. A `Graded`
    will follow, unless there is a newer submission.
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


Event = Saved | Key | Tick | Resized | Checked | PassedOnce | Graded | Stopped
_Queued = Event | GradingBegun | Failed


class Events:
    """The events of a session about some files: a context manager."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._queue: queue.SimpleQueue[_Queued] = queue.SimpleQueue()
        self._watched = Watched(files)
        self._watcher = Watcher(self._watched, self._post_saved, self._post_failure)
        self._to_grade = 0
        self._next_tick = time.monotonic() + TICK_SECONDS

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
        self._watcher.restart()

    def look(self) -> None:
        """Post at once what is new in the files: for whoever has just written one; from any thread."""
        self._watcher.look()

    @contextlib.contextmanager
    def handed_over(self) -> Iterator[None]:
        """While a terminal belongs to another program: an editor. Without one, nothing has to be done."""
        yield

    def __enter__(self) -> "Events":
        self._watcher.restart()
        return self

    def __exit__(self, *exception: object) -> None:
        self._watcher.stop()

    def _pop(self) -> _Queued:
        left = self._next_tick - time.monotonic()
        with contextlib.suppress(queue.Empty):
            return self._queue.get(timeout=max(left, 0.0))
        self._next_tick = time.monotonic() + TICK_SECONDS
        self._make_up()
        return Tick()

    def _make_up(self) -> None:
        """Look for saves that nothing told of."""
        self._watcher.make_up()

    def _post_saved(self, path: Path) -> None:
        self.post(Saved(path))

    def _post_failure(self, error: BaseException) -> None:
        self.post(Failed(error))
