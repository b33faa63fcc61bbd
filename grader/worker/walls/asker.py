"""Who asks: the submission, or a library on its own account."""

import builtins
import linecache
import os
import sys
import sysconfig
from collections.abc import Callable
from types import CodeType, FrameType
from typing import NamedTuple

from grader.worker.walls.libraries import reading_as_ever
from grader.worker.walls.view import View

globals()["__builtins__"] = dict(vars(builtins))  # see `grader.worker.walls.paths`


_MAKING: dict[str, frozenset[str]] = {
    "compile": frozenset(),
    "exec": frozenset(),
    "code.__new__": frozenset(("replace", "CodeType", "code")),
    "function.__new__": frozenset(("FunctionType", "function")),
}
"""By audit event: what the code of a library names that makes such by itself. None compiles or runs code for
a file of a library but the import of it."""


class Asker(NamedTuple):
    """Functions that say of an audit event who asks."""

    is_submission: Callable[[], bool]
    """Whether it is the submission, just now."""
    is_library: Callable[[str], bool]
    """Whether the file of this name is one of a library."""
    imported: Callable[[], tuple[str, bool] | None]
    """Where the import of a module asks, and nothing else: its name, and whether what takes forbidden
    functions out of it will have it.
    """
    imports: Callable[[str], bool]
    """Whether it is the submission that wants the module of this name: also where a library imports it only
    because it was handed the name (by a pickle, say), and does not name it itself.
    """
    makes_code: Callable[[str], bool]
    """Whether it is the import of a module, or the worker, or (where code is not compiled) a library that
    names what makes it: none that calls what it was handed. It is told the event.
    """
    may_read_sources: Callable[[], bool]
    """Whether it is what seals modules, TorchScript for the functions that it compiles, or a module of
    settings for itself."""
    is_by_import: Callable[[], bool]
    """Whether what calls the function that asks is what imports modules."""


def who_asks(view: View) -> Asker:
    """The functions for a worker with this view.

    The standard library asks for whoever called it, so it is looked through. Code without a file is the
    submission's, and so is what lies in no folder of libraries.
    """
    frame_of = sys._getframe
    package = view.own[0].rpartition("/")[0] + "/"
    standard = tuple(sysconfig.get_path(name) + "/" for name in ("stdlib", "platstdlib"))
    libraries = tuple(f"{path}/" for path in (*view.readable, *view.named))
    installed = tuple(sysconfig.get_path(name) + "/" for name in ("purelib", "platlib"))
    own = tuple(f"{path}/" for path in view.own)
    parts = (
        *("walls/guard", "walls/asker", "walls/libraries", "walls/past_python"),
        *("measuring/threads", "measuring/uncounted"),
    )
    walls = tuple(f"{view.own[1]}/{part}.py" for part in parts)
    copies = f"{view.own[1]}/walls/builtins/copies.py"
    lines = linecache.__file__
    torch = f"{os.path.dirname(str(sys.modules['torch'].__file__))}/" if "torch" in sys.modules else None
    scripting, is_read_as_ever = (f"{torch}jit/", f"{torch}_jit_internal.py"), reading_as_ever()
    checking, settings = f"{torch}jit/_check.py", f"{torch}utils/_config_module.py"
    making = dict(_MAKING)
    rules = f"{torch}_dynamo/trace_rules.py"  # has lists of functions, which it imports by their names
    checker = getattr(sys.modules.get("torch.jit._check"), "AttributeTypeIsSupportedChecker", None)

    def is_library(name: str) -> bool:
        return name.startswith(own) or (name.startswith(libraries) and not name.startswith(package))

    def is_looked_through(name: str) -> bool:
        if name.startswith("<frozen ") or name in walls:
            return True
        return name.startswith(standard) and not name.startswith(installed) and "-packages/" not in name

    def asker(frame: FrameType | None) -> FrameType | None:
        while frame is not None and is_looked_through(frame.f_code.co_filename):
            frame = frame.f_back
        return frame

    def is_submission() -> bool:
        frame = asker(frame_of(1))  # none in a thread that runs a function in C
        return frame is None or not is_library(frame.f_code.co_filename)

    def imports(module: str) -> bool:
        frame = asker(frame_of(1))
        while frame is not None and is_library(frame.f_code.co_filename):
            if frame.f_code.co_filename.startswith(own) or is_named(module, frame.f_code):
                return False
            is_listing = frame.f_code.co_filename == rules
            frame = asker(frame.f_back)
            if is_listing and frame is not None and is_library(frame.f_code.co_filename):
                return False
        return True

    def makes_code(event: str) -> bool:
        nearest: FrameType | None = frame_of(1)
        while nearest is not None and nearest.f_code.co_filename in walls:
            nearest = nearest.f_back
        if nearest is not None and nearest.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = asker(nearest)
        if frame is None or frame.f_code.co_filename.startswith(own):
            return frame is not None
        return not making[event].isdisjoint(frame.f_code.co_names)

    def is_named(module: str, code: CodeType) -> bool:
        last = module.rpartition(".")[2]
        texts = (*code.co_names, *(item for item in code.co_consts if type(item) is str))
        return any(last in text.split(".") for text in texts)

    def imported() -> tuple[str, bool] | None:
        frame: FrameType | None = frame_of(1)
        while frame is not None and is_looked_through(frame.f_code.co_filename):
            code = frame.f_code
            if code.co_name == "exec_module" and code.co_filename == "<frozen importlib._bootstrap_external>":
                by = frame.f_back.f_code if frame.f_back is not None else code
                is_replaced = by.co_filename == copies and by.co_name == "execute_and_replace"
                return str(frame.f_locals["module"].__name__), is_replaced
            frame = frame.f_back
        return None

    def may_read_sources() -> bool:
        frame = asker(frame_of(1))
        if frame is None:
            return False
        name = frame.f_code.co_filename
        if name.startswith(own):  # what seals modules reads them; behind others of ours, finalizers may run
            return name == copies
        # Others would hand on what they read; so would these, where something stands in their place.
        if torch is None or not is_by_lines(frame_of(1)) or not is_read_as_ever():
            return False
        if name == checking:  # what is derived from it might be shown the text
            return type(frame.f_locals.get("self")) is checker
        if name != f"{torch}_sources.py":
            return name == settings
        while frame is not None and frame.f_code.co_filename == f"{torch}_sources.py":
            frame = asker(frame.f_back)
        return frame is not None and frame.f_code.co_filename.startswith(scripting)

    def is_by_lines(frame: FrameType | None) -> bool:
        """Whether a file is read to have the lines of a function, say."""
        while frame is not None and is_looked_through(frame.f_code.co_filename):
            if frame.f_code.co_filename == lines:
                return True
            frame = frame.f_back
        return False

    def is_by_import() -> bool:
        return frame_of(2).f_code.co_filename == "<frozen importlib._bootstrap_external>"

    return Asker(is_submission, is_library, imported, imports, makes_code, may_read_sources, is_by_import)
