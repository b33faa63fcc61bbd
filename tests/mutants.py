"""Mechanical mutants of a source: one small change each, and the lines that it changed."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from grader.judge.slips.source_text import SourceText

_OPERATORS = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.FloorDiv: ("//", "+"),
}
_COMPARISONS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
}


@dataclass(frozen=True)
class Mutant:
    """A changed source, what was done to it, and the statement's lines that were changed (from, to)."""

    source: str
    kind: str
    first: int
    last: int
    what: str


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of the bodies and signatures in a source."""
    text = _Text(source)
    tree = ast.parse(source)
    skipped = {id(inner) for node in ast.walk(tree) for inner in _not_code(node)}
    for statement in ast.walk(tree):
        if isinstance(statement, ast.FunctionDef):
            yield from _of_defaults(text, statement)
        if not isinstance(statement, ast.stmt) or isinstance(
            statement, ast.Raise | ast.Import | ast.ImportFrom
        ):
            continue
        if id(statement) in skipped:
            continue
        for node in _own_expressions(statement):
            for kind, start, end, new in _changes(text, node):
                yield text.mutant(kind, statement, start, end, new)
        yield from _dropped(text, statement)


def _not_code(node: ast.AST) -> Iterator[ast.AST]:
    """Docstrings."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and node.body:
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            yield first


def _own_expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, but not those of the statements in it, nor of signatures."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AnnAssign):
        return
    left = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)]
    while left:
        node = left.pop()
        yield node
        left += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _changes(text: "_Text", node: ast.AST) -> Iterator[tuple[str, int, int, str]]:
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        old, new = _OPERATORS[type(node.op)]
        start = text.find(old, text.end(node.left), text.start(node.right))
        yield "operator", start, start + len(old), new
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
        old, new = _COMPARISONS[type(node.ops[0])]
        start = text.find(old, text.end(node.left), text.start(node.comparators[0]))
        yield "comparison", start, start + len(old), new
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        if isinstance(node.value, bool):
            yield "constant", text.start(node), text.end(node), str(not node.value)
        elif isinstance(node.value, int):
            yield "constant", text.start(node), text.end(node), str(node.value + 1)
            if node.value:
                yield "constant", text.start(node), text.end(node), "0"
        else:
            yield "constant", text.start(node), text.end(node), repr(node.value * 10)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Invert):
        yield "sign", text.start(node), text.end(node), text.of(node.operand)
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
            yield "dropped call", text.start(node), text.end(node), text.of(node.func.value)
        elif node.args:
            yield "dropped call", text.start(node), text.end(node), f"({text.of(node.args[0])})"
        if len(node.args) > 1 and not any(isinstance(arg, ast.Starred) for arg in node.args):
            one, two = node.args[:2]
            both = text.between(one, two)
            swapped = f"{text.of(two)}{both}{text.of(one)}"
            yield "swapped", text.start(one), text.end(two), swapped
        for keyword in node.keywords:
            if keyword.arg in ("dtype", "device", "generator"):
                continue
            if len(node.args) + len(node.keywords) > 1 and isinstance(
                keyword.value, ast.Constant | ast.UnaryOp
            ):
                start = text.start(keyword)
                before = text.source.rfind(",", 0, start)
                if before > text.start(node):
                    yield "keyword", before, text.end(keyword), ""
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        yield "swapped", text.start(node), text.end(node), f"{text.of(node.right)} @ {text.of(node.left)}"


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("torch", "math", "np", "F", "nn")


def _of_defaults(text: "_Text", function: ast.FunctionDef) -> Iterator[Mutant]:
    arguments = function.args
    for default in (*arguments.defaults, *arguments.kw_defaults):
        if isinstance(default, ast.Constant) and type(default.value) is float and default.value:
            new = repr(default.value * 10)
            yield text.mutant("default", default, text.start(default), text.end(default), new)


def _dropped(text: "_Text", statement: ast.stmt) -> Iterator[Mutant]:
    """A name that keeps its old value."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        names = {node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)}
        if isinstance(target, ast.Name) and target.id in names:
            yield text.mutant("dropped", statement, text.start(statement), text.end(statement), "pass")
    elif isinstance(statement, ast.AugAssign):
        yield text.mutant("dropped", statement, text.start(statement), text.end(statement), "pass")


class _Text(SourceText):
    """A source whose mutants are made."""

    def mutant(self, kind: str, statement: ast.AST, start: int, end: int, new: str) -> Mutant:
        what = f"{self.source[start:end]!r} -> {new!r}"
        text = self.replaced((start, end, new))
        body = getattr(statement, "body", None)  # of a compound statement its head counts
        last = body[0].lineno - 1 if isinstance(body, list) else statement.end_lineno
        return Mutant(text, kind, statement.lineno, max(last, statement.lineno), what)
