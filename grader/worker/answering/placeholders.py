"""Whether a NotImplementedError stands for missing code, or is what finished code raises."""

import ast
from collections.abc import Sequence

BLANK = "# fill in one statement"
"""Stands behind those that an exercise leaves in a solution's text, wherever that is."""


def is_placeholder(lines: Sequence[str], number: int) -> bool:
    """Whether the `raise` in line `number` (from 1) of a text is there until something else is.

    So it is in a stub: it ends what a function does so far, and nothing was returned before. Under a
    condition, or behind a return, it answers a call that finished code does not support.
    """
    if not 0 < number <= len(lines) or BLANK in lines[number - 1]:
        return True
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, RecursionError, MemoryError):
        return True
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _spans(node, number)
    ]
    if not functions:
        return True
    body = max(functions, key=lambda function: function.lineno).body
    for statement in body:
        if _spans(statement, number):
            return not isinstance(statement, ast.If | ast.Match)
        if any(isinstance(node, ast.Return) for node in ast.walk(statement)):
            return False
    return True


def _spans(node: ast.stmt, number: int) -> bool:
    return node.lineno <= number <= (node.end_lineno or node.lineno)
