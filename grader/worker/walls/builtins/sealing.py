"""Functions that are refused before they exist: in the compiled text of a module that is about to run.

While a module is imported, other code of an answer may run (a thread, a timer, what hears of collected
garbage), and it could copy a function that is only taken away afterwards.
"""

import inspect
from collections.abc import Callable
from types import CodeType
from typing import Any

Refused = Callable[[str], Callable[..., Any] | None]
"""What is to be called instead of the function of this name (or `Class.method`); None if it stays."""

_PLACE = "what is called instead"
_UNLIKE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Kinds of functions whose call does not run them."""


def _template() -> Any:
    return "what is called instead".__call__()  # type: ignore[operator]


def sealed(code: CodeType, refused: Refused, outer: str = "") -> CodeType:
    """The code of a module (or of a class, `outer`) whose refused functions do nothing else."""
    parts = (
        _sealed_part(item, refused, outer) if isinstance(item, CodeType) else item for item in code.co_consts
    )
    return code.replace(co_consts=tuple(parts))


def is_sealed(code: CodeType) -> bool:
    """Whether a function with this code is refused already."""
    return code.co_filename == __file__


def _sealed_part(code: CodeType, refused: Refused, outer: str) -> CodeType:
    name = f"{outer}{code.co_name}"
    if not code.co_flags & inspect.CO_OPTIMIZED:  # the body of a class
        return sealed(code, refused, f"{name}.")
    function = refused(name)
    return code if function is None else _calling(function, code)


def _calling(function: Callable[..., Any], old: CodeType) -> CodeType:
    """Code that calls this, with the old one's name and parameters: decorators look at them."""
    new = _template.__code__
    return new.replace(
        co_consts=tuple(function if item == _PLACE else item for item in new.co_consts),
        co_name=old.co_name,
        co_qualname=old.co_qualname,
        co_argcount=old.co_argcount,
        co_posonlyargcount=old.co_posonlyargcount,
        co_kwonlyargcount=old.co_kwonlyargcount,
        co_varnames=old.co_varnames,
        co_nlocals=old.co_nlocals,
        co_cellvars=old.co_cellvars,
        co_freevars=old.co_freevars,
        co_flags=old.co_flags & ~_UNLIKE,
    )
