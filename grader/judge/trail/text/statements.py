"""The statements of a source: what a line of one reads, binds and belongs to."""

import ast

from grader.judge.trail.text.parsing import nodes_of, of_source, tree_of

STATEMENTS = ast.Assign | ast.AugAssign | ast.Return | ast.Expr
"""The simple ones that compute something."""


@of_source
def reads_by_line(source: str) -> dict[int, set[str]]:
    """For every line of a statement the names, and attributes of self, that the statement reads."""
    reads: dict[int, set[str]] = {}
    for node in nodes_of(source):
        if isinstance(node, STATEMENTS):
            names = {_read(inner) for inner in ast.walk(node)}
            if isinstance(node, ast.AugAssign):
                names.add(ast.unparse(node.target))
            for line in _lines(node):
                reads.setdefault(line, set()).update(name for name in names if name)
    return reads


def read_for(source: str, line: int) -> set[str]:
    """The names that a line's statement reads, and those that earlier lines of its function read for them."""
    reads = reads_by_line(source)
    found = set(reads.get(line, ()))
    for earlier in range(line - 1, function_around(source, line) or 0, -1):
        if found & _bound_by_line(source).get(earlier, set()):
            found |= reads.get(earlier, set())
    return found


@of_source
def _bound_by_line(source: str) -> dict[int, set[str]]:
    """For every line of an assignment the names that it gives values."""
    bound: dict[int, set[str]] = {}
    for node in nodes_of(source):
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
            for line in _lines(node):
                bound.setdefault(line, set()).update(names)
    return bound


@of_source
def _begins(source: str) -> dict[int, int]:
    """For every line of a simple statement the line where that begins."""
    return {
        line: node.lineno
        for node in nodes_of(source)
        if isinstance(node, STATEMENTS)
        for line in _lines(node)
    }


def in_one_statement(source: str, line: int, other: int | None) -> bool:
    """Whether two lines are of one statement."""
    begins = _begins(source)
    return line == other or (line in begins and begins[line] == begins.get(other or 0))


def function_around(source: str, line: int) -> int | None:
    """The line where the innermost function around a line begins; None outside of all functions."""
    return max((lines.start for lines in _functions(source) if line in lines), default=None)


@of_source
def _functions(source: str) -> tuple[range, ...]:
    """The lines of every function, also of those in classes and in functions."""
    return tuple(_lines(node) for node in nodes_of(source) if isinstance(node, ast.FunctionDef))


def name_around(source: str, line: int) -> str:
    """The name of the innermost definition around a line, as in `definitions`; empty outside of all."""
    place = _decorated(source).get(line, line)
    around = [(lines.start, name) for name, lines in definitions(source).items() if place in lines]
    return max(around, default=(0, ""))[1]


@of_source
def definitions(source: str) -> dict[str, range]:
    """The lines of every function and class, and of the methods, by their names: `Class.method`."""
    found: dict[str, range] = {}
    for node in tree_of(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = _lines(node)
            for inner in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(inner, ast.FunctionDef):
                    found[f"{node.name}.{inner.name}"] = _lines(inner)
    return found


@of_source
def _decorated(source: str) -> dict[int, int]:
    """For every line of a decorator that where the function or class begins which it is of."""
    return {
        line: node.lineno
        for node in nodes_of(source)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        for each in node.decorator_list
        for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)
    }


def constructor_around(source: str, line: int) -> range:
    """The lines of the constructor of the class around a line; none outside of all classes."""
    return next((inner for lines, inner in _constructors(source) if line in lines), range(0))


@of_source
def _constructors(source: str) -> tuple[tuple[range, range], ...]:
    """The lines of every class that has a constructor, and the constructor's."""
    return tuple(
        (_lines(node), _lines(inner))
        for node in tree_of(source).body
        if isinstance(node, ast.ClassDef)
        for inner in node.body
        if isinstance(inner, ast.FunctionDef) and inner.name == "__init__"
    )


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _read(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        return ast.unparse(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return f"{node.func.id}()"
    return None
