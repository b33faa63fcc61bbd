"""The worker's main loop: requests come in over one socket, replies go back over it."""

import contextlib
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from multiprocessing.heap import Arena
from typing import Any

from grader.worker import wire
from grader.worker.answering.host import Host
from grader.worker.measuring.memory import bound_memory
from grader.worker.torch_import import Part, bring, missing
from grader.worker.unpacking import decode
from grader.worker.walls import guard
from grader.worker.walls.builtins.forbidden import forbid
from grader.worker.walls.own_modules import load_parts, part, put_away
from grader.worker.walls.view import View

REPLY, CALLBACK, LATE = b"R", b"C", b"L"
"""What a message of the worker is: the reply to the request, a callback to answer before it goes on, or the
line that the submission is at when its time is over.
"""
HANDOVER = b"H"
"""Before the first request: with it comes the descriptor to report refusals over."""


def serve(
    channel: int,
    output: int,
    folder: str,
    view: View,
    walled: bool,
    begin: Callable[[], None] = lambda: None,
) -> None:
    """Answer requests until the judge hangs up. The first one is the setup: what to forbid, whether torch is
    there, what of it comes later, and how much memory there is, if that is bounded.

    `output` becomes standard output and error, `folder` is the only place to write to. `walled`: there is no
    more to see than the view has. `begin` is called when there is something to do for a submission: until
    then a worker may wait for long.
    """
    _redirect(output)
    _home(folder)
    if not walled:  # shared memory would outlive the worker; files in its folder do not
        Arena._dir_candidates = []  # type: ignore[attr-defined]
    load_parts()
    if "torch" in sys.modules:
        part("grader.worker.measuring.threads").follow_threads()
        part("grader.worker.measuring.kernels").follow_kernels()
        part("grader.worker.measuring.meter").follow_dlpack()
    stream = socket.socket(fileno=channel)
    _, (reports,), _, _ = socket.recv_fds(stream, len(HANDOVER), 1)
    link = _Link(stream)
    host = Host(link.call_back, reports)
    refuse = host.refuse
    signal.signal(signal.SIGALRM, lambda _, frame: link.tell_late(host.source.position(frame)))
    setup = decode(link.read())

    def refuse_builtin(name: str) -> BaseException:
        return refuse(name, f"the built-in {name} is forbidden in this topic: write it out")

    replaced = forbid(setup["forbid"], refuse_builtin)
    if setup["memory"] is not None:
        bring(missing(Part(setup["parts"])))
        tempfile.gettempdir()  # found by writing to it
        bound_memory(setup["memory"])
    connections = frozenset((stream.fileno(), reports))
    guard.install(view, folder, walled, setup["without_torch"], refuse, connections, replaced)
    sys.dont_write_bytecode = True
    put_away()
    link.write(REPLY, wire.encode({}))
    request = link.read()
    begin()
    while True:
        link.write(REPLY, host.answer(request))
        request = link.read()


class _Link:
    """Framed messages over the socket."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self._is_writing = False

    def read(self) -> bytes:
        (size,) = wire.HEADER.unpack(self._exactly(wire.HEADER.size))
        return self._exactly(size)

    def write(self, kind: bytes, data: bytes) -> None:
        self._is_writing = True
        self._stream.sendall(wire.HEADER.pack(len(data) + 1) + kind + data)
        self._is_writing = False

    def tell_late(self, position: list[Any] | None) -> None:
        """Say where the submission is, unless that would stand in the middle of another message."""
        if position is not None and not self._is_writing:
            with contextlib.suppress(OSError):
                self.write(LATE, str(position[0]).encode())

    def call_back(self, number: int, args: tuple[Any, ...]) -> Any:
        self.write(CALLBACK, wire.encode([number, list(args)]))
        return decode(self.read())

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            part = self._stream.recv(min(size - len(data), 2**20))
            if not part:
                os._exit(0)  # the judge is gone or done
            data += part
        return bytes(data)


def _redirect(output: int) -> None:
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    sys.stdin = open(os.devnull)  # noqa: SIM115  # open as long as the process lives
    # Line by line: what was printed before a timeout must have left the process.
    sys.stdout = open(1, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    vars(sys).update(__stdin__=sys.stdin, __stdout__=sys.stdout, __stderr__=sys.stderr)


def _home(folder: str) -> None:
    """Libraries that keep caches or make temporary files do it in the worker's own folder."""
    for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR"):
        os.environ[name] = folder
    tempfile.tempdir = None  # remembered from before
    os.environ["TORCHDYNAMO_DISABLE"] = "1"  # compiled code would bypass the kernels that are forbidden
    os.environ.pop("PYTHONSTARTUP", None)
    sys.argv = ["submission"]
