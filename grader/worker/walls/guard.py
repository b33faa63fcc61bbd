"""What a submission may not open, import or touch: an audit hook says so, and cannot be removed.

Where the system gives walls (see `grader.worker.walls.wall`), it is the sentence and not the wall: it
knows the learner's line. Elsewhere it is all there is against reading and writing, and the weaker for it:
what opens files in C without saying so passes.
"""

import _imp
import _posixsubprocess
import builtins
import os
import sys
from _thread import get_ident
from collections.abc import Callable, Collection
from importlib.machinery import ModuleSpec
from typing import Any

from grader.worker.measuring.uncounted import UNCOUNTED, counted_only, keep_tracing
from grader.worker.walls.asker import who_asks
from grader.worker.walls.builtins.forbidden import NOTHING, Replaced
from grader.worker.walls.builtins.private import private_part, private_parts_of_text, said_of
from grader.worker.walls.interpreter import EVENTS as INSIDE
from grader.worker.walls.interpreter import what_is_reached
from grader.worker.walls.introspection import shut
from grader.worker.walls.libraries import folder_of_torch, keep_no_lines, module_of
from grader.worker.walls.limits import DESCRIPTORS
from grader.worker.walls.own_modules import part
from grader.worker.walls.past_python import EVENTS as MEMORY
from grader.worker.walls.past_python import FOR_TESTS, INTERPRETERS, MODULES, is_for_sharing, put_away_ctypes
from grader.worker.walls.paths import Paths, path_of, text_of
from grader.worker.walls.view import TORCH, View

globals()["__builtins__"] = dict(vars(builtins))  # see `grader.worker.walls.paths`

_WRITING = {
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.link": ((0, 2), (1, 3)),
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.removexattr": ((0, 0),),
    "os.rename": ((0, 2), (1, 3)),
    "os.rmdir": ((0, 1),),
    "os.setxattr": ((0, 0),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, 0),),
    "os.utime": ((0, 3),),
    "shutil.rmtree": ((0, 1),),
    "sqlite3.connect": ((0, 0),),
}
"""Events that change files: for each path its argument, and that of the folder's descriptor it may be
relative to.
"""
_READING = frozenset(("os.listdir", "os.scandir", "os.chdir", "os.listxattr", "os.getxattr", "ctypes.dlopen"))
_STARTING = frozenset(
    ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "subprocess.Popen", "pty.spawn", "os.startfile")
)
_CONNECTING = frozenset(
    ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "syslog.openlog")
)
_THREADS = frozenset(("_thread.start_new_thread", "_thread.start_joinable_thread"))
"""Their first argument is the function to run."""
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_AF_UNIX = 1
_BY_ITSELF = frozenset(("torch.distributed.tensor",))
"""What torch imports from C when it meets a subclass of tensors: whoever made that seems to ask."""
_LAZY = frozenset(("torch.onnx", "torch._inductor", "torch._export"))
"""What torch imports as soon as it is asked for the attribute: its own code asks it for all of them."""
_TORCH_TEXT = "This topic is to be written in NumPy; torch cannot be reached."


def install(
    view: View,
    folder: str,
    walled: bool,
    without_torch: bool,
    refuse: Callable[[str, str], BaseException],
    connections: Collection[int] = (),
    replaced: Replaced = NOTHING,
) -> None:
    """Watch this process from now on.

    Only what the view has may be read, only `folder` may be written to (and shared memory, where it is the
    worker's own: `walled`). No other program can be started, nothing connected to. Without torch, no import
    of it gets through. `refuse(what, text)` gives the exception for reaching into what is the grader's, such
    as the descriptors of its `connections`. `replaced` are the modules of which functions are forbidden.
    """
    torch_folder = folder_of_torch()
    own_module, loaded = module_of(torch_folder, replaced), set(sys.modules)
    keep_no_lines(own_module)
    paths, asker = Paths(view, folder, walled), who_asks(view)
    lead, is_hidden, is_torch = paths.lead, paths.is_hidden, paths.is_torch
    may_read, may_write, as_text, as_path = paths.may_read, paths.may_write, text_of, path_of
    is_submission, is_library, imported, imports, makes_code, may_read_sources, is_by_import = asker
    inside, reached = INSIDE, what_is_reached(view)
    private_in, private_name, thread, busy = private_parts_of_text, private_part, get_ident, set[int]()
    followed = None if torch_folder is None else part("grader.worker.measuring.threads").Followed
    own_pid, process, readlink = os.getpid(), os.getpid, os.readlink
    base_name, write_flags, descriptors = str.rpartition, _WRITE_FLAGS, DESCRIPTORS
    writing, reading, starting, connecting = dict(_WRITING), _READING, _STARTING, _CONNECTING
    meter = None if torch_folder is None else part("grader.worker.measuring.meter").Meter
    uncounted, check_counted = UNCOUNTED, counted_only(meter, is_submission, refuse)
    memory, interpreters, past_python, for_tests = MEMORY, INTERPRETERS, MODULES, FOR_TESTS
    threads, create, make_spec = _THREADS, _imp.create_builtin, ModuleSpec
    torch_names, torch_text, by_itself, make_error = TORCH, _TORCH_TEXT, _BY_ITSELF, PermissionError
    private_text, fix_name, lazy = said_of, vars(_imp)["_fix_co_filename"], _LAZY

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            check_open(*args)
        elif event == "import":
            check_import(*args[:2])
        elif event in writing:
            for number, relative_to in writing[event]:
                check_change(args[number], args[relative_to], event == "sqlite3.connect")
        elif event in reading:
            path = as_path(args[0]) if args else None
            if path is not None and (event != "ctypes.dlopen" or "/" in path):
                check_read(lead(path))
            if event == "ctypes.dlopen" and path is not None:
                check_library(path)
        elif event in ("os.kill", "os.killpg"):
            if args[0] not in (own_pid, process()):
                raise make_error("an answer may not send signals to other processes")
        elif event in starting:
            raise no_programs()
        elif event in connecting or (event == "socket.__new__" and args[1] != _AF_UNIX):
            raise make_error("an answer may not connect to anything")
        elif event == "resource.prlimit" and args[0] not in (0, process()):
            raise make_error("an answer may not change the limits of other processes")
        elif event in threads and followed is not None and type(args[0]) is not followed:
            raise refuse(event, f"It calls another {event} than there is: no answer needs it.")
        elif event == "compile":
            check_name(event, args[1])
            check_text(args[0])
        elif event == "code.__new__":
            check_name(event, args[1])
        elif event == "function.__new__":
            check_name(event, args[0].co_filename)
        elif event == "exec":
            check_run(args[0].co_filename)
        elif event in uncounted:
            check_counted(event)
        elif event in memory and (event == interpreters or (is_submission() and not is_for_sharing())):
            raise refuse(event, past_text(event))
        elif event in inside and (name := reached(event, args)) is not None:
            raise refuse(name, f"{name} shows the inside of the interpreter: no answer needs it")

    def folder_of(descriptor: Any) -> str | None:
        is_descriptor = isinstance(descriptor, int) and descriptor >= 0
        return readlink(f"/proc/self/fd/{descriptor}") if is_descriptor else None

    def check_open(path: Any, mode: str | None, flags: int) -> None:
        text = as_path(path)
        if isinstance(path, int) and int.__index__(path) in connections:
            raise refuse("connection", "It opens the connection to the judge: no answer needs it.")
        if text is None:
            return
        places = [lead(text)]
        if mode is None and not text.startswith("/"):  # it may be relative to any open folder
            for number in range(3, descriptors):
                try:
                    place = readlink(f"/proc/self/fd/{number}")
                except OSError:
                    continue
                if place.startswith("/"):
                    places += [lead(text, place)]
        for real in places:
            if flags & write_flags and not may_write(real) and not is_hidden(real):
                raise may_only_write(real)
            check_read(real)

    def check_read(real: str) -> None:
        if is_hidden(real):
            raise refuse("reference", f"It opens {base_name(real, '/')[2]}, which belongs to the grader.")
        if is_torch(real):
            raise refuse("torch", torch_text)
        module = own_module(real)
        if module is not None and (imported() or (None,))[0] != module and not may_read_sources():
            if real.endswith(".pyc"):
                raise refuse("disguise", second_time(module))
            raise make_error(f"an answer may not read the sources of {module}")  # tracebacks cope with it
        if not may_read(real):
            raise make_error(f"an answer may not open {real}")

    def check_library(path: str) -> None:
        if "/" in path and may_write(lead(path)):
            raise make_error("an answer may not load libraries of its own")
        is_torchs = "torch" in path or (torch_folder is not None and lead(path).startswith(torch_folder))
        if is_torchs and is_submission():
            raise refuse("torch", torch_text if view.torch else "It loads torch's own libraries.")

    def check_change(path: Any, descriptor: Any, is_database: bool) -> None:
        text = as_text(path)
        if is_database and text in ("", ":memory:"):
            return
        if text is None and not is_database:
            return
        real = lead(text or "/", None if is_database else folder_of(descriptor))
        if not may_write(real):
            raise may_only_write(real)

    def may_only_write(real: str) -> PermissionError:
        return make_error(f"an answer may only write to its own temporary folder, not to {real}")

    def check_import(name: str, file: str | None) -> None:
        parts = name.split(".")
        if parts[0] in ("solutions", "grader"):
            raise refuse("reference", f"It imports {name}, which belongs to the grader.")
        if without_torch and (parts[0] in torch_names or (file is not None and is_torch(lead(file)))):
            raise refuse("torch", torch_text)
        if file is not None and may_write(lead(file)) and not file.endswith(".py"):
            raise make_error("an answer may not load libraries of its own")
        if file is not None and (own := own_module(lead(file))) is not None:
            if own != name or own in loaded:
                raise refuse("disguise", second_time(own))
            loaded.add(own)
        if name == "_posixsubprocess":
            raise no_programs()
        last = base_name(name, ".")[2]
        if last in for_tests or (last in past_python and imports(name)):
            raise refuse(name, past_text(name))
        is_private = torch_folder is not None and private_name(name) and name not in by_itself
        if is_private and (is_submission() if name in lazy else imports(name)):
            raise refuse(name, private_text(name))

    def check_name(event: str, name: Any) -> None:
        text = as_text(name)
        if isinstance(name, str) and type(name) is not str:  # whoever asks it might hear a lie
            raise refuse("disguise", f"It makes code whose file has a name of a kind of its own: {text}.")
        is_of_library = text is not None and (is_library(text) or text.startswith("<frozen "))
        if is_of_library and (is_submission() or not makes_code(event)):
            raise refuse("disguise", f"It makes code that looks like a library's: {text}.")

    def check_text(source: Any) -> None:
        text = as_text(source)
        if text is None or torch_folder is None or thread() in busy or not is_submission():
            return
        busy.add(thread())  # reading it is to compile it
        try:
            names = private_in(text)
        finally:
            busy.discard(thread())
        if names:
            raise refuse(names[0], private_text(names[0]))

    def check_run(file: str) -> None:
        if is_library(file) and imported() is None:  # compiled from a tree: then its name was not told
            check_name("exec", file)
        if not file.endswith(".py") or (module := own_module(lead(file))) is None:
            return
        name, is_replaced = imported() or (None, False)
        if name != module or (replaced.has(module) and not is_replaced):
            raise refuse("disguise", second_time(module))

    def second_time(module: str) -> str:
        return f"It loads {module} a second time: no answer needs it."

    def past_text(name: str) -> str:
        return f"{name} reaches past this interpreter: no answer needs it"

    def no_programs(*args: Any) -> PermissionError:
        # Another interpreter would have the built-ins that are forbidden here. Libraries cope with this
        # error.
        return make_error("an answer may not start other programs")

    def fork_exec(*args: Any) -> None:
        raise no_programs()

    def name_file(code: Any, path: Any) -> None:
        if not is_by_import():
            raise refuse("disguise", "It gives code the name of another file: no answer needs it.")
        fix_name(code, path)

    def create_builtin(spec: Any) -> Any:
        name = as_text(spec.name) or ""
        check_import(name, None)
        if name in loaded:  # what is replaced in the first one, the second would have
            raise refuse("disguise", second_time(name))
        loaded.add(name)
        return create(make_spec(name, None))

    class Finder:
        """Hears of imports that are not audited: those of `importlib`."""

        @staticmethod
        def find_spec(name: str, path: Any = None, target: Any = None) -> None:
            check_import(name, None)

    sys.meta_path.insert(0, Finder)
    sys.path[:] = [path for path in sys.path if may_read(lead(path))]
    vars(_posixsubprocess)["fork_exec"] = fork_exec  # not audited: multiprocessing calls it directly
    vars(_imp).update(create_builtin=create_builtin, _fix_co_filename=name_file)
    keep_tracing(is_submission, refuse)
    put_away_ctypes(asker, refuse)
    shut(view, asker, refuse)
    sys.addaudithook(watch)
