"""Which tensors a function makes, in their order, from a real run: their names, shapes and values."""

import linecache
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import unwrap
from types import CodeType, FrameType
from typing import Any

from grader.show.cards import Card, table


@dataclass(frozen=True)
class Made:
    """A tensor or array that a name was bound to. `line` is the source line that did it."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    line: str
    value: Any = field(repr=False, compare=False)


@dataclass(frozen=True)
class Trace:
    """What a run made. `run["weights"]` is the last value of that name, `run.all("weights")` all of them.

    Shows itself as a table of names, shapes and the lines that made them; `sizes` gives numbers their names.
    """

    made: tuple[Made, ...]
    result: Any = field(repr=False)
    sizes: Mapping[str, int] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.all(name)[-1]

    def all(self, name: str) -> list[Any]:
        """Every value that the name had. KeyError with the known names if it had none."""
        values = [made.value for made in self.made if made.name == name]
        if not values:
            known = ", ".join(dict.fromkeys(made.name for made in self.made))
            raise KeyError(f"nothing named {name} was made; there are: {known}")
        return values

    def card(self) -> Card:
        """The table."""
        rows: dict[tuple[Any, ...], int] = {}
        for made in self.made:
            key = (made.name, self._shape(made.shape), made.dtype, made.line)
            rows[key] = rows.get(key, 0) + 1
        cells = [
            [*key[:3], key[3] + (f"   # {times} times" if times > 1 else "")] for key, times in rows.items()
        ]
        return table(["name", "shape", "dtype", "made by"], cells, code=(0, 1, 3))

    def _shape(self, shape: tuple[int, ...]) -> str:
        numbers = _tuple([str(size) for size in shape])
        names = {size: name for name, size in self.sizes.items()}
        if not any(size in names for size in shape):
            return numbers
        return f"{numbers} = {_tuple([names.get(size, str(size)) for size in shape])}"

    def _repr_html_(self) -> str:
        return self.card()._repr_html_()

    def __repr__(self) -> str:
        return self.card().text


def trace(
    function: Callable[..., Any], *args: Any, sizes: Mapping[str, int] | None = None, **kwargs: Any
) -> Trace:
    """Call the function (or module) and note every tensor or array that a local name is bound to.

    Names in other functions of the same file get that function's name in front. Parameters of a module come
    first. `sizes` names the numbers in shapes ({"batch": 2, "seq": 5}); each needs another number.
    """
    named = dict(sizes or {})
    if len(set(named.values())) != len(named):
        raise ValueError("sizes that are equal cannot be told apart in a shape: choose different numbers")
    code = _code(function)
    watch = _Watch(code)
    before = sys.gettrace()
    sys.settrace(watch)
    try:
        result = function(*args, **kwargs)
    finally:
        sys.settrace(before)
    parameters = getattr(function, "named_parameters", lambda: ())()
    own = [_made(name, value, "parameter") for name, value in parameters]
    end = [_made(name, value, "return value") for name, value in _arrays("result", result)]
    return Trace((*own, *watch.made, *end), result, named)


def _code(function: Callable[..., Any]) -> CodeType:
    """The code of a function, of a method, of a module's forward, or of what makes an object callable."""
    plain = unwrap(function)
    for candidate in (plain, getattr(plain, "forward", None), vars(type(plain)).get("__call__")):
        if isinstance(code := getattr(candidate, "__code__", None), CodeType):
            return code
    raise TypeError(f"{function!r} is not written in Python, so its names cannot be seen")


class _Watch:
    """For `sys.settrace`: looks at the local names in the functions of one file after each line."""

    def __init__(self, code: CodeType) -> None:
        self.made: list[Made] = []
        self._code = code
        self._seen: dict[FrameType, dict[str, Any]] = {}
        self._lines: dict[FrameType, int] = {}

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != self._code.co_filename or frame.f_code.co_name.startswith("<"):
            return None
        self._seen[frame] = {}
        self._note(frame, "argument")
        self._lines[frame] = frame.f_lineno
        return self._local

    def _local(self, frame: FrameType, event: str, argument: Any) -> Any:
        line = linecache.getline(frame.f_code.co_filename, self._lines[frame]).strip()
        self._note(frame, line.partition("  # ")[0])
        self._lines[frame] = frame.f_lineno
        if event == "return":
            del self._seen[frame], self._lines[frame]
        return self._local

    def _note(self, frame: FrameType, line: str) -> None:
        seen = self._seen[frame]
        prefix = "" if frame.f_code is self._code else f"{frame.f_code.co_name}: "
        for name, bound in frame.f_locals.items():
            for full, value in _arrays(name, bound):
                state = _state(value)
                if seen.get(full) != state:
                    seen[full] = state
                    self.made.append(_made(prefix + full, value, line))


def _arrays(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The tensors and arrays in a value: itself, or the items of a tuple, list or dict of a few."""
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        yield name, value
    elif isinstance(value, tuple | list) and len(value) <= 8:
        for i, item in enumerate(value):
            yield from _arrays(f"{name}[{i}]", item)
    elif isinstance(value, dict) and len(value) <= 16:
        for key, item in value.items():
            yield from _arrays(f"{name}[{key!r}]", item)


def _state(value: Any) -> Any:
    """Changes when another object is meant, or when its values were written to."""
    version = getattr(value, "_version", None)
    return (id(value), version if version is not None else value.tobytes())


def _tuple(items: list[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _made(name: str, value: Any, line: str) -> Made:
    kept = value.detach().clone() if hasattr(value, "detach") else value.copy()
    return Made(name, tuple(value.shape), str(value.dtype).removeprefix("torch."), line, kept)
