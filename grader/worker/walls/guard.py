"""What a submission may not open, import or touch: an audit hook says so, and cannot be removed.

It is the sentence, not the wall: where the system allows, `sandbox` has made the same places
unreachable. The hook works everywhere and knows the learner's line.
"""

import _posixsubprocess
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

_WRITING = {
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.link": ((0, 2), (1, 3)),
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.rmdir": ((0, 1),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, 0),),
    "shutil.rmtree": ((0, 1),),
}
"""Events that change files: for each path its argument, and that of the folder's descriptor it may be
relative to.
"""
_STARTING = frozenset(("os.system", "os.exec", "os.posix_spawn", "os.spawn", "subprocess.Popen"))
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def install(
    hidden: Iterable[str], writable: str, without_torch: bool, refuse: Callable[[str, str], BaseException]
) -> None:
    """Watch this process from now on.

    `hidden` are folders whose files may not be opened (solutions, checks), `writable` the only folder that
    may be written to. No other program can be started. Without torch, no import of it gets through.
    `refuse(what, text)` gives the exception for reaching into what is hidden.
    """
    roots = tuple(os.path.realpath(folder) + os.sep for folder in hidden)
    own_folder = os.path.realpath(writable) + os.sep
    resolve, fspath, own_pid = os.path.realpath, os.fsdecode, os.getpid()

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = args
            if isinstance(path, str | bytes):
                check_open(fspath(path), mode, flags)
        elif event == "import":
            check_import(args[0])
        elif event in _WRITING:
            for number, folder in _WRITING[event]:
                if isinstance(args[number], str | bytes):
                    check_write(os.path.join(folder_of(args[folder]), fspath(args[number])))
        elif event in ("os.kill", "os.killpg"):
            if args[0] not in (own_pid, os.getpid()):
                raise PermissionError("an answer may not send signals to other processes")
        elif event in _STARTING:
            raise no_programs()
        elif without_torch and event == "ctypes.dlopen" and "torch" in str(args[0]):
            raise refuse("torch", "This topic is to be written in NumPy; torch cannot be reached.")

    def folder_of(descriptor: Any) -> str:
        is_descriptor = isinstance(descriptor, int) and descriptor >= 0
        return os.readlink(f"/proc/self/fd/{descriptor}") if is_descriptor else ""

    def check_open(path: str, mode: str | None, flags: int) -> None:
        real = resolve(path)
        if (real + os.sep).startswith(roots):
            raise refuse("reference", f"It opens {os.path.basename(real)}, which belongs to the grader.")
        if flags & _WRITE_FLAGS:
            check_write(path)

    def check_write(path: str) -> None:
        real = resolve(path)
        if not (real + os.sep).startswith(own_folder) and not real.startswith(("/dev/", "/proc/self/")):
            raise PermissionError(f"an answer may only write to its own temporary folder, not to {real}")

    def check_import(name: str) -> None:
        if name.split(".")[0] == "solutions" or name.startswith("grader.topics"):
            raise refuse("reference", f"It imports {name}, which belongs to the grader.")
        if without_torch and name.split(".")[0] in ("torch", "functorch", "torchgen"):
            raise refuse("torch", "This topic is to be written in NumPy; torch cannot be reached.")

    def no_programs(*args: Any) -> PermissionError:
        # Another interpreter would have the built-ins that are forbidden here. Libraries cope with this
        # error.
        return PermissionError("an answer may not start other programs")

    def fork_exec(*args: Any) -> None:
        raise no_programs()

    vars(_posixsubprocess)["fork_exec"] = fork_exec  # not audited: multiprocessing calls it directly
    sys.addaudithook(watch)
