"""Which arrays and tensors the local names of one file's functions are bound to, line by line."""

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

Bound = Callable[[FrameType, str, Any, int | None], None]
"""Told of a frame, a name in it, the array that the name is bound to, and the line that did it (None for an
argument). An array that is written to counts as bound again."""


class Bindings:
    """A context manager: inside, `bound` is told of every array or tensor that a local name gets.

    `returned` is told of what each function of the file returns, `counted` of plain numbers, if given. With
    `attributes`, those of `self` are names too.
    """

    def __init__(
        self,
        path: str,
        bound: Bound,
        returned: Callable[[FrameType, Any], None] | None = None,
        attributes: bool = False,
        counted: Bound | None = None,
    ) -> None:
        self._path = path
        self._bound = bound
        self._returned = returned
        self._attributes = attributes
        self._counted = counted
        self._seen: dict[FrameType, dict[str, Any]] = {}
        self._lines: dict[FrameType, int] = {}

    def __enter__(self) -> "Bindings":
        self._before = sys.gettrace()
        sys.settrace(self._enter)
        return self

    def __exit__(self, *exception: object) -> None:
        sys.settrace(self._before)
        self._seen.clear()
        self._lines.clear()

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != self._path or frame.f_code.co_name.startswith("<"):
            return None
        self._seen[frame] = {}
        self._look(frame, None)
        self._lines[frame] = frame.f_lineno
        return self._follow

    def _follow(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame not in self._lines:  # of a generator that outlives the context
            return None
        self._look(frame, self._lines[frame])
        self._lines[frame] = frame.f_lineno
        if event == "return":
            if self._returned is not None:
                self._returned(frame, argument)
            del self._seen[frame], self._lines[frame]
        return self._follow

    def _look(self, frame: FrameType, line: int | None) -> None:
        seen = self._seen[frame]
        for name, value in self._values(frame):
            for full, array in arrays(name, value):
                state = _state(array)
                if seen.get(full) != state:
                    seen[full] = state
                    self._bound(frame, full, array, line)
            if self._counted is not None and type(value) in (int, float) and seen.get(name) != value:
                seen[name] = value
                self._counted(frame, name, value, line)

    def _values(self, frame: FrameType) -> Iterator[tuple[str, Any]]:
        local = frame.f_locals
        yield from local.items()
        if self._attributes and "self" in local:
            own = getattr(local["self"], "__dict__", {})
            for name, value in [*own.items(), *own.get("_buffers", {}).items()]:
                if name not in ("_buffers", "_parameters", "_modules"):
                    yield f"self.{name}", value


def arrays(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The tensors and arrays in a value, by name: itself, or the items of a tuple, list or dict of a few."""
    if _is_array(value):
        yield name, value
    elif isinstance(value, tuple | list) and len(value) <= 8:
        for i, item in enumerate(value):
            yield from arrays(f"{name}[{i}]", item)
    elif isinstance(value, dict) and len(value) <= 16:
        for key, item in value.items():
            yield from arrays(f"{name}[{key!r}]", item)


def _is_array(value: Any) -> bool:
    """Whether it is a tensor, or what NumPy makes; not a class of them, or an object that has a shape too."""
    return (
        hasattr(value, "shape")
        and (hasattr(value, "_version") or hasattr(value, "tobytes"))
        and not isinstance(value, type)
    )


def _state(value: Any) -> Any:
    """Changes when another object is meant, or when its values were written to."""
    version = getattr(value, "_version", None)
    return (id(value), version if version is not None else value.tobytes())
