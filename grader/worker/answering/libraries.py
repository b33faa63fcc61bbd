"""Whether libraries are as they were: what a check's own code takes from them, beside the answer, is to be
theirs, and so is what the worker compares with. Where it can be, it is from before there was an answer.
"""

import builtins
import copy
import gc
import importlib
import math
import sys
import tracemalloc
import weakref
from collections.abc import Callable, Iterable, Iterator
from itertools import compress, repeat
from marshal import loads
from operator import is_, or_
from types import ModuleType
from typing import Any

import numpy as np

from grader.worker.measuring.live_tensors import live_tensors
from grader.worker.walls.builtins.differentiation import backward, backward_from

globals()["__builtins__"] = dict(vars(builtins))  # what is replaced there is not replaced here

_MODULES = (builtins, copy, gc, math, tracemalloc, weakref)
_OF_TORCH = ("torch", "torch.nn.functional", "torch.autograd", "torch.autograd.graph")
_IMPORTED = ("contextlib", "inspect", "itertools", "random", "types", "typing")
"""What checks' own code imports beside these."""
_DESCRIPTORS = (property, staticmethod, classmethod)
_MADE_UNDER_A_METER = frozenset(("__new__",))
_BY_TORCH = frozenset(("manual_seed", "Storage"))
"""What torch itself replaces: where its compiler is loaded (attention's biases do so), or the default dtype
is another one. No check uses it.
"""


class Libraries:
    """The functions and classes of libraries, and the methods of tensors, as they are when this is made."""

    def __init__(self) -> None:
        self._spaces = [_Space(*each) for each in _spaces()]

    def refuse_replaced(self, refuse: Callable[[str, str], BaseException]) -> None:
        """Refuse that one of them is another now."""
        for space in self._spaces:
            if (name := space.replaced()) is not None:
                raise refuse(name, f"It replaces {name}, which the checks use: no answer needs that.")


class _Space:
    """The names of a module, or of a class."""

    def __init__(self, name: str, space: Any, hidden: Iterable[str] = ()) -> None:
        """`hidden`: what would be hidden by a new one of its name."""
        self._name = name
        self._space = space
        self._values = tuple(space.values())
        self._before = _used(space)  # now: what can be called may be another matter later
        self._hiding = frozenset(hidden) - space.keys() - _MADE_UNDER_A_METER

    def replaced(self) -> str | None:
        space = self._space
        if len(space) == len(self._values) and all(map(is_, space.values(), self._values)):
            return None  # the usual case, quickly
        changed = [own for own, value in self._before.items() if space.get(own) is not value]
        new = [own for own in self._hiding if own in space]
        return next((f"{self._name}.{own}" for own in (*changed, *new)), None)


def _spaces() -> Iterator[tuple[str, Any, Iterable[str]]]:
    for module in _MODULES:
        yield module.__name__, vars(module), ()
    if (torch := sys.modules.get("torch")) is None:
        yield "numpy", vars(np), ()
        return
    for name in _OF_TORCH:
        yield name, vars(sys.modules[name]), ()
    yield "torch.nn.Module", vars(torch.nn.Module), ()
    yield (
        "torch.Tensor",
        vars(torch.Tensor),
        set().union(*map(vars, torch.Tensor.__mro__[1:])),
    )


def _used(space: Any) -> dict[str, Any]:
    """The functions, classes and methods of a space, by name: thousands, of each worker."""
    values = space.values()
    are_used = map(or_, map(callable, values), map(isinstance, values, repeat(_DESCRIPTORS)))
    used: dict[str, Any] = dict(compress(space.items(), are_used))
    for name in _BY_TORCH:
        used.pop(name, None)
    return used


class Scenarios:
    """Libraries as they are when this is made, before there is a submission: what it puts in the place of
    torch's functions, and takes back before anybody looks, is not what a check's code calls.
    """

    def __init__(self, look: Callable[[], None]) -> None:
        """`look` refuses what is replaced just now: it is asked before products are made of what came."""

        def look_and_go_back(pairs: Iterable[tuple[Any, Any]]) -> None:
            look()
            backward_from(pairs)

        self._names: dict[str, Any] = {"math": _copied(math), "np": _copied(np)}
        self._names["__builtins__"] = {**vars(builtins), "__import__": _importing_from_before()}
        if (torch := sys.modules.get("torch")) is not None:
            own = _copied(torch)
            own.nn, own.autograd = _copied(torch.nn), _copied(torch.autograd)
            own.nn.functional = _copied(torch.nn.functional)
            self._names |= {"torch": own, "nn": own.nn, "F": own.nn.functional, "Tensor": torch.Tensor}
            self._names |= {"live_tensors": live_tensors, "backward": backward}
            self._names["backward_from"] = look_and_go_back

    def function(self, code: bytes, name: str) -> Any:
        """The function of this name in a check's code."""
        space = dict(self._names)
        exec(loads(code), space)
        return space[name]


def _importing_from_before() -> Callable[..., Any]:
    """An `__import__` that gives what is loaded now, whatever stands in its place later."""
    for name in _IMPORTED:
        importlib.import_module(name)
    loaded, import_now = dict(sys.modules), builtins.__import__

    def import_from_before(
        name: str, space: Any = None, names: Any = None, parts: Any = (), level: int = 0
    ) -> Any:
        if level or name not in loaded:
            return import_now(name, space, names, parts, level)
        return loaded[name if parts else name.partition(".")[0]]

    return import_from_before


def _copied(module: ModuleType) -> Any:
    copied = ModuleType(module.__name__)
    vars(copied).update(vars(module))
    return copied
