"""Changes of statements: too early, too late, one too many, in place, under a condition."""

import ast
from collections.abc import Iterator, Sequence

from grader.judge.repair.change import LONGEST, RARE, USUAL, Change, exchanged, in_one_line, named
from grader.judge.repair.kinds.calls import SHARING
from grader.judge.repair.scope import Function
from grader.judge.slips.slip import STEP
from grader.judge.slips.source_text import Edit, SourceText

ADDING = "`index_add_`, or `index_put_` with accumulate=True, and `np.add.at` add each."
NEXT = 3
"""Statements that one is moved over, at most."""
_MOVED = (ast.Assign, ast.AugAssign, ast.Expr, ast.If)
_OPERATORS = {
    **{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**"},
    **{ast.FloorDiv: "//", ast.Mod: "%", ast.BitAnd: "&", ast.BitOr: "|"},
}
_OPPOSITE = {"+": "-", "-": "+", "*": "/", "/": "*"}


def statements(text: SourceText, function: Function) -> Iterator[Change]:
    """All of them."""
    for body in _bodies(function.node):
        for place, node in enumerate(body):
            yield from _alone(text, node)
            for other in body[place + 1 : place + 1 + NEXT]:
                yield from _order(text, node, other)
            if isinstance(node, ast.For | ast.While | ast.If):
                yield from _around(text, node, body[:place][-1:], body[place + 1 :][:1])


def _bodies(function: ast.FunctionDef) -> Iterator[Sequence[ast.stmt]]:
    for node in ast.walk(function):
        for field in ("body", "orelse"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                yield [each for each in body if not _is_documentation(each)]


def _is_documentation(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _alone(text: SourceText, node: ast.stmt) -> Iterator[Change]:
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
        yield _change(node, "one too many", "Without it, all checks pass.", [text.edit(node, "pass")], RARE)
    if isinstance(node, ast.If):
        yield exchanged(text, node.test, [text.edit(node.test, f"not ({text.of(node.test)})")], USUAL, STEP)
        for value, when in (("False", "never"), ("True", "always")):
            condition = in_one_line(text.of(node.test))
            of_what = f"`if {condition}`" if len(condition) <= LONGEST else "the `if`"
            says = f"Where what stands under {of_what} is {when} done, all checks pass."
            yield _change(node, f"{when} {condition}", says, [text.edit(node.test, value)])
    if isinstance(node, ast.With):
        last = node.items[-1].optional_vars or node.items[-1].context_expr
        code = in_one_line(text.source[text.start(node) : text.end(last)])
        edit = text.start(node), text.end(last), "if True"
        yield _change(node, code.removeprefix("with "), f"Without `{code}`, all checks pass.", [edit])
    if isinstance(node, ast.AugAssign):
        yield from _in_place(text, node)
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and not isinstance(node.targets[0], ast.Tuple):
        target, value = text.of(node.targets[0]), text.of(node.value)
        for sign in "+-":
            yield _instead(text, node, f"{target} {sign}= {value}", RARE)
        yield _instead(text, node, f"{target} = max({target}, {value})", RARE)


def _in_place(text: SourceText, node: ast.AugAssign) -> Iterator[Change]:
    target, value = text.of(node.target), text.of(node.value)
    sign = _OPERATORS.get(type(node.op))
    if sign is not None:
        inner = f"({value})" if isinstance(node.value, ast.BinOp | ast.IfExp) else value
        says = f"`{sign}=` changes `{in_one_line(target)}` in place. Without that, all checks pass."
        edit = text.edit(node, f"{target} = {target} {sign} {inner}")
        yield Change(node.lineno, named(_made(node), "in place"), says, SHARING, [edit], USUAL)
    yield _instead(text, node, f"{target} = {value}", RARE)
    if sign in _OPPOSITE:
        yield _instead(text, node, f"{target} {_OPPOSITE[sign]}= {value}", USUAL)
    if sign == "+" and isinstance(node.target, ast.Subscript) and not _is_slice(node.target.slice):
        array, index = text.of(node.target.value), text.of(node.target.slice)
        adding = (
            f"{array}.index_put_(({index},), {value}, accumulate=True)",
            f"np.add.at({array}, {index}, {value})",
        )
        for new in adding:
            says = "What has the same index twice is added once. Where each is added, all checks pass."
            yield Change(node.lineno, "added-once", says, ADDING, [text.edit(node, new)], USUAL)


def _is_slice(index: ast.expr) -> bool:
    return any(isinstance(each, ast.Slice) for each in ast.walk(index))


def _instead(text: SourceText, node: ast.stmt, new: str, rank: int) -> Change:
    return exchanged(text, node, [text.edit(node, new)], rank, STEP)


def _order(text: SourceText, first: ast.stmt, second: ast.stmt) -> Iterator[Change]:
    """One of two behind or before the other."""
    if isinstance(first, _MOVED):
        says = f"It comes too early. Behind line {second.end_lineno}, all checks pass."
        yield _change(first, "too early", says, [text.edit(first, "pass"), _behind(text, second, first)])
    if isinstance(second, _MOVED):
        says = f"It comes too late. Before line {first.lineno}, all checks pass."
        yield _change(second, "too late", says, [_before(text, first, second), text.edit(second, "pass")])


def _around(
    text: SourceText,
    node: ast.For | ast.While | ast.If,
    before: Sequence[ast.stmt],
    after: Sequence[ast.stmt],
) -> Iterator[Change]:
    """Into what is done again and again, or under a condition, and out of it."""
    first, last = node.body[0], node.body[-1]
    if len(node.body) > 1 and isinstance(last, _MOVED):
        says = f"Behind what begins in line {node.lineno}, and not in it, all checks pass."
        yield _change(last, "inside", says, [text.edit(last, "pass"), _behind(text, node, last)])
    for other in after:
        if isinstance(other, _MOVED):
            says = f"At the end of what begins in line {node.lineno}, all checks pass."
            yield _change(other, "outside", says, [_behind(text, last, other), text.edit(other, "pass")])
    for other in before:
        if isinstance(other, _MOVED):
            says = f"At the beginning of what stands under line {node.lineno}, all checks pass."
            yield _change(other, "outside", says, [text.edit(other, "pass"), _before(text, first, other)])


def _behind(text: SourceText, place: ast.stmt, moved: ast.stmt) -> Edit:
    end = text.end(place)
    return end, end, f"\n{' ' * place.col_offset}{_moved(text, moved, place)}"


def _before(text: SourceText, place: ast.stmt, moved: ast.stmt) -> Edit:
    start = text.start(place)
    return start, start, f"{_moved(text, moved, place)}\n{' ' * place.col_offset}"


def _moved(text: SourceText, moved: ast.stmt, place: ast.stmt) -> str:
    """Its text, as far to the right as that of the place."""
    return text.of(moved).replace(f"\n{' ' * moved.col_offset}", f"\n{' ' * place.col_offset}")


def _made(node: ast.stmt) -> str:
    """What a statement makes, or does."""
    match node:
        case ast.Assign(targets=[target, *_]) | ast.AugAssign(target=target):
            return ast.unparse(target)
        case ast.Expr(value=ast.Call(func=function)):
            return ast.unparse(function)
    return type(node).__name__.lower()


def _change(node: ast.stmt, how: str, says: str, edits: list[Edit], rank: int = USUAL) -> Change:
    return Change(node.lineno, named(_made(node), how), says, STEP, edits, rank)
