"""Statements that do nothing: a result that is thrown away, a method that is not called, an open place."""

import ast
from collections.abc import Iterator

from grader.judge.trail.text.parsing import nodes_of, of_source

PURE = frozenset(
    (
        *("sub", "mul", "div", "exp", "log", "sqrt", "square", "clamp", "where", "softmax", "log_softmax"),
        *(
            "masked_fill",
            "scatter",
            "scatter_add",
            "index_add",
            "index_copy",
            "index_fill",
            "relu",
            "sigmoid",
        ),
        *("transpose", "permute", "view", "reshape", "unsqueeze", "squeeze", "expand", "contiguous", "clone"),
        *("repeat_interleave", "roll", "flip", "unflatten", "tril", "triu", "cumsum"),
    )
)
"""Methods of tensors that change nothing, of names that no other object's method is likely to have."""


@of_source
def idle_lines(source: str) -> tuple[int, ...]:
    """The lines of functions that compute something, or name it, and do nothing with it."""
    return tuple(
        node.lineno
        for node in _in_functions(source)
        if isinstance(node, ast.Expr) and _is_thrown_away(node.value)
    )


@of_source
def open_lines(source: str) -> tuple[int, ...]:
    """The lines with a `pass` beside other statements, or for all that is done under a condition."""
    found = []
    for node in _in_functions(source):
        blocks = [getattr(node, "body", []), getattr(node, "orelse", [])]
        for block in [block for block in blocks if isinstance(block, list)]:
            alone_for_a_reason = len(block) == 1 and not isinstance(node, ast.If)
            found += [n.lineno for n in block if isinstance(n, ast.Pass) and not alone_for_a_reason]
    return tuple(sorted(found))


def _in_functions(source: str) -> Iterator[ast.AST]:
    seen: set[int] = set()
    for function in nodes_of(source):
        if isinstance(function, ast.FunctionDef) and id(function) not in seen:
            for node in ast.walk(function):
                seen.add(id(node))
                yield node


def _is_thrown_away(value: ast.expr) -> bool:
    if isinstance(value, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp | ast.UnaryOp | ast.Compare):
        return True
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr in PURE
    return False
