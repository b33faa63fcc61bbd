"""A topic's checks, read: their test functions with their cases, the known mistakes, what is forbidden.

Check files are pytest files and run under pytest too. The judge calls their functions itself: the same
functions, cases and arguments, without the 40 ms that a pytest session takes and the hooks it would open.
"""

import importlib.util
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from grader.curriculum.catalog import Topic
from grader.kit.generators import Rng
from grader.kit.handles import Submission
from grader.kit.measured import Measured
from grader.kit.mistakes import Mistake
from grader.worker.walls.builtins.families import BUILTINS

_OF_META = ("grader.kit.rules.devices", '"meta"')
"""One of these is in the text of every file whose checks use the meta device."""


@dataclass(frozen=True)
class Case:
    """One call of a test function: its parameters and the seed of what it draws."""

    parameters: dict[str, Any]
    seed: str


@dataclass(frozen=True)
class CheckFunction:
    """One check: a test function of the file. `title` is what it states, `seconds` its own time limit, if
    any.
    """

    name: str
    title: str
    function: FunctionType
    cases: tuple[Case, ...]
    seconds: float | None


@dataclass(frozen=True)
class CheckFile:
    """What the judge needs of a topic's checks. `workload` measures a typical call, for the cost of an
    answer; `ladder` is a check whose cases are small enough to follow by hand, the smallest first.
    """

    checks: tuple[CheckFunction, ...]
    mistakes: tuple[Mistake, ...]
    forbidden: tuple[str, ...]
    uses_meta: bool
    workload: Callable[[Submission, Rng], Measured] | None
    ladder: CheckFunction | None = None


def read_checks(topic: Topic) -> CheckFile:
    """The checks of a topic; read again when the file has changed."""
    mistakes = topic.mistakes
    return _read(topic.checks, *mistakes, changed=tuple(_changed(path) for path in (topic.checks, *mistakes)))


def _changed(path: Path) -> int:
    return path.stat().st_mtime_ns


@lru_cache(maxsize=256)
def _read(path: Path, *mistakes: Path, changed: tuple[int, ...]) -> CheckFile:
    module = _imported(path)
    shared = _marks(getattr(module, "pytestmark", []))
    forbidden = tuple(name for mark in shared if mark.name == "forbid" for name in mark.args)
    if unknown := set(forbidden) - BUILTINS.keys():
        raise ValueError(f"{path}: forbid() does not know {', '.join(sorted(unknown))}")
    checks = tuple(_check(function, shared) for function in _test_functions(module))
    return CheckFile(
        checks,
        tuple(mistake for file in mistakes for mistake in _imported(file).MISTAKES),
        forbidden,
        any(word in path.read_text(encoding="utf-8") for word in _OF_META),
        getattr(module, "workload", None),
        _ladder(module),
    )


def case_seed(name: str, indices: dict[str, int]) -> str:
    """What seeds the draws of a case: the check's name, and which of its parameters it has."""
    return f"{name}{sorted(indices.items())}"


def drawn_anew(case: str, seed: int) -> str:
    """What seeds the draws of the case with this seed of its own in a second round."""
    return f"{case} again {seed}"


def _imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"grader.topics.{path.parent.name}.{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _test_functions(module: ModuleType) -> Iterator[FunctionType]:
    for name, value in vars(module).items():
        if name.startswith("test_") and isinstance(value, FunctionType):
            yield value


def _ladder(module: ModuleType) -> CheckFunction | None:
    """`smallest(submission, rng, …)` with each entry of LADDER for what comes after the first two."""
    function = getattr(module, "smallest", None)
    if function is None:
        return None
    names = list(inspect.signature(function).parameters)[2:]
    cases = (Case(dict(zip(names, sizes, strict=True)), f"smallest{sizes}") for sizes in module.LADDER)
    return CheckFunction("smallest", (function.__doc__ or "").strip(), function, tuple(cases), None)


def _check(function: FunctionType, shared: list[pytest.Mark]) -> CheckFunction:
    marks = _marks(getattr(function, "pytestmark", []))
    title = " ".join((function.__doc__ or function.__name__).strip().partition("\n\n")[0].split())
    seconds = [mark.args[0] for mark in (*marks, *shared) if mark.name == "seconds"]
    cases = tuple(_cases(function.__name__, [mark for mark in marks if mark.name == "parametrize"]))
    return CheckFunction(function.__name__, title, function, cases, seconds[0] if seconds else None)


def _marks(marks: Any) -> list[pytest.Mark]:
    listed = marks if isinstance(marks, list) else [marks]
    return [mark.mark if isinstance(mark, pytest.MarkDecorator) else mark for mark in listed]


def _cases(name: str, marks: list[pytest.Mark]) -> Iterator[Case]:
    """The product of all parametrizations, in pytest's order: the decorator next to the function varies
    last.
    """
    combined: list[tuple[dict[str, Any], dict[str, int]]] = [({}, {})]
    for mark in marks:
        names, values = mark.args[:2]
        keys = [key.strip() for key in names.split(",")] if isinstance(names, str) else list(names)
        combined = [
            (
                parameters | dict(zip(keys, _values(entry, keys), strict=True)),
                indices | dict.fromkeys(keys, i),
            )
            for parameters, indices in combined
            for i, entry in enumerate(values)
        ]
    for parameters, indices in combined:
        yield Case(parameters, case_seed(name, indices))


def _values(entry: Any, keys: list[str]) -> tuple[Any, ...]:
    if hasattr(entry, "values") and hasattr(entry, "marks"):  # made by pytest.param
        return tuple(entry.values)
    return (entry,) if len(keys) == 1 else tuple(entry)
