"""A judge for contents: each is graded in a file of its own, in a folder that holds nothing else."""

import contextlib
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Verdict

PATIENCE = 300.0
"""Seconds that one content may take: all its limits together are less."""


class SourceJudge:
    """A warm judge in a process of its own. `make` begins it, given the folder that it reads from."""

    def __init__(self, make: Callable[[Path], RemoteJudge], patience: float = PATIENCE) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="byheart-grade-")
        self._patience = patience
        try:
            self._judge = make(Path(self._folder.name))
        except BaseException:
            self._folder.cleanup()
            raise

    def grade(self, topic: str, data: bytes) -> Verdict:
        """The verdict on a content. Raises JudgeFault where the judge dies, fails or takes forever; then
        `close` is all that is left to do.
        """
        path = Path(self._folder.name, f"{topic}.py")
        path.write_bytes(data)
        timer = threading.Timer(self._patience, self._judge.kill)
        timer.daemon = True
        timer.start()
        try:
            return self._judge.grade(topic, path)
        finally:
            timer.cancel()
            path.unlink(missing_ok=True)

    def kill(self) -> None:
        """End it whatever it does, from any thread; who waits for a verdict gets a JudgeFault."""
        self._judge.kill()

    def close(self) -> None:
        """End it after what it is doing."""
        self._judge.close()
        with contextlib.suppress(OSError):
            self._folder.cleanup()
