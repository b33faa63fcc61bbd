"""Files of libraries whose code is run, and whose text is read, by nothing but the import of that module:
torch's, and those of other modules of which functions are forbidden. What ran them a second time, under
whatever name, would have these functions anew.
"""

import builtins
import linecache
import os
import sys
from collections.abc import Callable
from typing import Any

from grader.worker.walls.builtins.forbidden import Replaced

globals()["__builtins__"] = dict(vars(builtins))  # see `grader.worker.walls.paths`

_READING = (
    *("torch._sources", "torch.jit.frontend", "torch.jit._recursive", "torch._jit_internal"),
    *("torch.jit._check", "torch.utils._config_module"),
    *("ast", "builtins", "inspect", "io", "linecache", "re", "textwrap", "tokenize"),
)


def folder_of_torch() -> str | None:
    """The real path, with a slash behind it, if torch is loaded."""
    torch = sys.modules.get("torch")
    return None if torch is None else f"{os.path.dirname(os.path.realpath(str(torch.__file__)))}/"


def module_of(torch_folder: str | None, replaced: Replaced) -> Callable[[str], str | None]:
    """A function that gives the name of the module whose file has this real path, also where it is compiled;
    None for files that anybody may read and run.
    """
    others, standard = {}, {}
    for name in replaced.names:
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None:
            others[os.path.realpath(file)] = name
            if name in sys.stdlib_module_names:
                standard[f"/{os.path.basename(file)}"] = name

    def module(file: str) -> str | None:
        if file.endswith(".pyc"):
            folder, _, name = file.rpartition("/")
            file = f"{folder.removesuffix('__pycache__').rstrip('/')}/{name.partition('.')[0]}.py"
        if torch_folder is None or not file.startswith(torch_folder) or not file.endswith(".py"):
            # Another Python on this machine has the same functions in its standard library.
            of_another = standard.get(file[file.rfind("/") :]) if "/lib/python" in file else None
            return others.get(file, of_another)
        place = file[len(torch_folder) :].removesuffix(".py").removesuffix("__init__").rstrip("/")
        return ".".join(["torch", *place.split("/")]).rstrip(".")

    return module


def reading_as_ever() -> Callable[[], bool]:
    """A function that says whether what reads sources for TorchScript is what it is now: something else in
    its place would be handed them.
    """
    modules = [sys.modules[name] for name in _READING if name in sys.modules]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, type)]
    kinds = [each for each in found if each.__module__ in _READING and each.__module__ != "builtins"]
    spaces: list[Any] = [vars(each) for each in (*modules, *kinds)]
    before = [(space, name, value) for space in spaces for name, value in space.items()]

    def is_as_ever() -> bool:
        return all(space.get(name) is value for space, name, value in before)

    return is_as_ever


def keep_no_lines(module_of: Callable[[str], str | None]) -> None:
    """Torch reads the sources of its own functions. Python's cache of lines has none of them afterwards."""
    read = linecache.updatecache

    def forget() -> None:
        for name in [name for name in linecache.cache if module_of(os.path.realpath(name)) is not None]:
            linecache.cache.pop(name, None)

    def updatecache(filename: str, *args: Any, **kwargs: Any) -> list[str]:
        lines = read(filename, *args, **kwargs)
        forget()
        return lines

    forget()
    linecache.updatecache = updatecache
