"""Calls of the C library and of the kernel that Python has no name for. Each one that fails says so."""

import ctypes
import os
import platform
from typing import Any

_numbers = {
    "x86_64": {"pivot_root": 155, "seccomp": 317},
    "aarch64": {"pivot_root": 41, "seccomp": 277},
}
_MOUNT_SETATTR = 442  # the same number on every architecture
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_CAPABILITY_VERSION = 0x20080522
_library: Any = None


class _MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]


def call(name: str, *args: Any) -> int:
    """The result of a function of the C library. Raises OSError where it is negative."""
    global _library
    if _library is None:
        _library = ctypes.CDLL(None, use_errno=True)
    ctypes.set_errno(0)
    result: int = getattr(_library, name)(*args)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def system_call(name: str, *args: Any) -> int:
    """The result of a system call that the C library has no function for. Raises OSError as `call` does."""
    try:
        number = _numbers[platform.machine()][name]
    except KeyError:
        raise OSError(f"{name} is not known on {platform.machine()}") from None
    return call("syscall", ctypes.c_long(number), *args)


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount something over `target`."""
    arguments = (os.fsencode(source), os.fsencode(target), kind.encode() or None)
    call("mount", *arguments, ctypes.c_ulong(flags), options.encode() or None)


def set_attributes(target: str, attributes: int, propagation: int = 0) -> None:
    """Set the attributes of a mount and of all below it."""
    wanted = _MountAttributes(attributes, 0, propagation, 0)
    size = ctypes.c_size_t(ctypes.sizeof(wanted))
    number, path = ctypes.c_long(_MOUNT_SETATTR), os.fsencode(target)
    call("syscall", number, _AT_FDCWD, path, _AT_RECURSIVE, ctypes.byref(wanted), size)


def no_capabilities() -> None:
    """Take all capabilities from this thread."""
    call("capset", (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)())
