"""Who asks: the submission, or a library on its own account."""

import builtins
import sys
import sysconfig
from collections.abc import Callable
from types import FrameType

from grader.worker.walls.view import View

globals()["__builtins__"] = dict(vars(builtins))  # see `grader.worker.walls.paths`


def who_asks(view: View) -> tuple[Callable[[], bool], Callable[[str], bool], Callable[[], str | None]]:
    """Three functions: whether it is the submission that asks just now, whether the file of this name is one
    of a library, and the name of the module that is just imported.

    The standard library asks for whoever called it, so it is looked through. Code without a file is the
    submission's, and so is what lies in no folder of libraries.
    """
    frame_of = sys._getframe
    package = view.own[0].rpartition("/")[0] + "/"
    standard = tuple(sysconfig.get_path(name) + "/" for name in ("stdlib", "platstdlib"))
    libraries = tuple(f"{path}/" for path in (*view.readable, *view.named))
    installed = tuple(sysconfig.get_path(name) + "/" for name in ("purelib", "platlib"))
    own = tuple(f"{path}/" for path in view.own)
    walls = tuple(f"{view.own[1]}/walls/{name}.py" for name in ("guard", "asker", "copies"))

    def is_library(name: str) -> bool:
        return name.startswith(own) or (name.startswith(libraries) and not name.startswith(package))

    def is_looked_through(name: str) -> bool:
        if name.startswith("<frozen ") or name in walls:
            return True
        return name.startswith(standard) and not name.startswith(installed) and "-packages/" not in name

    def is_submission() -> bool:
        frame: FrameType | None = frame_of(1)
        while frame is not None:
            name = frame.f_code.co_filename
            if not is_looked_through(name):
                return not is_library(name)
            frame = frame.f_back
        return False

    def imported() -> str | None:
        frame: FrameType | None = frame_of(1)
        while frame is not None:
            code = frame.f_code
            if code.co_name == "exec_module" and code.co_filename == "<frozen importlib._bootstrap_external>":
                return str(frame.f_locals["module"].__name__)
            frame = frame.f_back
        return None

    return is_submission, is_library, imported
