"""The processes of a cell, from the inside: what each of them does until it ends.

They tell the zygote over a link, in this order: that init is there (MADE), that the worker is (READY), how it
has ended (ENDING). Instead of any of these, the text of what went wrong may come.
"""

import contextlib
import os
import socket
import struct
import traceback
from collections.abc import Sequence

from grader.worker.process.dry_run import run_dry
from grader.worker.serve import serve
from grader.worker.walls import sandbox

MADE = struct.Struct("<i?")
"""The number of init, and whether it is in namespaces of its own."""
GO = b"G"
"""From the zygote to init: it is its parent now."""
READY = b"R"
"""The worker is there. With it comes the worker's descriptor, where processes have such."""
ENDING = struct.Struct("<bi")
"""How a worker ended: ALIVE (it had to be killed), EXITED with a status, or KILLED by a signal; and the
number.
"""
ALIVE, EXITED, KILLED = 0, 1, 2
WORK = b"W"
"""From the zygote to the worker: its two descriptors come with it."""
MAX_FAULT = 2**16


def run_family(
    link: socket.socket, handover: socket.socket, folder: str, hidden: Sequence[str], namespaces: bool
) -> None:
    """Be the gate, then init, then the worker, each a child of the one before. Never returns.

    The gate enters the namespaces. Only its child is in that of processes, as its first: the gate leaves.
    Without namespaces the gate itself is init.
    """
    code = 1
    try:
        sandbox.die_with_parent()
        keep_descriptors({link.fileno(), handover.fileno()})
        walled = namespaces and sandbox.enter_namespaces(hidden, folder)
        init = os.fork() if walled else os.getpid()
        if init != 0:
            link.sendall(MADE.pack(init, walled))
        if init == 0 or not walled:
            worker = os.fork()
            if worker == 0:
                _run_worker(link, handover, folder, hidden, walled)
            else:
                handover.close()
                _run_init(worker, link)
        code = 0
    except BaseException:
        fault = traceback.format_exc().encode()
        os.write(2, fault)  # shown with what the submission printed
        with contextlib.suppress(OSError):
            link.sendall(fault[:MAX_FAULT])
    finally:
        os._exit(code)


def _run_init(worker: int, link: socket.socket) -> None:
    if link.recv(len(GO)) != GO:
        return
    sandbox.die_with_parent()  # the zygote, now that the gate has left
    handles = [os.pidfd_open(worker)] if hasattr(os, "pidfd_open") else []
    socket.send_fds(link, [READY], handles)
    while True:  # orphans of the worker come to this process as well
        pid, code = os.waitpid(-1, 0)
        if pid == worker:
            number = os.waitstatus_to_exitcode(code)
            link.sendall(ENDING.pack(EXITED if number >= 0 else KILLED, abs(number)))
            return


def _run_worker(
    link: socket.socket, handover: socket.socket, folder: str, hidden: Sequence[str], alone: bool
) -> None:
    sandbox.die_with_parent()
    os.setsid()
    os.chdir(folder)
    run_dry()
    _, descriptors, _, _ = socket.recv_fds(handover, len(WORK), 2)
    handover.close()
    link.close()  # up to here for what goes wrong
    if descriptors:  # otherwise it is not needed any more
        channel, output = descriptors
        os.dup2(output, 2)
        sandbox.set_limits(alone)
        if alone:
            sandbox.give_up_capabilities()
        serve(channel, output, folder, hidden)


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
