"""What a topic asks to be callable, and whether a submission's own functions can be called so."""

import inspect
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any

Signatures = dict[str, dict[str, list[list[Any]]]]
"""What a topic requires: for every name its callables ("" for a function; "__init__", "forward"… for a
class), each with its parameters as [name, required]."""


_OTHER_KINDS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def plain_names(function: Any) -> list[str] | None:
    """The names of the arguments of a function or a method of an object, as `inspect.signature` would find
    them in a twentieth of the time. None where an argument is of another kind than most, or where somebody
    has a word on the signature.
    """
    own = function.__func__ if type(function) is MethodType else function
    if type(own) is not FunctionType or own.__dict__.keys() & {"__signature__", "__wrapped__"}:
        return None
    code = own.__code__
    if code.co_posonlyargcount or code.co_kwonlyargcount or code.co_flags & _OTHER_KINDS:
        return None
    names = code.co_varnames[: code.co_argcount]
    return None if own is not function and not names else list(names[own is not function :])


def renamed(function: Callable[..., Any], names: Sequence[str], *, is_method: bool = False) -> dict[str, str]:
    """The function's own names by the stub's, where it takes as many arguments in the stub's order and calls
    some of them otherwise; or more, if all that have a default are called as in the stub or come after its
    arguments. Empty where it does not, or where a name of the stub's stands in another place.

    `is_method`: its first parameter is the object.
    """
    own_names = plain_names(function)
    if own_names is None or len(own_names) != len(names) + is_method:
        try:
            parameters = list(inspect.signature(function, follow_wrapped=False).parameters.values())
        except (ValueError, TypeError):
            return {}
        parameters = parameters[is_method:]
        if any(each.kind is not each.POSITIONAL_OR_KEYWORD for each in parameters):
            return {}
        own_names = [each.name for each in parameters]
        if len(parameters) > len(names) and any(
            own.name != name and own.default is not own.empty
            for own, name in zip(parameters, names, strict=False)
        ):
            return {}
    else:
        own_names = own_names[is_method:]
    if len(own_names) < len(names):
        return {}
    pairs = {name: own for name, own in zip(names, own_names, strict=False) if name != own}
    return {} if (set(pairs.values()) | set(own_names[len(names) :])) & set(names) else pairs


def takes_any(function: Callable[..., Any], *, is_method: bool = False) -> bool:
    """Whether `*args` is all that it takes, as what a decorator makes may be: no argument has a name."""
    if plain_names(function) is not None:
        return False
    try:
        parameters = list(inspect.signature(function, follow_wrapped=False).parameters.values())
    except (ValueError, TypeError):
        return False
    return [each.kind for each in parameters[is_method:]] == [inspect.Parameter.VAR_POSITIONAL]


def mismatch(value: Any, method: str, parameters: list[list[Any]]) -> str | None:
    """Why a call that the stub allows would not fit, None when each fits."""
    if method and not isinstance(value, type):
        return None  # a factory instead of a class: what it makes is seen when it is used
    function = getattr(value, method, None) if method else value
    if function is None:
        return f"the method {method} is missing"
    try:
        signature = inspect.signature(function, follow_wrapped=False)
    except (ValueError, TypeError):
        return None  # a callable without a readable signature: its calls will tell
    arguments: list[Any] = (
        [None] if method and not isinstance(_as_it_stands(value, method), staticmethod) else []
    )
    names = [name for name, _ in parameters]
    required = [name for name, needed in parameters if needed]
    try:
        signature.bind(*arguments, *[None] * len(names))
        signature.bind(*arguments, *[None] * len(required))
        is_method = bool(arguments)
        # Without names only what stands in order can be given: optional ones may leave gaps.
        in_order = required == names and takes_any(function, is_method=is_method)
        if not in_order and not renamed(function, names, is_method=is_method):
            signature.bind(*arguments, **dict.fromkeys(names))
    except TypeError as error:
        return _in_words(signature, names, bool(arguments)) or str(error)
    return None


def _as_it_stands(kind: type, name: str) -> Any:
    """The attribute as it stands in the class, before binding."""
    return inspect.getattr_static(kind, name, None)


def _in_words(signature: inspect.Signature, names: list[str], is_method: bool) -> str | None:
    """The argument that differs, in words."""
    theirs = list(signature.parameters.values())[1 if is_method else 0 :]
    own_names = [p.name for p in theirs]
    missing = [name for name in names if name not in own_names]
    extra = [
        p.name for p in theirs if p.name not in names and p.default is p.empty and p.kind < p.VAR_POSITIONAL
    ]
    shown = ", ".join(names)
    if missing and extra:
        return f"the argument {extra[0]} should be called {missing[0]} (arguments: {shown})"
    if missing:
        return f"the argument {missing[0]} is missing (arguments: {shown})"
    if extra:
        return f"the argument {extra[0]} is not in the stub and has no default (arguments: {shown})"
    if [name for name in own_names if name in names] != names:
        return f"the arguments stand in another order than in the stub: {shown}"
    unnamed = [p.name for p in theirs if p.kind is p.POSITIONAL_ONLY]
    if unnamed:
        return f"the argument {unnamed[0]} cannot be given by its name"
    needed = [p.name for p in theirs if p.default is p.empty]
    return f"the argument {needed[-1]} needs its default" if needed else None
