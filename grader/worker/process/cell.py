"""One worker with the process around it and its temporary folder, made ready before there is anything to do.

    zygote ── init ── worker
              (first process in the namespaces)  (runs the submission)

A worker that is ready lacks only the two descriptors that join it to the judge. It gets them once, for one
submission.
"""

import contextlib
import os
import select
import signal
import socket
import tempfile
import time

from grader.worker.process.clearing import remove
from grader.worker.process.process_tree import ALIVE, ENDING, GO, MADE, MAX_FAULT, READY, WORK, run_family
from grader.worker.walls.kernel.cgroups import Counters
from grader.worker.walls.view import View
from grader.worker.walls.wall import Wall

READY_SECONDS = 30.0
SWEEP_SECONDS = 5.0


class Cell:
    """What the zygote holds of one worker. With `namespaces` it gets its own, if the system allows.
    `counters` are those of the group that all this is in.
    """

    def __init__(self, view: View, namespaces: bool, counters: Counters) -> None:
        self.walls = Wall(0)
        self._folder = tempfile.mkdtemp(prefix=f"byheart-{os.getppid()}-")
        self._link, link = socket.socketpair()
        self._handover, handover = socket.socketpair()
        self._ready: bool | None = None
        self._fault = b""
        self._init: int | None = None
        self._walled = False
        self._worker: list[int] = []  # its descriptor, where processes have such
        try:
            self._gate = os.fork()
        except OSError:
            os.rmdir(self._folder)
            raise
        if self._gate == 0:
            run_family(link, handover, self._folder, view, namespaces, counters)
        link.close()
        handover.close()

    def fileno(self) -> int:
        """The descriptor that can be read when there is something to hear of the processes."""
        return self._link.fileno()

    def wait_until_ready(self) -> bool:
        """Whether the worker waits for its descriptors. (Asked again: whether it did.)"""
        if self._ready is None:
            made = self._receive()
            if len(made) == MADE.size:
                self._init, self._walled = MADE.unpack(made)
                if self._init != self._gate:
                    os.waitpid(self._gate, 0)  # init is a child of this process from here on
                with contextlib.suppress(ConnectionError):
                    self._link.sendall(GO)
                made = self._receive()
            self._ready = len(made) == READY.size and made[:1] == b"R"
            if self._ready:
                self.walls = Wall(READY.unpack(made)[1])
            self._fault = b"" if self._ready else made
        return self._ready

    def give(self, channel: int, output: int) -> bool:
        """Hand the worker its descriptors. False when it is dead; why, if that is known, is written to
        `output`.
        """
        if not self.wait_until_ready():
            os.write(output, self._fault)
            return False
        if self._has_news(0.0):
            fault = self._receive(0.0)
            os.write(output, b"" if len(fault) == ENDING.size else fault)
            return False
        with contextlib.suppress(ConnectionError):
            socket.send_fds(self._handover, [WORK], [channel, output])
            return True
        return False

    def kill(self, seconds: float) -> tuple[int, int]:
        """Say how the worker itself has ended (it is given `seconds` to), and kill it and init."""
        self.wait_until_ready()
        data = self._receive(seconds)
        ending = ENDING.unpack(data) if len(data) == ENDING.size else (ALIVE, 0)
        for descriptor in self._worker:
            with contextlib.suppress(ProcessLookupError):  # now, together with init and not after it
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            os.close(descriptor)
        self._worker.clear()
        if self._init is not None:
            _kill(self._init)
        return ending

    def bury(self, spare: "Cell | None" = None) -> None:
        """Wait for the end of what was killed, which takes as long as giving back its memory does, kill
        whatever else is left, and remove the folder. What belongs to `spare` lives on.
        """
        if spare is not None:
            spare.wait_until_ready()  # from here on it is init and the worker, and no gate
        deadline = time.monotonic() + SWEEP_SECONDS
        if self._init is not None:
            while os.waitpid(self._init, os.WNOHANG)[0] == 0 and time.monotonic() < deadline:
                time.sleep(0.0005)
        if not self._walled:  # what is in namespaces has ended with init
            _sweep(spare._init if spare is not None else None, deadline)
        self._link.close()
        self._handover.close()
        remove(self._folder)

    def _has_news(self, seconds: float) -> bool:
        return bool(select.select([self], [], [], seconds)[0])

    def _receive(self, seconds: float = READY_SECONDS) -> bytes:
        """What comes over the link (and with it the worker's descriptor): nothing when it is closed or
        silent.
        """
        if not self._has_news(seconds):
            return b""
        with contextlib.suppress(ConnectionError):
            data, descriptors, _, _ = socket.recv_fds(self._link, MAX_FAULT, 1)
            self._worker += descriptors
            return data
        return b""


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _sweep(spare: int | None, deadline: float) -> None:
    """End and reap all processes below this one, but `spare` and those below it."""
    import psutil

    while time.monotonic() < deadline:
        children = [child for child in psutil.Process().children() if child.pid != spare]
        if not children:
            return
        for child in children:
            with contextlib.suppress(psutil.NoSuchProcess):
                for process in child.children(recursive=True):
                    _kill(process.pid)
            _kill(child.pid)
        for child in children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child.pid, os.WNOHANG)
        time.sleep(0.0005)
