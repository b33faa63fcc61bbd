"""What reaches into memory past Python: ctypes, and interpreters beside this one, where nothing of this one's
walls stands. No answer needs either; a few libraries need ctypes.
"""

import builtins
import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache
from inspect import CO_OPTIMIZED
from types import CodeType, FrameType, ModuleType
from typing import Any

import numpy as np

from grader.worker.walls.asker import Asker

globals()["__builtins__"] = dict(vars(builtins))  # see `grader.worker.walls.paths`

EVENTS = frozenset(
    (
        *("ctypes.dlsym", "ctypes.dlsym/handle", "ctypes.call_function", "ctypes.cdata", "ctypes.addressof"),
        *("ctypes.cdata/buffer", "ctypes.PyObj_FromPtr", "ctypes.string_at", "ctypes.wstring_at"),
        *("ctypes.set_exception", "ctypes.memoryview_at", "cpython.PyInterpreterState_New"),
    )
)
INTERPRETERS = "cpython.PyInterpreterState_New"
MODULES = frozenset(
    (
        *("_xxsubinterpreters", "_xxinterpchannels", "_interpreters", "_interpchannels", "_interpqueues"),
        *("interpreters", "_ctypes", "_ctypes_test", "_testcapi", "_testinternalcapi", "_testlimitedcapi"),
        *("_cffi_backend", "cffi"),
    )
)
"""By the last part of their names. ctypes itself is there, and is loaded no second time."""
FOR_TESTS = frozenset(("_ctypes_test", "_testcapi", "_testinternalcapi", "_testlimitedcapi"))
"""Those of them that not even a library needs, nor the worker."""
_STANDING = ("ctypes", "_ctypes")
_NUMBERS = "bBhHiIlLqQfdP?"
"""Codes of the types that hold a number (also that of a place) and nothing else."""
_SHOWING = ("numpy", "sympy")
"""Libraries that show everybody the numbers that they have from ctypes: they get what an answer does."""
_SHARED = f"{os.path.dirname(os.__file__)}/multiprocessing/sharedctypes.py"
"""Numbers that processes share are made of ctypes."""
_frame_of = sys._getframe  # whatever is there later
_TEXT = "ctypes reaches past Python into memory: no answer needs it"


@cache
def holders() -> list[tuple[ModuleType, str]]:
    """The places where other modules hold ctypes or a part of it. Takes a while."""
    modules = [sys.modules[name] for name in _STANDING]
    parts = [value for module in modules for value in vars(module).values() if _is_part(value)]
    known = {id(value) for value in (*modules, *parts)}
    return [
        (module, name)
        for module in list(sys.modules.values())
        if isinstance(module, ModuleType) and not module.__name__.startswith(("grader", *_STANDING))
        for name, value in list(vars(module).items())
        if id(value) in known
    ]


def _is_part(value: Any) -> bool:
    return str(getattr(value, "__module__", "")).startswith(_STANDING)


def is_for_sharing() -> bool:
    """Whether what asks for an event shares a number among processes."""
    return _frame_of(2).f_code.co_filename == _SHARED


def put_away_ctypes(asker: Asker, refuse: Callable[[str, str], BaseException]) -> None:
    """Put modules in the places of ctypes that give its parts to libraries only."""
    stand_ins = {id(sys.modules[name]): _stand_in(sys.modules[name], asker, refuse) for name in _STANDING}
    places = holders()
    for name in [name for name in sys.modules if name.startswith("ctypes.")]:
        del sys.modules[name]  # they hold the parts
    for module, name in places:
        value = vars(module)[name]
        if id(value) in stand_ins:
            setattr(module, name, stand_ins[id(value)])
        else:
            delattr(module, name)  # of a device that is not there
    sys.modules.update({name: stand_ins[id(sys.modules[name])] for name in _STANDING})


def _stand_in(real: ModuleType, asker: Asker, refuse: Callable[[str, str], BaseException]) -> ModuleType:
    """A module that holds nothing, and asks who asks."""
    is_submission, frame_of, harmless, text = asker.is_submission, sys._getframe, _harmless(), _TEXT
    packages = os.path.dirname(os.path.dirname(np.__file__))
    in_functions, showing = CO_OPTIMIZED, tuple(f"{packages}/{name}/" for name in _SHOWING)

    def code_that_asks() -> CodeType | None:
        frame: FrameType | None = frame_of(2)
        while frame is not None and frame.f_code.co_filename.startswith("<frozen "):
            frame = frame.f_back
        return None if frame is None else frame.f_code

    def is_import(code: CodeType | None) -> bool:
        return code is not None and not (code.co_flags & in_functions or code.co_filename.startswith(showing))

    class Part(ModuleType):
        def __getattr__(self, name: str) -> Any:
            is_of_a_module = name.startswith("__") and name.endswith("__")
            if is_of_a_module or not hasattr(real, name):
                return getattr(real, name)
            code = code_that_asks()
            # What asks for a name that it is given may ask for an answer.
            is_library = code is not None and name in code.co_names and not is_submission()
            if code is not None and ((is_library and is_import(code)) or code.co_filename == _SHARED):
                return getattr(real, name)  # a library may need classes for its import
            if name in harmless:
                return harmless[name]
            raise AttributeError(name) if is_library else refuse("ctypes", text)

    return Part(real.__name__)


def _harmless() -> dict[str, Any]:
    """What an answer may use: numbers of a size, and their sizes."""
    kinds: dict[Any, Any] = {}
    for name, kind in list(vars(ctypes).items()):
        code = getattr(kind, "_type_", None) if isinstance(kind, type) else None
        if isinstance(code, str) and code in _NUMBERS:
            kinds[name] = kind

    numbers = {name: _number(name, kind) for name, kind in kinds.items()}
    sizes = {numbers[name]: ctypes.sizeof(kind) for name, kind in kinds.items()}

    def sizeof(item: Any) -> int:
        return sizes[item if isinstance(item, type) else type(item)]

    return {**numbers, "sizeof": sizeof, "alignment": sizeof}


def _number(name: str, kind: Any) -> type:
    def __init__(self: Any, value: Any = 0) -> None:
        self.value = kind(value).value

    return type(name, (), {"__init__": __init__, "__module__": "ctypes"})
