"""Starting and ending workers: forked from a zygote where forking is safe, spawned elsewhere."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from grader.worker.process.clearing import remove
from grader.worker.process.process_tree import ENDING, EXITED, KILLED, OVER_MEMORY, OVER_PROCESSES, REFUSED
from grader.worker.process.zygote import ASK, END, KILL, MOMENT, PARTS, START, WALLS, run_zygote
from grader.worker.torch_import import Part
from grader.worker.walls.environment import kept_environment
from grader.worker.walls.kernel.cgroups import Group
from grader.worker.walls.kernel.seccomp import NAMES
from grader.worker.walls.wall import Wall

MARK = "BYHEART_WORKER"
"""Environment variable that marks a spawned worker and whatever it starts."""
NO_PARTS = Part(0)


Resource = Literal["memory", "processes"]
_OVER: dict[int, Resource] = {OVER_MEMORY: "memory", OVER_PROCESSES: "processes"}


@dataclass(frozen=True)
class Ending:
    """How a worker's process ended by itself: with an exit status, by a signal, or not at all (both None). Or
    why it was ended: what its processes together took too much of, or the system call that was refused.
    """

    status: int | None = None
    signal: int | None = None
    over: Resource | None = None
    refused: str | None = None


@dataclass(frozen=True)
class Started:
    """The judge's ends of a worker: the socket for requests and the pipe of what it prints."""

    channel: socket.socket
    output: int


class Launcher(Protocol):
    """One worker at a time."""

    def start(self, parts: Part = NO_PARTS) -> Started:
        """A new worker that has these parts of torch, where that spares it time."""

    def end(self, by_itself: bool = False) -> Ending:
        """End the worker and all that it started, now or (`by_itself`) after it had a moment to end."""

    def walls(self) -> Wall:
        """What stands around its workers."""

    def close(self) -> None: ...


class ForkLauncher:
    """Workers forked from a process that has everything loaded: a few milliseconds each.

    To be made before the judge computes anything: threads do not survive a fork.
    """

    def __init__(self, hidden: Sequence[str], namespaces: bool = True) -> None:
        self._control, remote = socket.socketpair()
        self._group = Group()
        sys.stdout.flush()
        sys.stderr.flush()
        self._zygote = os.fork()
        if self._zygote == 0:
            try:
                self._control.close()
                run_zygote(remote, tuple(hidden), namespaces, self._group)
            finally:
                os._exit(0)
        remote.close()

    def start(self, parts: Part = NO_PARTS) -> Started:
        channel, remote = socket.socketpair()
        output, output_write = os.pipe()
        socket.send_fds(self._control, [START + PARTS.pack(parts.value)], [remote.fileno(), output_write])
        remote.close()
        os.close(output_write)
        if self._control.recv(1) != START:
            raise RuntimeError("the process that workers are forked from has ended")
        return Started(channel, output)

    def end(self, by_itself: bool = False) -> Ending:
        self._control.sendall(END if by_itself else KILL)
        how, number = ENDING.unpack(self._control.recv(ENDING.size))
        return Ending(
            status=number if how == EXITED else None,
            signal=number if how == KILLED else None,
            over=_OVER.get(how),
            refused=NAMES[number] if how == REFUSED else None,
        )

    def walls(self) -> Wall:
        self._control.sendall(ASK)
        return Wall(WALLS.unpack(self._control.recv(WALLS.size))[0])

    def close(self) -> None:
        self._control.close()
        os.waitpid(self._zygote, 0)
        self._group.remove()


class SpawnLauncher:
    """Workers started as new interpreters, where forking a process with loaded libraries is unsafe
    (macOS).
    """

    def __init__(self, hidden: Sequence[str], without_torch: bool = False) -> None:
        self._hidden = list(hidden)
        self._without_torch = without_torch
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = ""

    def start(self, parts: Part = NO_PARTS) -> Started:
        channel, remote = socket.socketpair()
        output, output_write = os.pipe()
        self._folder = tempfile.mkdtemp(prefix="byheart-")
        numbers = [str(remote.fileno()), str(output_write), "0" if self._without_torch else "1"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "grader.worker", *numbers, self._folder, *self._hidden],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(remote.fileno(), output_write),
            start_new_session=True,
            env={
                **kept_environment(),
                MARK: self._folder,
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            },
        )
        remote.close()
        os.close(output_write)
        return Started(channel, output)

    def end(self, by_itself: bool = False) -> Ending:
        process, self._process = self._process, None
        if process is None:
            return Ending()
        try:
            status = process.wait(MOMENT if by_itself else 0)
        except subprocess.TimeoutExpired:
            status = None
            process.kill()
            process.wait()
        self._sweep()
        remove(self._folder)
        if status is None:
            return Ending()
        return Ending(status=status) if status >= 0 else Ending(signal=-status)

    def walls(self) -> Wall:
        return Wall(0)

    def close(self) -> None:
        self.end()

    def _sweep(self) -> None:
        """End whatever the worker started: it all carries the mark in its environment."""
        import psutil

        for process in psutil.process_iter():
            try:
                if process.environ().get(MARK) == self._folder:
                    process.send_signal(signal.SIGKILL)
            except (psutil.Error, OSError):
                continue
