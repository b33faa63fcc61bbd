"""Which tensors a function makes, in their order, from a real run: their names, shapes and values."""

import linecache
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import unwrap
from types import CodeType, FrameType
from typing import Any

from grader.show.cards import Card, table
from grader.worker.tracing.bindings import Bindings, arrays


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
    made: list[Made] = []

    def bound(frame: FrameType, name: str, value: Any, line: int | None) -> None:
        prefix = "" if frame.f_code is code else f"{frame.f_code.co_name}: "
        text = "argument" if line is None else linecache.getline(code.co_filename, line).strip()
        made.append(_made(prefix + name, value, text.partition("  # ")[0]))

    with Bindings(code.co_filename, bound):
        result = function(*args, **kwargs)
    parameters = getattr(function, "named_parameters", lambda: ())()
    own = [_made(name, value, "parameter") for name, value in parameters]
    end = [_made(name, value, "return value") for name, value in arrays("result", result)]
    return Trace((*own, *made, *end), result, named)


def _code(function: Callable[..., Any]) -> CodeType:
    """The code of a function, of a method, of a module's forward, or of what makes an object callable."""
    plain = unwrap(function)
    for candidate in (plain, getattr(plain, "forward", None), vars(type(plain)).get("__call__")):
        if isinstance(code := getattr(candidate, "__code__", None), CodeType):
            return code
    raise TypeError(f"{function!r} is not written in Python, so its names cannot be seen")


def _tuple(items: list[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _made(name: str, value: Any, line: str) -> Made:
    kept = value.detach().clone() if hasattr(value, "detach") else value.copy()
    return Made(name, tuple(value.shape), str(value.dtype).removeprefix("torch."), line, kept)
