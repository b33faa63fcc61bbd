"""Arguments under other names than the stub's: an answer may call them as it likes, in the stub's order."""

import inspect
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from grader.worker.answering.signatures import Signatures, renamed, takes_any


class OwnNames:
    """What the callables of a submission call the stub's arguments."""

    def __init__(self, module: ModuleType, required: Signatures) -> None:
        self._module = module
        self._required = required
        self._made: dict[int, str] = {}

    def forget(self) -> None:
        """The objects of a check are gone."""
        self._made.clear()

    def remember(self, target: Sequence[Any], value: object) -> None:
        """Calling the target has made this object."""
        if target[0] == "name" and "" not in self._required.get(target[1], {"": []}):
            self._made[id(value)] = target[1]

    def of(self, target: Sequence[Any], function: Callable[..., Any]) -> dict[str, str]:
        """The own names of a target (see `Host`) by the stub's, where they differ."""
        if target[0] == "name":
            return self._of(target[1], "__init__" if isinstance(function, type) else "", function)
        kind = self._made.get(id(target[0]), "")
        method = target[1] if len(target) > 1 else "forward"
        return self._of(kind, method, function if len(target) > 1 else getattr(function, "forward", function))

    def adapted(self, target: Sequence[Any], function: Callable[..., Any]) -> Callable[..., Any]:
        """The target, to be called by the stub's names."""
        names = self.of(target, function)
        return Renamed(function, names) if names else self.in_order(target, function)

    def in_order(self, target: Sequence[Any], function: Callable[..., Any]) -> Callable[..., Any]:
        """The target; where it is a function that takes `*args` alone, to be called by the stub's names."""
        if target[0] != "name" or isinstance(function, type) or not takes_any(function):
            return function
        parameters = self._required.get(target[1], {}).get("", [])
        return InOrder(function, [name for name, _ in parameters]) if parameters else function

    def answer(self) -> ModuleType:
        """The module for a function of the check's, which calls things by the stub's names."""
        own = {name: vars(self._module)[name] for name in self._required if name in vars(self._module)}
        changed = {
            name: adapted
            for name, value in own.items()
            if (adapted := self.adapted(["name", name], value)) is not value
        }
        if not changed:
            return self._module
        answer = ModuleType(self._module.__name__)
        vars(answer).update(vars(self._module), **changed)
        return answer

    def _of(self, name: str, method: str, function: Any) -> dict[str, str]:
        parameters = self._required.get(name, {}).get(method)
        if not parameters:
            return {}
        callable_of = function.__init__ if method == "__init__" else function
        return renamed(callable_of, [each for each, _ in parameters], is_method=method == "__init__")


class Renamed:
    """A callable that is called by the stub's names. Its attributes are the callable's."""

    def __init__(self, function: Callable[..., Any], names: dict[str, str]) -> None:
        self._function = function
        self._names = names
        self.__self__ = getattr(function, "__self__", function)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **{self._names.get(name, name): value for name, value in kwargs.items()})


class InOrder(Renamed):
    """A callable without names of its own: what comes by the stub's `names` is passed on in that order."""

    def __init__(self, function: Callable[..., Any], names: list[str]) -> None:
        super().__init__(function, {})
        self._order = names
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, *(kwargs[name] for name in self._order[len(args) :]))
