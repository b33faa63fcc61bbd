"""The process that workers are forked from: torch (or only NumPy) is loaded in it, and nothing else ever
happens.

    judge ── zygote ── init ── worker
             (loaded)  (and once more: the next one, ready)

The judge asks over a socket for a worker to start or to end; when the judge is gone, everything here ends
too. While a worker runs, the next one is made ready: see `grader.worker.process.cell`.
"""

import contextlib
import gc
import linecache
import os
import select
import signal
import socket
import sys
from collections.abc import Iterator
from struct import Struct

from grader.worker.process.cell import Cell
from grader.worker.process.pages import gather
from grader.worker.process.process_tree import ENDING, keep_descriptors
from grader.worker.process.warming import warm_up
from grader.worker.torch_import import Part, bring, missing
from grader.worker.walls.builtins.copies import look_for_copies
from grader.worker.walls.environment import clean_environment
from grader.worker.walls.kernel.cgroups import Counters, Group
from grader.worker.walls.kernel.namespaces import adopt_orphans
from grader.worker.walls.past_python import holders
from grader.worker.walls.view import View, view_of

START, KILL, END, ASK = b"S", b"K", b"E", b"A"
"""Commands: start a worker, end it now, or end it after it had a moment to end by itself; ask for the walls
that stand around the next one.
"""
PARTS = Struct("<B")
"""Follows START: the parts of torch that the worker is to have."""
WALLS = Struct("<i")

MOMENT = 0.2
MANY = 8
"""After so many workers it is likely that more will come, and worth some time that they are forked faster."""


def run_zygote(control: socket.socket, hidden: tuple[str, ...], namespaces: bool, group: Group) -> None:
    """Serve the judge until it closes the control socket, from within the group. Never returns to the
    caller's stack.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setsid()
    adopt_orphans()
    keep_descriptors({control.fileno()})
    clean_environment()
    counters = group.enter()
    warm_up()
    _settle()
    view = view_of(hidden, without_torch="torch" not in sys.modules)
    _Cells(view, namespaces, counters).serve(control)


def _settle() -> None:
    """Keep nothing that an answer may not have, and let workers share all else."""
    linecache.clearcache()  # torch has read sources of its own, which an answer may not
    gc.freeze()
    gc.enable()


class _Cells:
    """The cell in use, if any, and the next one."""

    def __init__(self, view: View, namespaces: bool, counters: Counters) -> None:
        self._view = view
        self._namespaces = namespaces
        self._counters = counters
        self._used: Cell | None = None
        self._next: Cell | None = None
        self._ending: tuple[int, int] | None = None  # that of a worker which has ended unasked
        self._started = 0
        self._pages: Iterator[bool] = iter(())
        self._gathering = False

    def serve(self, control: socket.socket) -> None:
        """Follow the judge's commands until it hangs up, then end everything."""
        try:
            self._make_next()
            while True:
                self._listen(control)
                command, descriptors, _, _ = socket.recv_fds(control, 1, 2)
                if command == START:
                    parts = missing(Part(*PARTS.unpack(control.recv(PARTS.size))))
                    if parts:
                        self._bring(parts)
                    self._start(*descriptors)
                    control.sendall(START)
                    self._make_next()  # the judge and the worker take turns: a processor is idle
                elif command in (KILL, END) and (self._used or self._ending) is not None:
                    control.sendall(ENDING.pack(*self._kill(MOMENT if command == END else 0.0)))
                    self._bury()  # the judge goes on meanwhile: all that the answer did has been seen
                    self._ending = None
                elif command == ASK:
                    self._next = self._next or self._new()
                    self._next.wait_until_ready()
                    control.sendall(WALLS.pack(self._next.walls))
                else:
                    return
        finally:
            if self._used is not None:
                self._kill(0.0)
                self._bury()
            if self._next is not None:
                _end(self._next)

    def _listen(self, control: socket.socket) -> None:
        """Until there is a command, hear that the next cell is ready, and that the one in use has ended: what
        it has left behind may hold its connection, and the judge would wait for it. Meanwhile the memory is
        gathered.
        """
        growing = self._next
        while True:
            waited = [each for each in (control, growing, self._used) if each is not None]
            ready = select.select(waited, [], [], 0.0 if self._gathering else None)[0]
            if not ready:
                self._gathering = next(self._pages, False)
            if growing in ready:
                growing.wait_until_ready()
                growing = None
            if self._used in ready:
                self._kill(0.0)
                self._bury()
            if control in ready:
                return

    def _kill(self, seconds: float) -> tuple[int, int]:
        """End the worker in use, unless it has ended, and say how it did: it is given `seconds` to."""
        if self._used is not None:
            self._ending = self._used.kill(seconds)
        assert self._ending is not None
        return self._ending

    def _bury(self) -> None:
        """Have nothing left of the cell in use, whose worker was ended."""
        if self._used is not None:
            self._used.bury(self._next)
            self._used = None

    def _bring(self, parts: Part) -> None:
        """Load what a worker would load for itself, once for this one and all after it."""
        if self._next is not None:
            _end(self._next)
            self._next = None
        gc.disable()
        bring(parts)
        look_for_copies()
        holders.cache_clear()
        holders()
        _settle()
        self._started = 0

    def _start(self, channel: int, output: int) -> None:
        self._used, self._next = self._next or self._new(), None
        if not self._used.give(channel, output):  # where there are no walls, it may have been killed
            _end(self._used)
            self._used = self._new()
            self._used.give(channel, output)
        os.close(channel)
        os.close(output)
        self._started += 1
        if self._started == MANY:
            self._pages, self._gathering = gather(), True

    def _make_next(self) -> None:
        with contextlib.suppress(OSError):  # it is tried again when it is needed
            self._next = self._new()

    def _new(self) -> Cell:
        return Cell(self._view, self._namespaces, self._counters)


def _end(cell: Cell) -> None:
    """One that nobody uses."""
    cell.kill(0.0)
    cell.bury()
