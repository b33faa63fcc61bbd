"""Running the submission's file once, and finding what the topic asks for in it."""

import ast
import inspect
import linecache
import sys
from types import ModuleType
from typing import Any

from grader.worker.answering.failures import Source

Signatures = dict[str, dict[str, list[list[Any]]]]
"""What a topic requires: for every name its callables ("" for a function; "__init__", "forward"… for a
class), each with its parameters as [name, required]."""


def parse(source: Source, text: str) -> tuple[ast.Module | None, dict[str, Any]]:
    """The syntax tree, or None and what keeps the text from being Python (`line`, `column`, `message`,
    `text`).
    """
    try:
        # Under no file's name: Python would open that to quote from it. All syntax errors come up here.
        compile(text, "<submission>", "exec")
        return ast.parse(text), {}
    except SyntaxError as error:
        line = max(error.lineno or 1, 1)
        quoted = (error.text or source.line(line)).rstrip("\n")
        return None, {"line": line, "column": max(error.offset or 1, 1), "message": error.msg, "text": quoted}
    except (RecursionError, MemoryError):
        return None, {"line": 1, "column": 1, "message": "nested too deeply", "text": source.line(1)}


def remember(path: str, text: str) -> None:
    """Let what quotes or compiles source find the submission's, whose file cannot be read in here."""
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)


def is_empty(tree: ast.Module) -> bool:
    """Nothing but docstrings and comments."""
    return all(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in tree.body)


def run(tree: ast.Module, name: str, path: str) -> ModuleType:
    """The module made by running the tree. It stands in `sys.modules` before: dataclasses look there."""
    module = ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    exec(compile(tree, path, "exec"), module.__dict__)
    return module


def problems(module: ModuleType, required: Signatures, tree: ast.Module) -> list[dict[str, Any]]:
    """What is missing or cannot be called as the topic's stub says; empty when all is there.

    Each problem is `{"name", "kind": "missing" | "not_callable" | "signature", …}`.
    """
    found: list[dict[str, Any]] = []
    for name, callables in required.items():
        value = vars(module).get(name)
        if value is None:
            found.append({"kind": "missing", "name": name, "defined": _defined(tree)})
        elif not callable(value):
            found.append({"kind": "not_callable", "name": name, "type": type(value).__name__})
        else:
            found += [
                {"kind": "signature", "name": f"{name}.{method}" if method else name, "problem": problem}
                for method, parameters in callables.items()
                if (problem := _mismatch(value, method, parameters)) is not None
            ]
    return found


def _defined(tree: ast.Module) -> list[str]:
    """Names that the file itself gives to functions, classes and values at its top level."""
    names: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
    return names


def _mismatch(value: Any, method: str, parameters: list[list[Any]]) -> str | None:
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
    arguments: list[Any] = [None] if method and not isinstance(vars_of(value, method), staticmethod) else []
    names = [name for name, _ in parameters]
    required = [name for name, needed in parameters if needed]
    try:
        signature.bind(*arguments, *[None] * len(names))
        signature.bind(*arguments, *[None] * len(required))
        signature.bind(*arguments, **dict.fromkeys(names))
    except TypeError as error:
        return _in_words(signature, names, bool(arguments)) or str(error)
    return None


def vars_of(kind: type, name: str) -> Any:
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
