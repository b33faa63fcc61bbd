"""Running the submission's file once, and finding what the topic asks for in it."""

import ast
import linecache
import sys
from types import ModuleType
from typing import Any

from grader.worker.answering.failures import Source
from grader.worker.answering.signatures import Signatures, mismatch


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
                if (problem := mismatch(value, method, parameters)) is not None
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
