"""System calls that no answer needs: a filter in the kernel refuses them, whoever makes them and however.

Those that only harm has a use for are told: whoever holds the listener hears of each, and the caller waits
for ever. Those that a library may try on its way to something harmless fail as where they do not exist.
"""

import contextlib
import ctypes
import errno
import fcntl
import os
import platform
import struct
from collections.abc import Iterator

from grader.worker.walls.kernel import libc

_X86_64, _AARCH64 = "x86_64", "aarch64"
_ARCHITECTURES = {_X86_64: 0xC000003E, _AARCH64: 0xC00000B7}
_TOLD = {
    "execve": (59, 221),
    "execveat": (322, 281),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "kexec_load": (246, 104),
}
_QUIET = {
    "clone3": (435, 435, errno.ENOSYS),  # its flags cannot be seen; the C library then takes `clone`
    "memfd_create": (319, 279, errno.ENOSYS),  # memory that nobody counts
    "memfd_secret": (447, 447, errno.ENOSYS),
    "perf_event_open": (298, 241, errno.EACCES),
    "shmget": (29, 194, errno.ENOSYS),  # these three outlive their process
    "semget": (64, 190, errno.ENOSYS),
    "msgget": (68, 186, errno.ENOSYS),
}
_CLONE, _SOCKET = (56, 220), (41, 198)
_SIGNALS = {
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
}
_PIDFD_SIGNAL = (424, 424)
_NEW_NAMESPACES = 0x7E020000
_INTERNET = (2, 10)  # AF_INET, AF_INET6

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR, _TELL, _KILL = 0x7FFF0000, 0x00050000, 0x7FC00000, 0x80000000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_SET_FILTER, _NEW_LISTENER, _NO_MITIGATION = 1, 8, 4
_RECEIVE = 0xC0502100
_NOTICE = struct.Struct("<QIIi60x")

NAMES = ("socket", "clone", *_TOLD)
"""What may be told of: `heard` gives a number into these."""

Instruction = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def refuse_calls(signals_to_others: bool, tells: bool = True) -> int | None:
    """Install the filter in this process, for good. The descriptor of the listener, None where the system
    cannot tell or is not to (`tells`); then all refused calls fail quietly. Raises OSError where there are no
    filters.

    Without `signals_to_others` a signal can only go to this process: where there is no namespace of
    processes, others could be hit.
    """
    if platform.machine() not in _ARCHITECTURES:
        raise OSError(f"no filter is known for {platform.machine()}")
    own = None if signals_to_others else os.getpid()
    if tells:
        with contextlib.suppress(OSError):
            return _install(list(_instructions(_TELL, own)), _NEW_LISTENER | _NO_MITIGATION)
    _install(list(_instructions(_ERROR | errno.EPERM, own)), 0)
    return None


def heard(listener: int) -> int:
    """The call that was told of: its place in NAMES."""
    notice = bytearray(_NOTICE.size)
    fcntl.ioctl(listener, _RECEIVE, notice)
    number = _NOTICE.unpack(notice)[3]
    places = (_SOCKET, _CLONE, *_TOLD.values())
    return [pair[_column()] for pair in places].index(number)


def _install(instructions: list[Instruction], flags: int) -> int:
    code = b"".join(struct.pack("<HBBI", *instruction) for instruction in instructions)
    program = _Program(len(instructions), code)
    return libc.system_call("seccomp", _SET_FILTER, flags, ctypes.byref(program))


def _instructions(told: int, own: int | None) -> Iterator[Instruction]:
    """The filter. `own` is the only process that signals may go to."""
    column = _column()
    yield _LOAD, 0, 0, _ARCHITECTURE
    yield _JUMP_EQUAL, 1, 0, _ARCHITECTURES[platform.machine()]
    yield _RETURN, 0, 0, _KILL  # of another architecture, with other numbers
    yield _LOAD, 0, 0, _NUMBER
    if platform.machine() == _X86_64:
        yield _JUMP_AT_LEAST, 0, 1, 0x40000000
        yield _RETURN, 0, 0, _KILL
    for numbers in _TOLD.values():
        yield _JUMP_EQUAL, 0, 1, numbers[column]
        yield _RETURN, 0, 0, told
    for *pair, problem in _QUIET.values():
        yield _JUMP_EQUAL, 0, 1, pair[column]
        yield _RETURN, 0, 0, _ERROR | problem
    yield _JUMP_EQUAL, 0, 4, _CLONE[column]
    yield _LOAD, 0, 0, _FIRST_ARGUMENT
    yield _JUMP_SET, 0, 1, _NEW_NAMESPACES
    yield _RETURN, 0, 0, told
    yield _RETURN, 0, 0, _ALLOW
    yield _JUMP_EQUAL, 0, 5, _SOCKET[column]
    yield _LOAD, 0, 0, _FIRST_ARGUMENT
    yield _JUMP_EQUAL, 1, 0, _INTERNET[0]
    yield _JUMP_EQUAL, 0, 1, _INTERNET[1]
    yield _RETURN, 0, 0, told
    yield _RETURN, 0, 0, _ERROR | errno.EACCES  # the C library asks services this way, and does without
    if own is not None:
        for numbers in _SIGNALS.values():
            yield _JUMP_EQUAL, 0, 4, numbers[column]
            yield _LOAD, 0, 0, _FIRST_ARGUMENT
            yield _JUMP_EQUAL, 1, 0, own
            yield _RETURN, 0, 0, _ERROR | errno.EPERM
            yield _RETURN, 0, 0, _ALLOW
        yield _JUMP_EQUAL, 0, 1, _PIDFD_SIGNAL[column]
        yield _RETURN, 0, 0, _ERROR | errno.EPERM
    yield _RETURN, 0, 0, _ALLOW


def _column() -> int:
    return 0 if platform.machine() == _X86_64 else 1
