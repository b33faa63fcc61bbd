"""A file system of the worker's own, which holds nothing but what it may see."""

import os
from collections.abc import Iterable

from grader.worker.walls.kernel import libc
from grader.worker.walls.limits import FILES
from grader.worker.walls.view import DEVICES, View

_READ_ONLY, _NOSUID, _NODEV, _NOEXEC, _BIND, _RECURSIVE, _PRIVATE = 1, 2, 4, 8, 4096, 16384, 1 << 18
_DETACH = 2
SHARED_MEMORY = "/dev/shm"


def build(view: View, folder: str, owner: int) -> None:
    """Make a new root with what the view has, read-only; `folder` and a small /dev/shm can be written to by
    `owner`. Then leave the old root for good. Raises OSError where the system refuses any part; then this
    process sees what it saw before.

    To be called in a namespace of mounts (and one of processes, whose first this process is).
    """
    libc.mount("none", "/", flags=_RECURSIVE | _PRIVATE)
    libc.mount("tmpfs", folder, "tmpfs", _NOSUID | _NODEV, "size=1m,mode=755")
    root = folder
    try:
        for path in (*view.readable, *DEVICES):
            _show(root, path)
        for path in (*view.hidden, *view.torch, os.path.dirname(view.own[0])):
            if os.path.isdir(root + path) and path == os.path.realpath(path):
                libc.mount("tmpfs", root + path, "tmpfs", _NOSUID | _NODEV, "size=64k,mode=755")
        for path in view.own:
            _show(root, path)
        _link(root, view.named)
        for name, target in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
            os.symlink(f"/proc/self/{target}", f"{root}/dev/{name}")
        for place in ("/proc", folder, SHARED_MEMORY):
            os.makedirs(root + place)
        libc.mount("proc", f"{root}/proc", "proc", _NOSUID | _NODEV | _NOEXEC | _READ_ONLY)
        libc.set_attributes(root, _READ_ONLY | _NOSUID)
        for place in (folder, SHARED_MEMORY):
            options = f"size={FILES},nr_inodes=20000,mode=700"
            libc.mount("tmpfs", root + place, "tmpfs", _NOSUID | _NODEV | _NOEXEC, options)
            os.chown(root + place, owner, -1)
        before = os.open("/", os.O_RDONLY)
        try:
            os.chdir(root)
            libc.system_call("pivot_root", b".", b".")
            os.fchdir(before)  # the old root lies over the new one
            libc.call("umount2", b".", _DETACH)
        finally:
            os.close(before)
        os.chdir("/")
    except BaseException:
        os.chdir("/")
        libc.call("umount2", os.fsencode(folder), _DETACH)
        raise


def _show(root: str, path: str) -> None:
    """The file or folder at its place below the new root."""
    target = root + path
    if os.path.isdir(path):
        os.makedirs(target, exist_ok=True)
    elif not os.path.exists(path):
        return
    elif not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY))
    libc.mount(path, target, flags=_BIND | _RECURSIVE)


def _link(root: str, paths: Iterable[str]) -> None:
    """The links that lead to what is shown, as they are outside: each at the real place of its folder."""
    left = list(paths)
    for path in left:
        for end in range(2, len(parts := path.split(os.sep)) + 1):
            part = os.sep.join(parts[:end])
            if os.path.islink(part):
                parent = os.path.realpath(os.path.dirname(part))
                place, target = os.path.join(parent, parts[end - 1]), os.readlink(part)
                if not os.path.lexists(root + place):
                    os.makedirs(root + parent, exist_ok=True)
                    os.symlink(target, root + place)
                    left.append(os.path.join(parent, target))
