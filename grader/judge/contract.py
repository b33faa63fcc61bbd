"""What a submission must define: read off the solution, whose signatures are the stub's."""

import ast
from typing import Any

from grader.worker.loading import Signatures


def required(solution: str) -> Signatures:
    """The public functions and classes of a solution, with the parameters of every public callable.

    Code between `# given` and `# end given` is the grader's own and not asked for.
    """
    given = _given_lines(solution)
    names: Signatures = {}
    for node in ast.parse(solution).body:
        if isinstance(node, ast.FunctionDef) and _is_asked(node, given):
            names[node.name] = _callable("", node)
        elif isinstance(node, ast.ClassDef) and _is_asked(node, given):
            names[node.name] = {}
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.lineno not in given:
                    names[node.name] |= _callable(method.name, method)
    return names


def _is_asked(node: ast.FunctionDef | ast.ClassDef, given: set[int]) -> bool:
    return not node.name.startswith("_") and node.lineno not in given


def _callable(name: str, node: ast.FunctionDef) -> dict[str, list[list[Any]]]:
    """The parameters by name, empty for what has to be judged by its calls alone (properties, `*args`)."""
    private = name.startswith("_") and name != "__init__"
    if private or node.decorator_list or node.args.vararg or node.args.kwonlyargs or node.args.kwarg:
        return {}
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    optional = len(node.args.defaults)
    parameters: list[list[Any]] = [[each, i < len(names) - optional] for i, each in enumerate(names)]
    return {name: parameters[1:] if name else parameters}


def _given_lines(source: str) -> set[int]:
    inside, lines = False, set()
    for number, line in enumerate(source.splitlines(), 1):
        mark = line.strip()
        if mark == "# given":
            inside = True
        elif mark == "# end given":
            inside = False
        elif inside:
            lines.add(number)
    return lines
