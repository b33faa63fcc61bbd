"""The kernel's own list of what may be opened (Landlock). It holds for C as well, and needs no namespaces.

The number of a call is the same on every architecture here.
"""

import ctypes
import os
import stat
from collections.abc import Iterable, Iterator

from grader.worker.walls.kernel import libc
from grader.worker.walls.kernel.mounts import SHARED_MEMORY
from grader.worker.walls.view import DEVICES, View

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION, _BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights each version knows; later ones know as many as the last of these."""
_SCOPES = 0b11
"""Abstract sockets and signals: only to processes behind the same list (from version 6)."""
_SCOPED_SINCE = 6


class _Ruleset(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("files", "network", "scopes")]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def allow_only(view: View, folder: str) -> None:
    """From now on this process, and all that it starts, opens only what the view has, and changes only what
    lies in `folder` and in shared memory. Nothing may be executed. Raises OSError where the system has no
    such lists.
    """
    version = _call(_CREATE, None, ctypes.c_size_t(0), _VERSION)
    known = (1 << _RIGHTS[min(version, max(_RIGHTS))]) - 1
    scoped = version >= _SCOPED_SINCE
    wanted = _Ruleset(known, 0, _SCOPES if scoped else 0)
    size = ctypes.sizeof(wanted) if scoped else 8
    ruleset = _call(_CREATE, ctypes.byref(wanted), ctypes.c_size_t(size), 0)
    try:
        for path, rights in _readable(view):
            _add(ruleset, path, rights)
        for path in DEVICES:
            _add(ruleset, path, _READ_FILE | _WRITE_FILE | known & (_TRUNCATE | _IOCTL))
        _add(ruleset, "/proc", _READ_FILE | _READ_DIR)  # of other processes it shows nothing that is theirs
        for path in (folder, SHARED_MEMORY):  # locks of multiprocessing are made there, by the C library
            _add(ruleset, path, known & ~_EXECUTE)
        _call(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _readable(view: View) -> Iterator[tuple[str, int]]:
    """What of the view may be read, each with the rights to it."""
    hidden = {os.path.realpath(path) for path in (*view.hidden, *view.torch)}
    hidden.add(os.path.dirname(view.own[0]))
    for place in view.readable:
        yield from _around(place, hidden)
    yield from ((path, _READ_FILE | _READ_DIR) for path in view.own)


def _around(place: str, hidden: Iterable[str]) -> Iterator[tuple[str, int]]:
    """The place, but for what is hidden in there: then the entries beside it one by one, and what they are
    called, since a search for modules lists them.
    """
    inner = [path for path in hidden if path == place or path.startswith(place + os.sep)]
    if not inner:
        yield place, _READ_FILE | _READ_DIR
    elif place not in inner:
        yield place, _READ_DIR
        for name in os.listdir(place):
            yield from _around(os.path.join(place, name), inner)


def _add(ruleset: int, path: str, rights: int) -> None:
    """Allow these at the path and below it, if it is there."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL
        rule = _Beneath(rights, place)
        _call(_ADD, ruleset, _BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(place)


def _call(number: int, *args: object) -> int:
    return libc.call("syscall", ctypes.c_long(number), *args)
