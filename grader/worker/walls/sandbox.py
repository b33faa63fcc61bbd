"""Walls around a worker: limits everywhere, and namespaces where the system lets an ordinary user make them.

With namespaces (Linux) the worker sees a read-only file system with the hidden folders empty, a small
writable folder in memory, and no process but its own; everything it starts ends with it. Without, the limits,
the audit hook and the sweep of `grader.worker.process.cell` remain.
"""

import ctypes
import os
import resource
import sys
from collections.abc import Iterable
from pathlib import Path

MEMORY = 2 * 2**30
"""Bytes above what the process has when it starts."""
FILES = 64 * 2**20
"""Bytes of files."""
PROCESSES = 256

_NEWNS, _NEWUSER, _NEWPID = 0x20000, 0x10000000, 0x20000000
_NOSUID, _NODEV = 2, 4
_SET_PDEATHSIG, _CAPBSET_DROP, _SET_CHILD_SUBREAPER, _SET_NO_NEW_PRIVS = 1, 24, 36, 38
_CAPABILITY_VERSION = 0x20080522
_MOUNT_SETATTR = 442  # the same number on every architecture
_AT_FDCWD, _AT_RECURSIVE, _READ_ONLY, _PRIVATE = -100, 0x8000, 1, 1 << 18


class _MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]


def enter_namespaces(hidden: Iterable[str], writable: str) -> bool:
    """Move this process's view of files, and its children's of processes, into new namespaces.

    `hidden` folders look empty, `writable` is an empty folder in memory, all else is read-only. False when
    the system refuses; then nothing has changed.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(_NEWUSER | _NEWNS | _NEWPID) != 0:
        return False
    try:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    except OSError:
        return True  # processes are apart; files are guarded by the audit hook alone
    attributes = _MountAttributes(_READ_ONLY, 0, _PRIVATE, 0)
    size = ctypes.sizeof(attributes)
    libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, b"/", _AT_RECURSIVE, ctypes.byref(attributes), size)
    for folder in hidden:
        if os.path.isdir(folder):
            libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", _NOSUID | _NODEV | _READ_ONLY, b"size=4k")
    libc.mount(b"tmpfs", os.fsencode(writable), b"tmpfs", _NOSUID | _NODEV, f"size={FILES}".encode())
    return True


def give_up_capabilities() -> None:
    """Let this process, and all that it starts, never be able again to change the walls around it: whoever
    makes a user namespace has every capability in it, `umount` among them.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for number in range(64):  # more than there are: those are refused
        libc.prctl(_CAPBSET_DROP, number, 0, 0, 0)
    if libc.capset((ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()) != 0:
        raise OSError(ctypes.get_errno(), "the capabilities cannot be given up")


def adopt_orphans() -> None:
    """Become the parent of every process that the worker leaves behind, to be able to end it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    """Be killed when the parent ends, however it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PDEATHSIG, 9, 0, 0, 0)


def set_limits(alone: bool) -> None:
    """Bound memory, file size and core dumps of this process and of all that it starts.

    The number of processes is bounded where they are counted `alone`, in a namespace of their own: elsewhere
    everything that the user runs would count.
    """
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, FILES)
    if alone:
        _limit(resource.RLIMIT_NPROC, PROCESSES)
    if sys.platform == "linux":  # elsewhere the address space cannot be bounded
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        _limit(resource.RLIMIT_AS, pages * resource.getpagesize() + MEMORY)


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound))
