"""Tables of numbers at the top of a file: whether one of them is the solution's, but for some numbers."""

import ast
import math
from collections.abc import Iterator

from grader.judge.trail.text.parsing import of_source, tree_of


def table_line(reads: set[str], solution: str, own: str) -> int | None:
    """The line of a number in a table that these names are read for, where the solution has a table of as
    many numbers, most of which are the same, and another number in its place.
    """
    right = [numbers for _, numbers in _tables(solution)]
    for name, numbers in _tables(own):
        if name not in reads:
            continue
        for other in right:
            wrong = [
                line
                for (value, line), (wanted, _) in zip(numbers, other, strict=False)
                if not math.isclose(value, wanted, rel_tol=1e-6)
            ]
            if len(numbers) == len(other) and 0 < len(wrong) < len(numbers) / 2:
                return wrong[0]
    return None


@of_source
def _tables(source: str) -> tuple[tuple[str, list[tuple[float, int]]], ...]:
    """The names that are given several numbers at the top of a file, and these with their lines."""
    found = []
    for node in tree_of(source).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            numbers = [*_numbers(node.value)]
            if isinstance(target, ast.Name) and len(numbers) > 2:
                found.append((target.id, numbers))
    return tuple(found)


def _numbers(node: ast.expr) -> Iterator[tuple[float, int]]:
    """All numbers in an expression, in their order, with their signs."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield from ((-value, line) for value, line in _numbers(node.operand))
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        assert isinstance(node.value, int | float)
        yield float(node.value), node.lineno
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from _numbers(child)
