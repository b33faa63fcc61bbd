"""Which of some files have new content, told soon after they were saved, however that was done."""

import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from grader.practice.record.attempts import MAX_SOURCE

STEP = 20
"""Milliseconds without another change after which a burst of them is over."""
LONGEST = 100
"""Milliseconds after which a burst is looked at in any case."""
POLL_SECONDS = 0.1
"""How often files are looked at where the system gives no notifications."""
EMPTY_SECONDS = 0.05
"""How long an empty file is given to be filled: some editors empty it before they write."""

_Signature = tuple[int, int, int]


class Watched:
    """Files and what was last seen in them. Touching or moving them is nothing new, nor is their absence."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._lock = threading.Lock()
        self.replace(files)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files, in the order they were given."""
        return tuple(self._contents)

    def replace(self, files: Sequence[Path]) -> None:
        """Look at these instead; what stands in them now is not new."""
        with self._lock:
            self._signatures = {path: _signature(path) for path in files}
            self._contents = {path: _content(path) for path in files}

    def renewed(self, glance: bool = False) -> list[Path]:
        """The files whose content is new since it was last seen.

        A `glance` opens only those whose time, size or number is another one: enough, except within moments.
        """
        with self._lock:
            return [path for path in self._contents if self._is_renewed(path, glance)]

    def _is_renewed(self, path: Path, glance: bool) -> bool:
        signature = _signature(path)
        if signature is None or (glance and signature == self._signatures[path]):
            return False
        content = _content(path)
        if content == _EMPTY and content != self._contents[path]:
            time.sleep(EMPTY_SECONDS)
            signature, content = _signature(path), _content(path)
        if content is None or content == self._contents[path]:
            self._signatures[path] = signature
            return False
        self._signatures[path], self._contents[path] = signature, content
        return True


class Watcher:
    """Tells of new content in the background, file by file. Folders are watched, so that it does not matter
    whether an editor writes the file or puts another one in its place.
    """

    def __init__(
        self, watched: Watched, saved: Callable[[Path], None], failed: Callable[[BaseException], None]
    ) -> None:
        self._watched = watched
        self._saved = saved
        self._failed = failed
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def restart(self) -> None:
        """Watch the folders of the files that are to be watched now."""
        self.stop()
        if not self._watched.files:
            return
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(self._stop,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Watch no more."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def look(self) -> None:
        """Tell of what is new without waiting for a notification."""
        self._look(glance=False)

    def make_up(self) -> None:
        """Tell of what no notification came for, and begin again: a folder was made anew, say."""
        if self._look(glance=True):
            self.restart()

    def _look(self, glance: bool) -> bool:
        """Tell of what is new, and say whether there was anything."""
        renewed = self._watched.renewed(glance)
        for path in renewed:
            self._saved(path)
        return bool(renewed)

    def _run(self, stop: threading.Event) -> None:
        try:
            with contextlib.suppress(OSError):  # no notifications to be had: too many watches, say
                self._notified(stop)
            while not stop.wait(POLL_SECONDS):
                self._look(glance=True)
        except BaseException as error:
            self._failed(error)

    def _notified(self, stop: threading.Event) -> None:
        from watchfiles import watch

        folders = {path.parent for path in self._watched.files if path.parent.is_dir()}
        if not folders:
            return
        self._look(glance=True)  # at what was saved while nobody watched
        changes = watch(
            *folders,
            watch_filter=None,
            debounce=LONGEST,
            step=STEP,
            stop_event=stop,
            recursive=False,
            raise_interrupt=False,
        )
        for _ in changes:
            self._look(glance=False)


_EMPTY = hashlib.sha256(b"").hexdigest()


def _signature(path: Path) -> _Signature | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _content(path: Path) -> str | None:
    """What stands in the file, in short; None where there is none."""
    try:
        if path.is_file() and path.stat().st_size <= MAX_SOURCE:
            return hashlib.sha256(path.read_bytes()).hexdigest()
        return str(_signature(path)) if path.exists() else None
    except OSError:
        return None
