"""Something that goes on while pages look at it: a topic worked at, a drill, a mock interview, a quiz.

What goes on is the same as in a terminal, in a thread of its own: keys come from buttons, saves from the
files, verdicts from the judge. What is seen of it are attributes, which pages read whenever they are told.
"""

import asyncio
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from grader.practice.live.events import Event, Events, Key, Saved, Stopped


class StageEvents(Events):
    """Events that tell of saves before they are taken."""

    def __init__(self, files: Sequence[Path], saved: Callable[[], None]) -> None:
        super().__init__(files)
        self._saved = saved

    def next(self) -> Event:
        """The next event."""
        event = super().next()
        if isinstance(event, Saved):
            self._saved()
        return event


class Stage:
    """One of these, from `begin` to `close`. Listeners are called in the server's loop."""

    def __init__(self, files: Sequence[Path], loop: asyncio.AbstractEventLoop, watches: bool = True) -> None:
        """`watches`: from the beginning; else `events.watch` says from when on."""
        self.files = tuple(files)
        self.is_over = False
        self.fault: str | None = None
        """What ended it before its time: a traceback of ours."""
        self.saves = 0
        """Of its files, by whomever."""
        self._loop = loop
        self._listeners: list[Callable[[], None]] = []
        self._is_told = True
        self.events = StageEvents(files if watches else (), self._count_save)
        self._thread = threading.Thread(target=self._run, daemon=True)

    def begin(self) -> None:
        """Let it go on."""
        self._thread.start()

    def press(self, key: str) -> None:
        """A key, as in a terminal."""
        self.events.post(Key(key))

    def close(self) -> None:
        """End it, and wait until all is kept."""
        self.events.post(Stopped("the page was closed"))
        if self._thread.ident is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call it after every change, from now on; gives what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    @property
    def is_watched(self) -> bool:
        """Whether anybody listens."""
        return bool(self._listeners)

    def changed(self) -> None:
        """Tell the listeners, once for all that changes until they are called; from any thread."""
        if self._is_told and not self._loop.is_closed():
            self._is_told = False
            self._loop.call_soon_threadsafe(self._tell)

    def work(self) -> None:
        """What goes on, in the thread, until it is over or stopped."""
        raise NotImplementedError

    def _run(self) -> None:
        try:
            with self.events:
                self.work()
        except BaseException:
            self.fault = traceback.format_exc()
        self.is_over = True
        self.changed()

    def _tell(self) -> None:
        self._is_told = True
        for listener in list(self._listeners):
            listener()

    def _count_save(self) -> None:
        self.saves += 1
        self.changed()
