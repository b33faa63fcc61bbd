"""The processes of a cell, from the inside: what each of them does until it ends.

They tell the zygote over a link, in this order: that init is there (MADE), that the worker is (READY), how it
has ended (ENDING). Instead of any of these, the text of what went wrong may come.
"""

import contextlib
import os
import select
import socket
import struct
import sys
import traceback

from grader.worker.process.dry_run import run_dry
from grader.worker.process.resource_watch import SECONDS, Watch, can_watch
from grader.worker.serve import serve
from grader.worker.walls import limits
from grader.worker.walls.kernel import landlock, mounts, namespaces, seccomp
from grader.worker.walls.kernel.cgroups import Counters, be_first_to_end
from grader.worker.walls.view import View
from grader.worker.walls.wall import Wall

MADE = struct.Struct("<i?")
"""The number of init, and whether it is in namespaces of its own."""
GO = b"G"
"""From the zygote to init: it is its parent now."""
READY = struct.Struct("<ci")
"""b"R" and the walls that stand: the worker is there. With it comes the worker's descriptor, where processes
have such."""
ENDING = struct.Struct("<bi")
"""How a worker ended: ALIVE (it had to be killed), EXITED with a status, KILLED by a signal; or by init: it
was OVER_MEMORY, OVER_PROCESSES, or REFUSED a system call; and the number.
"""
ALIVE, EXITED, KILLED, OVER_MEMORY, OVER_PROCESSES, REFUSED = range(6)
WORK = b"W"
"""From the zygote to the worker: its two descriptors come with it."""
MAX_FAULT = 2**16
RAISED = struct.Struct("<i")
"""From the worker to init: the walls that it has raised around itself. The listener of the calls that are
refused comes with it."""


def run_family(
    link: socket.socket,
    handover: socket.socket,
    folder: str,
    view: View,
    with_namespaces: bool,
    counters: Counters,
) -> None:
    """Be the gate, then init, then the worker, each a child of the one before. Never returns.

    The gate enters the namespaces. Only its child is in that of processes, as its first: the gate leaves.
    Without namespaces the gate itself is init.
    """
    code = 1
    try:
        namespaces.die_with_parent()
        keep_descriptors({link.fileno(), handover.fileno(), *counters.descriptors})
        if counters.descriptors:
            be_first_to_end()
        walls, user = namespaces.enter() if with_namespaces else (Wall(0), os.geteuid())
        init = os.fork() if Wall.PROCESSES in walls else os.getpid()
        if init != 0:
            link.sendall(MADE.pack(init, Wall.PROCESSES in walls))
        if init == 0 or Wall.PROCESSES not in walls:
            _run_init(link, handover, folder, view, _build(walls, user, folder, view), counters)
        code = 0
    except BaseException:
        fault = traceback.format_exc().encode()
        os.write(2, fault)  # shown with what the submission printed
        with contextlib.suppress(OSError):
            link.sendall(fault[:MAX_FAULT])
    finally:
        os._exit(code)


def _build(walls: Wall, user: int, folder: str, view: View) -> Wall:
    """Raise the walls that are around init as well, and say which stand."""
    if Wall.FILES in walls:
        try:
            mounts.build(view, folder, user)
        except OSError:
            walls &= ~Wall.FILES
            user = os.geteuid()  # another one might not get to what is installed
    if sys.platform == "linux":
        namespaces.become(user)
        if user != 0:
            walls |= Wall.USER
        namespaces.adopt_orphans()
        namespaces.be_readable(False)
        if can_watch():
            walls |= Wall.FAMILY
    return walls


def _run_init(
    link: socket.socket,
    handover: socket.socket,
    folder: str,
    view: View,
    walls: Wall,
    counters: Counters,
) -> None:
    """Make the worker, then see what it and its children do until they are to end."""
    nursery, child = socket.socketpair()
    worker = os.fork()
    if worker == 0:
        nursery.close()
        for descriptor in counters.descriptors:
            os.close(descriptor)
        _run_worker(link, handover, child, folder, view, walls)
    handover.close()
    child.close()
    raised, descriptors, _, _ = socket.recv_fds(nursery, RAISED.size, 1)
    walls |= Wall(RAISED.unpack(raised)[0])
    if counters.descriptors and Wall.PATHS in walls:  # elsewhere its owner could open what bounds it
        walls |= Wall.GROUP
    if link.recv(len(GO)) != GO:
        return
    namespaces.die_with_parent()  # the zygote, now that the gate has left
    handles = [os.pidfd_open(worker)] if hasattr(os, "pidfd_open") else []
    # What the worker has at first is seen before it can get work, however late this process comes to look.
    watch = Watch() if Wall.FAMILY in walls else None
    socket.send_fds(link, [READY.pack(b"R", walls)], handles)
    how, number = _look_after(worker, nursery, watch, handles, descriptors, counters)
    link.sendall(ENDING.pack(how, number))


def _look_after(
    worker: int,
    nursery: socket.socket,
    watch: Watch | None,
    handles: list[int],
    listeners: list[int],
    counters: Counters,
) -> tuple[int, int]:
    """How the worker ends, and the number: by itself, or because it is time for it."""
    poll = select.poll()
    for descriptor in (nursery.fileno(), *handles, *listeners):
        poll.register(descriptor, select.POLLIN)
    pause = None if handles else SECONDS
    while True:
        events = dict(poll.poll(pause and pause * 1000))
        ready = events.keys()
        if nursery.fileno() in ready:  # it has got work
            poll.unregister(nursery)
            pause = SECONDS
            counters.begin()
        for listener in listeners:
            if events.get(listener, 0) & select.POLLIN:
                return REFUSED, seccomp.heard(listener)
            if listener in ready:  # nobody is left to hear of
                poll.unregister(listener)
                listeners = []
        while (ended := _reaped()) is not None:  # orphans of the worker come to this process as well
            if counters.was_over():
                return OVER_MEMORY, 0
            if ended[0] == worker:
                number = os.waitstatus_to_exitcode(ended[1])
                return (EXITED if number >= 0 else KILLED), abs(number)
        if not ready and counters.was_over():
            return OVER_MEMORY, 0
        if watch is not None and not ready:
            if watch.has_too_many():
                return OVER_PROCESSES, limits.PROCESSES
            if watch.takes_too_much():
                return OVER_MEMORY, 0


def _reaped() -> tuple[int, int] | None:
    """A child that has ended and its status."""
    with contextlib.suppress(ChildProcessError):
        pid, status = os.waitpid(-1, os.WNOHANG)
        return (pid, status) if pid != 0 else None
    return None


def _run_worker(
    link: socket.socket, handover: socket.socket, nursery: socket.socket, folder: str, view: View, walls: Wall
) -> None:
    namespaces.be_readable(True)
    namespaces.die_with_parent()
    os.setsid()
    os.chdir(folder)
    raised, listener = raise_own(view, folder, walls)
    socket.send_fds(nursery, [RAISED.pack(raised)], [] if listener is None else [listener])
    if listener is not None:
        os.close(listener)
    run_dry()
    _, descriptors, _, _ = socket.recv_fds(handover, len(WORK), 2)
    handover.close()
    link.close()  # up to here for what goes wrong
    if descriptors:  # otherwise it is not needed any more
        channel, output = descriptors
        os.dup2(output, 2)
        limits.set_limits(alone=Wall.PROCESSES in walls)
        serve(channel, output, folder, view, Wall.FILES in walls, begin=nursery.close)


def raise_own(view: View, folder: str, walls: Wall, tells: bool = True) -> tuple[Wall, int | None]:
    """Raise the walls that a process raises around itself, within these `walls`: which of them stand now, and
    the descriptor over which is told what calls are refused (`tells`; otherwise they only fail).
    """
    raised, listener = Wall(0), None
    with contextlib.suppress(OSError):
        if Wall.FILES not in walls:  # there is nothing else
            landlock.allow_only(view, folder)
        raised |= Wall.PATHS
    with contextlib.suppress(OSError):
        listener = seccomp.refuse_calls(Wall.PROCESSES in walls, tells)
        raised |= Wall.CALLS
    return raised, listener


def keep_descriptors(kept: set[int]) -> None:
    """Close everything inherited but `kept`; standard input, output and error become empty."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    low = 3
    for descriptor in sorted(kept):
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))
