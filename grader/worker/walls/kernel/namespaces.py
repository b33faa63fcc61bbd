"""Namespaces of a worker's own, and the user that it runs as."""

import contextlib
import os
import sys
from pathlib import Path

from grader.worker.walls.kernel import libc
from grader.worker.walls.wall import Wall

_MOUNTS, _HOST, _IPC, _USER, _PIDS, _NET = 0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
_SET_PDEATHSIG, _SET_DUMPABLE, _CAPBSET_DROP, _SET_CHILD_SUBREAPER, _SET_NO_NEW_PRIVS = 1, 4, 24, 36, 38
_MANY = 2**30


def enter() -> tuple[Wall, int]:
    """Move this process, and with it its children to come, into new namespaces: the sum of those that the
    system gives, and the user to run as there. FILES says that there may be mounts of its own, no more.

    Only children are in the namespace of processes. Root has no need of a namespace of users, and can then
    leave its place to a user whom nothing belongs to.
    """
    if sys.platform != "linux":
        return Wall(0), os.geteuid()
    user, group, runs_as = os.getuid(), os.getgid(), os.geteuid()
    if runs_as == 0 and _is_open_to_all() and _spare_user() and _unshare(_MOUNTS | _PIDS):
        walls, runs_as = Wall.PROCESSES | Wall.FILES, _spare_user()
    elif not _unshare(_USER | _MOUNTS | _PIDS):
        return Wall(0), runs_as
    else:
        walls = Wall.PROCESSES
        with contextlib.suppress(OSError):
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
            Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
            walls |= Wall.FILES
    for flag, wall in ((_NET, Wall.NETWORK), (_IPC, Wall.MESSAGES), (_HOST, Wall.HOST)):
        if _unshare(flag):
            walls |= wall
    if Wall.HOST in walls:
        with contextlib.suppress(OSError):
            libc.call("sethostname", b"worker", 6)
    return walls, runs_as


def _spare_user() -> int:
    """A number that no user has, another one for each worker where there are enough of them (the kernel
    counts processes by user); 0 where there is none.
    """
    with contextlib.suppress(OSError, ValueError):
        first, _, count = map(int, Path("/proc/self/uid_map").read_text().split())
        if first == 0 and count > 2 * _MANY:
            return _MANY + os.getpid() % 2**22
        if first == 0 and count > 60_000:
            return 60_000
    return 0


def become(user: int) -> None:
    """Run as the user from now on, with no capabilities and no way to any."""
    libc.call("prctl", _SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for number in range(64):  # more than there are: those are refused
        with contextlib.suppress(OSError):
            libc.call("prctl", _CAPBSET_DROP, number, 0, 0, 0)
    if user != os.geteuid():
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    libc.no_capabilities()


def _is_open_to_all() -> bool:
    """Whether another user could read what is installed here."""
    packages = [sys.modules.get(name) for name in ("os", "numpy", "torch", __name__)]
    files = [str(package.__file__) for package in packages if package is not None]
    return all(os.stat(path).st_mode & 4 and os.stat(os.path.dirname(path)).st_mode & 1 for path in files)


def _unshare(flags: int) -> bool:
    with contextlib.suppress(OSError):
        return libc.call("unshare", flags) == 0
    return False


def adopt_orphans() -> None:
    """Become the parent of every process that the worker leaves behind, to be able to end it."""
    if sys.platform == "linux":
        libc.call("prctl", _SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    """Be killed when the parent ends, however it ends."""
    if sys.platform == "linux":
        libc.call("prctl", _SET_PDEATHSIG, 9, 0, 0, 0)


def be_readable(readable: bool) -> None:
    """Let other processes of the same user look into this one, or not."""
    if sys.platform == "linux":
        libc.call("prctl", _SET_DUMPABLE, int(readable), 0, 0, 0)
