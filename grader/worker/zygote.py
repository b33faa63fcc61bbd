"""The process that workers are forked from: torch (or only NumPy) is loaded in it, and nothing else ever
happens.

    judge ── zygote ── gate ── init ── worker
             (loaded)  (enters the namespaces)  (first process in them)  (runs the submission)

The judge asks over a socket for a worker to start or to end; when the judge is gone, everything here ends
too.
"""

import contextlib
import gc
import importlib
import os
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence

from grader.worker import sandbox
from grader.worker.forbidden import overloads
from grader.worker.serve import serve
from grader.worker.switches import put_back_switches

START, KILL, END = b"S", b"K", b"E"
"""Commands: start a worker, end it now, or end it after it had a moment to end by itself."""
ENDING = struct.Struct("<bi")
"""How a worker ended: ALIVE (it had to be killed), EXITED with a status, or KILLED by a signal; and the
number.
"""
ALIVE, EXITED, KILLED = 0, 1, 2

MOMENT = 0.2
SWEEP_SECONDS = 5.0


def run_zygote(control: socket.socket, hidden: Sequence[str], namespaces: bool) -> None:
    """Serve the judge until it closes the control socket. Never returns to the caller's stack."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setsid()
    sandbox.adopt_orphans()
    _keep_descriptors({control.fileno()})
    _warm_up()
    worker: _Worker | None = None
    try:
        while True:
            command, descriptors, _, _ = socket.recv_fds(control, 1, 2)
            if command == START:
                worker = _Worker(descriptors, hidden, namespaces)
                control.sendall(START)
            elif command in (KILL, END) and worker is not None:
                control.sendall(ENDING.pack(*worker.end(MOMENT if command == END else 0.0)))
                worker = None
            else:
                return
    finally:
        if worker is not None:
            worker.end(0.0)


def _warm_up() -> None:
    """Do once what every worker would do first. No gradients: autograd's engine does not survive a fork."""
    importlib.import_module("jaxtyping")  # every stub imports it
    if "torch" in sys.modules:
        from grader.worker.measure import Meter

        overloads()
        meter = Meter()
        with meter.calls, meter:
            sys.modules["torch"].ones(1)
    put_back_switches(0)
    gc.freeze()
    gc.enable()


class _Worker:
    """One worker with the processes around it and its temporary folder."""

    def __init__(self, descriptors: list[int], hidden: Sequence[str], namespaces: bool) -> None:
        self.folder = tempfile.mkdtemp(prefix=f"byheart-{os.getppid()}-")
        self.status, status_write = os.pipe()
        self.gate = os.fork()
        if self.gate == 0:
            code = 1
            try:
                _gate(descriptors, status_write, self.folder, hidden, namespaces)
                code = 0
            except BaseException:
                os.write(2, traceback.format_exc().encode())  # shown with what the submission printed
            finally:
                os._exit(code)
        for descriptor in (*descriptors, status_write):
            os.close(descriptor)

    def end(self, seconds: float) -> tuple[int, int]:
        """Say how the worker itself has ended (it is given `seconds` to), kill whatever is left, remove the
        folder.
        """
        ready, _, _ = select.select([self.status], [], [], seconds)
        data = os.read(self.status, ENDING.size) if ready else b""
        ending = ENDING.unpack(data) if len(data) == ENDING.size else (ALIVE, 0)
        os.close(self.status)
        _kill(self.gate)
        _sweep()
        shutil.rmtree(self.folder, ignore_errors=True)
        return ending


def _gate(descriptors: list[int], status: int, folder: str, hidden: Sequence[str], namespaces: bool) -> None:
    sandbox.die_with_parent()
    _keep_descriptors({*descriptors, status})
    alone = namespaces and sandbox.enter_namespaces(hidden, folder)
    init = os.fork()
    if init != 0:
        for descriptor in (*descriptors, status):
            os.close(descriptor)
        os.waitpid(init, 0)
        return
    sandbox.die_with_parent()
    worker = os.fork()
    if worker == 0:
        sandbox.die_with_parent()
        os.close(status)
        os.setsid()
        os.chdir(folder)
        sandbox.set_limits(alone)
        channel, output = descriptors
        serve(channel, output, folder, hidden)
        return
    for descriptor in descriptors:
        os.close(descriptor)
    while True:  # orphans of the worker come to this process as well
        pid, code = os.waitpid(-1, 0)
        if pid == worker:
            number = os.waitstatus_to_exitcode(code)
            os.write(status, ENDING.pack(EXITED if number >= 0 else KILLED, abs(number)))
            return


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _sweep() -> None:
    """End and reap all processes below this one. Those in a namespace end by themselves, with its init."""
    deadline = time.monotonic() + SWEEP_SECONDS
    grace = time.monotonic() + 0.05
    while time.monotonic() < deadline:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                if time.monotonic() > grace:
                    import psutil

                    for process in psutil.Process().children(recursive=True):
                        _kill(process.pid)
                time.sleep(0.0005)
        except ChildProcessError:
            return


def _keep_descriptors(kept: set[int]) -> None:
    """Close everything inherited from the judge but `kept`; standard input, output and error become empty."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    low = 3
    for descriptor in sorted(kept):
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))
