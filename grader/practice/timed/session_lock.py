"""One drill or mock interview at a time: two would take the exercises from each other."""

import contextlib
import fcntl
import os
from collections.abc import Iterator

from grader.curriculum.workspace import Workspace
from grader.practice.record.unavailable import ProgressUnavailable


class AnotherSession(Exception):
    """Another process is at it."""


@contextlib.contextmanager
def session_lock(workspace: Workspace) -> Iterator[None]:
    """Hold it for a workspace; it is free again when this process ends, however that comes about. Raises
    AnotherSession, or ProgressUnavailable.
    """
    path = workspace.practice / "session.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(path, os.O_CREAT | os.O_RDWR)
    except OSError as error:
        raise ProgressUnavailable(f"{path} cannot be used: {error.strerror}.") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AnotherSession from None
        yield
    finally:
        os.close(lock)
