"""Removing what a worker leaves in its folder, however deep and closed it has made it."""

import contextlib
import os
import stat
from collections.abc import Iterator


def remove(folder: str) -> None:
    """Remove the folder with all that is in it. What cannot be removed stays.

    Folders within folders are moved to the top until there are none: paths stay short, and nothing recurses.
    """
    number = 0
    while inner := [entry for entry in _entries(folder) if _is_folder(entry)]:
        before = number
        for path in inner:
            for child in _entries(path):
                with contextlib.suppress(OSError):
                    if _is_folder(child):
                        number += 1
                        _open_up(child)
                        os.rename(child, os.path.join(folder, f".{os.getpid()}-{number}"))
                    else:
                        os.unlink(child)
            with contextlib.suppress(OSError):
                os.rmdir(path)
                number += 1
        if number == before:
            break  # nothing of it can be removed
    for entry in _entries(folder):
        with contextlib.suppress(OSError):
            os.unlink(entry)
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def _entries(folder: str) -> Iterator[str]:
    _open_up(folder)
    try:
        names = os.listdir(folder)
    except OSError:
        names = []
    return (os.path.join(folder, name) for name in names)


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _open_up(folder: str) -> None:
    """Let us read and change a folder that was closed. Never through a link."""
    with contextlib.suppress(OSError):
        if _is_folder(folder) and os.lstat(folder).st_mode & 0o700 != 0o700:
            os.chmod(folder, 0o700)
