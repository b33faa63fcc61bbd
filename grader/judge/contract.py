"""What a submission must define: read off the solution, whose signatures are the stub's."""

import ast
from functools import lru_cache
from typing import Any

from grader.curriculum.exercises.source_lines import SourceLines
from grader.curriculum.parsing import parsed
from grader.worker.answering.signatures import Signatures


@lru_cache(maxsize=256)
def required(solution: str) -> Signatures:
    """The public functions and classes of a solution, with the parameters of every public callable.

    Code between `# given` and `# end given` is the grader's own and not asked for.
    """
    lines = SourceLines(solution)
    names: Signatures = {}
    for node in parsed(solution).body:
        if isinstance(node, ast.FunctionDef) and _is_asked(node, lines):
            names[node.name] = _callable("", node)
        elif isinstance(node, ast.ClassDef) and _is_asked(node, lines):
            names[node.name] = {}
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and not lines.is_given(method):
                    names[node.name] |= _callable(method.name, method)
    return names


def _is_asked(node: ast.FunctionDef | ast.ClassDef, lines: SourceLines) -> bool:
    return not node.name.startswith("_") and not lines.is_given(node)


def _callable(name: str, node: ast.FunctionDef) -> dict[str, list[list[Any]]]:
    """The parameters by name, empty for what has to be judged by its calls alone (properties, `*args`)."""
    private = name.startswith("_") and name != "__init__"
    if private or node.decorator_list or node.args.vararg or node.args.kwonlyargs or node.args.kwarg:
        return {}
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    optional = len(node.args.defaults)
    parameters: list[list[Any]] = [[each, i < len(names) - optional] for i, each in enumerate(names)]
    return {name: parameters[1:] if name else parameters}
