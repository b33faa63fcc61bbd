"""Ways that Python has from a function or a class to all that is around it, shut for ours.

Much of ours has to stay where an answer can get at it: finders of imports, what starts threads, what refuses.
From there neither the names of our modules, nor what was put away, nor a class of ours can be reached.
"""

import abc
import builtins
import sys
from collections.abc import Callable
from types import FrameType, FunctionType
from typing import Any

from grader.worker.walls.asker import Asker
from grader.worker.walls.builtins.kernels import put
from grader.worker.walls.view import View

globals()["__builtins__"] = dict(vars(builtins))  # see `grader.worker.walls.paths`

_SCENARIO = "<scenario>"
"""The file of a check's own functions, which may hold what it counts."""
_CLASSES = ("grader.", "msgpack.", "ctypes", "_ctypes")
"""Modules of which no class is found among those below another one."""


def shut(view: View, asker: Asker, refuse: Callable[[str, str], BaseException]) -> None:
    """From now on the names and closures of our functions are empty, and who asks for them by name in a
    submission is refused. To libraries that look at every function they are empty without a word.
    """
    own = tuple(f"{path}/" for path in view.own)
    package = view.own[0].rpartition("/")[0] + "/"
    code_of: Any = vars(FunctionType)["__code__"].__get__
    module_of: Any = vars(type)["__module__"].__get__
    subclasses: Any = vars(type)["__subclasses__"]
    frame_of, is_library, scenario, hidden = sys._getframe, asker.is_library, _SCENARIO, _CLASSES

    def shutting(name: str, empty: Callable[[], Any]) -> property:
        value_of: Any = vars(FunctionType)[name].__get__

        def shown(function: Any) -> Any:
            file = code_of(function).co_filename
            if not file.startswith(own) and file != scenario:
                return value_of(function)
            by = frame_of(1).f_code.co_filename
            if not is_library(by) and not by.startswith("<frozen "):
                raise refuse(name, f"{name} of a function that is not its own: no answer needs it")
            return empty()

        return property(shown)

    def found(kind: Any) -> list[type]:
        return [each for each in subclasses(kind) if not is_ours(each)]

    def is_ours(kind: type) -> bool:
        module = module_of(kind)
        return isinstance(module, str) and str.startswith(module, hidden)

    def empty_for_ours(name: str) -> property:
        value_of: Any = vars(FrameType)[name].__get__

        def shown(frame: Any) -> Any:
            file = frame.f_code.co_filename
            return {} if file.startswith(package) or file == scenario else value_of(frame)

        return property(shown)

    # Frames are handed to handlers of signals, and libraries go through them for who calls. Behind the
    # worker's own are those of the judge that it was forked from.
    for name in ("f_globals", "f_locals", "f_builtins"):
        put(FrameType, name, empty_for_ours(name))
    for name, empty in (("__globals__", dict), ("__builtins__", dict), ("__closure__", lambda: None)):
        put(FunctionType, name, shutting(name, empty))
    put(type, "__subclasses__", found)
    for module in (abc, sys.modules["_abc"]):
        vars(module)["_get_dump"] = lambda kind: (set(), set(), set(), 0)  # classes that were asked about
