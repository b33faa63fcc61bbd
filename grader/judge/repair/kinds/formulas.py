"""Changes of operators, roots, masks and conditions."""

import ast
from collections.abc import Iterator

from grader.judge.repair.change import LIKELY, RARE, USUAL, Change, exchanged, named
from grader.judge.repair.scope import Function
from grader.judge.slips.kinds import NUMBER, SIZE
from grader.judge.slips.opposites import COMPARISONS, OPERATORS, WORDS
from grader.judge.slips.slip import FORMULA, STEP
from grader.judge.slips.source_text import SourceText, nodes

_OTHER_SIGNS: dict[type[ast.AST], tuple[tuple[str, str], ...]] = {
    **{kind: (pair,) for kind, pair in COMPARISONS.items()},
    **{kind: (pair,) for kind, pair in OPERATORS.items()},
    ast.Add: (("+", "-"), ("+", "*")),
    ast.Div: (("/", "*"), ("/", "//")),
    ast.Mult: (("*", "/"), ("*", "+"), ("*", "**")),
    ast.FloorDiv: (("//", "%"), ("//", "/")),
    ast.Mod: (("%", "//"),),
    ast.Eq: (("==", "!="),),
    ast.NotEq: (("!=", "=="),),
    ast.And: (("and", "or"),),
    ast.Or: (("or", "and"),),
}
_OF_MASKS = ("mask", "keep", "pad", "valid", "allowed", "visible", "blocked")
_ROOTS = ("sqrt", "rsqrt")


def signs(text: SourceText, function: Function) -> Iterator[Change]:
    """Another comparison or operator; one side of it alone; both exchanged; no sign."""
    for node in nodes(function.node):
        if isinstance(node, ast.UnaryOp):
            yield exchanged(text, node, [text.edit(node, f"({text.of(node.operand)})")], USUAL, FORMULA)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from _other_sign(text, node, node.ops[0], node.left, node.comparators[0])
        elif isinstance(node, ast.BoolOp) and len(node.values) == 2:
            yield from _other_sign(text, node, node.op, *node.values)
        elif isinstance(node, ast.BinOp):
            left, right = text.of(node.left), text.of(node.right)
            yield from _other_sign(text, node, node.op, node.left, node.right)
            for side in (left, right):
                yield exchanged(text, node, [text.edit(node, f"({side})")], RARE, FORMULA)
            if not isinstance(node.op, ast.Add | ast.Mult):
                edits = [text.edit(node.left, f"({right})"), text.edit(node.right, f"({left})")]
                yield exchanged(text, node, edits, USUAL, FORMULA)


def _other_sign(
    text: SourceText, node: ast.expr, sign: ast.AST, left: ast.expr, right: ast.expr
) -> Iterator[Change]:
    for old, new in _OTHER_SIGNS.get(type(sign), ()):
        if text.between(left, right).count(old) == 1:
            id = f"{WORDS.get(old, old)}-for-{WORDS.get(new, new)}"
            yield exchanged(text, node, [text.edit_sign(old, new, left, right)], USUAL, FORMULA, id)


def roots(text: SourceText, function: Function) -> Iterator[Change]:
    """A factor's root or square; what is added before a root, or after it."""
    for node in nodes(function.node):
        match node:
            case ast.BinOp(ast.Call(ast.Attribute(inner, name)), ast.Add(), right) if name in _ROOTS:
                new = f"({text.of(inner)} + {text.of(right)}).{name}()"
                yield exchanged(text, node, [text.edit(node, new)], LIKELY, FORMULA)
            case ast.Call(ast.Attribute(ast.BinOp(left, ast.Add(), right), name)) if name in _ROOTS:
                new = f"(({text.of(left)}).{name}() + {text.of(right)})"
                yield exchanged(text, node, [text.edit(node, new)], USUAL, FORMULA)
            case ast.BinOp(_, ast.Mult() | ast.Div(), right):
                for power in ("0.5", "2"):
                    edit = text.edit(right, f"({text.of(right)}) ** {power}")
                    yield exchanged(text, node, [edit], RARE)


def factors(text: SourceText, function: Function) -> Iterator[Change]:
    """A number of the function's as a factor that is missing, or in the place of another factor."""
    numbers = [name for name, kind in function.kinds.items() if kind == NUMBER]
    sizes = [name for name, kind in function.kinds.items() if kind == SIZE]
    for node in nodes(function.node):
        is_factor = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div)
        factor = node.right if is_factor else None  # type: ignore[attr-defined]
        if factor is not None and not isinstance(factor, ast.Name | ast.Attribute | ast.Constant):
            for new in (*numbers, *sizes, *(f"(1 - {name})" for name in numbers)):
                yield exchanged(text, node, [text.edit(factor, new)], RARE, FORMULA)
    for statement in ast.walk(function.node):
        if isinstance(statement, ast.Assign | ast.Return) and isinstance(statement.value, ast.expr):
            value = text.of(statement.value)
            for name in () if isinstance(statement.value, ast.Tuple | ast.Constant) else numbers:
                for sign, how in (("*", "times"), ("/", "divided by")):
                    says = f"It is not {how} `{name}`. With that, all checks pass."
                    edit = text.edit(statement.value, f"({value}) {sign} {name}")
                    yield Change(statement.lineno, named("no", name), says, FORMULA, [edit], RARE)


def opposites(text: SourceText, function: Function) -> Iterator[Change]:
    """The opposite of a mask or a condition; a matrix transposed, or not."""
    for node in nodes(function.node):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if function.kinds.get(node.id) == "mask" or any(word in node.id for word in _OF_MASKS):
                yield exchanged(text, node, [text.edit(node, f"(~{node.id})")], LIKELY, STEP)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            for side in (node.left, node.right):
                for turned in ("mT", "T"):
                    yield exchanged(text, node, [text.edit(side, f"({text.of(side)}).{turned}")], USUAL)
        elif isinstance(node, ast.Attribute) and node.attr in ("T", "mT", "H"):
            yield exchanged(text, node, [text.edit(node, text.of(node.value))], USUAL)
        elif isinstance(node, ast.IfExp):
            yield exchanged(text, node, [text.edit(node.test, f"not ({text.of(node.test)})")], USUAL)
