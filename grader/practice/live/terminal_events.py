"""Events where there is a terminal: its keys and signals come in with all others.

A script (`--answers FILE`) stands for the files and the keyboard where there is no person: see `script`.
"""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

from grader.practice.live.events import (
    Event,
    Events,
    Failed,
    GradingBegun,
    Key,
    Resized,
    Saved,
    Stopped,
    Tick,
)
from grader.practice.live.keyboard import Keyboard
from grader.practice.live.script import Press, Save, Step, Wait, read_script

_Handler = Callable[[int, FrameType | None], object] | int | None

_SIGNALS = {
    "SIGTERM": "terminated",
    "SIGHUP": "the terminal was closed",
    "SIGQUIT": "quit by a signal",
}


class TerminalEvents(Events):
    """Those of a session in a terminal: a context manager, in the main thread.

    Keys come only where standard input is a terminal; its modes are put back on every way out. Ctrl-C raises
    KeyboardInterrupt as anywhere, a script that cannot be followed `grader.practice.live.script.ScriptError`.
    """

    def __init__(self, files: Sequence[Path], script: Path | None = None) -> None:
        super().__init__(files)
        self._script = iter(read_script(script)) if script is not None else None
        self._keyboard = Keyboard(lambda name: self.post(Key(name)), lambda why: self.post(Stopped(why)))
        self._old_handlers: dict[int, _Handler] = {}

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

    def __enter__(self) -> "TerminalEvents":
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

    def _pop(self) -> Event | GradingBegun | Failed:
        if self._script is not None and self._queue.empty() and self._to_grade == 0:
            self._follow(self._script)
        return super()._pop()

    def _make_up(self) -> None:
        if self._script is None:
            super()._make_up()

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
