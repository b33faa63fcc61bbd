"""Where a path leads, and whether that may be read or written to."""

import builtins
import os
from collections.abc import Callable
from typing import Any

from grader.worker.walls.kernel.mounts import SHARED_MEMORY
from grader.worker.walls.view import DEVICES, View

globals()["__builtins__"] = dict(vars(builtins))  # whatever the submission does to the built-ins

MAX_LINKS = 40
_MAPS = frozenset(("mem", "maps", "smaps", "smaps_rollup", "numa_maps", "map_files", "pagemap", "auxv"))
"""Files of a process that tell where in memory what is, or are it."""


class Paths:
    """The places of one worker. `walled`: there is nothing else.

    Everything that is needed later is bound here: whatever is patched afterwards is not asked.
    """

    def __init__(self, view: View, folder: str, walled: bool) -> None:
        readlink, current, make_error = os.readlink, os.getcwd, PermissionError
        own_folder = os.path.realpath(folder)
        writable = (own_folder, SHARED_MEMORY) if walled else (own_folder,)
        readable = (*view.readable, *writable, *DEVICES)
        package, maps = (os.path.dirname(view.own[0]),), _MAPS

        def inside(path: str, folders: tuple[str, ...]) -> bool:
            return any(path == place or path.startswith(place + "/") for place in folders)

        def lead(path: str, start: str | None = None) -> str:
            """The real path, seen from the folder `start` (the current one, if not given)."""
            left = path.split("/")[::-1]
            real = "" if path.startswith("/") else (current() if start is None else start).rstrip("/")
            links = 0
            while left:
                part = left.pop()
                if part in ("", "."):
                    continue
                if part == "..":
                    real = real.rpartition("/")[0]
                    continue
                try:
                    target = readlink(f"{real}/{part}")
                except (OSError, ValueError):
                    real = f"{real}/{part}"
                    continue
                links += 1
                if links > MAX_LINKS:
                    raise make_error(f"too many links: {path}")
                if target.startswith("/"):
                    real = ""
                left += target.split("/")[::-1]
            return real or "/"

        def is_hidden(real: str) -> bool:
            return inside(real, view.hidden)

        def is_torch(real: str) -> bool:
            return inside(real, view.torch)

        def may_read(real: str) -> bool:
            if real.startswith("/proc/"):
                parts = real.split("/")[2:]
                is_own = not parts[0].isdigit() or parts[0] == readlink("/proc/self")
                return is_own and maps.isdisjoint(parts)
            if inside(real, package):
                return inside(real, view.own)
            return inside(real, readable)

        def may_write(real: str) -> bool:
            return inside(real, writable) or real in DEVICES

        self.lead: Callable[..., str] = lead
        self.is_hidden: Callable[[str], bool] = is_hidden
        self.is_torch: Callable[[str], bool] = is_torch
        self.may_read: Callable[[str], bool] = may_read
        self.may_write: Callable[[str], bool] = may_write


def path_of(path: Any) -> str | None:
    """A path as plain text; None for a descriptor, or none at all. Raises PermissionError for what could be
    another path when it is asked again, or is read in a way of its own.
    """
    if path is None or isinstance(path, int):
        return None
    if (text := text_of(path)) is not None:
        return text
    raise PermissionError("an answer may only open what it gives the name of as text")


def text_of(path: Any) -> str | None:
    """A path as plain text; None for what is none (a descriptor)."""
    if isinstance(path, str):
        return str.__str__(path)
    if isinstance(path, bytes):
        return bytes.decode(path, "utf-8", "surrogateescape")
    return None
