"""Changes of numbers and slices."""

import ast
from collections.abc import Iterator

from grader.judge.repair.change import LIKELY, RARE, USUAL, Change, exchanged
from grader.judge.repair.scope import ANY, Function
from grader.judge.slips.kinds import NUMBER, SIZE
from grader.judge.slips.slip import FORMULA, ONE
from grader.judge.slips.source_text import SourceText, nodes

_USUAL_NUMBERS = ("0.0", "1.0", 'float("-inf")', 'float("inf")')


def numbers(text: SourceText, function: Function) -> Iterator[Change]:
    """Another number: beside the one that stands there, or one of the solution's; True for False; a size or
    a counter where it is always the same.
    """
    sizes = [name for name, kind in function.kinds.items() if kind == SIZE]
    for node in nodes(function.node):
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield exchanged(text, node, [text.edit(node, str(not node.value))], USUAL)
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            for other in (node.value + 1, node.value - 1):
                yield exchanged(text, node, [text.edit(node, str(other))], USUAL, ONE)
        elif isinstance(node, ast.Constant) and isinstance(node.value, float):
            for known in sorted(function.numbers - {node.value}):
                yield exchanged(text, node, [text.edit(node, repr(known))], USUAL, FORMULA)
            for new in (*_USUAL_NUMBERS, repr(node.value * 2), repr(node.value / 2)):
                yield exchanged(text, node, [text.edit(node, new)], RARE, FORMULA)
        elif isinstance(node, ast.Subscript):
            items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            for item in items:
                if isinstance(item, ast.Constant) and isinstance(item.value, int):
                    for name in sizes:
                        yield exchanged(text, node, [text.edit(item, name)], USUAL)


def off_by_one(text: SourceText, function: Function) -> Iterator[Change]:
    """One more or less, or the rest up to one."""
    for node in nodes(function.node):
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        kind = function.kinds.get(ast.unparse(node))
        if kind in (NUMBER, ANY):
            edit = text.edit(node, f"(1 - {text.of(node)})")
            yield exchanged(text, node, [edit], LIKELY if kind else RARE, FORMULA)
        if kind in (SIZE, ANY):
            for sign in "+-":
                edit = text.edit(node, f"({text.of(node)} {sign} 1)")
                yield exchanged(text, node, [edit], USUAL if kind else RARE, ONE)


def slices(text: SourceText, function: Function) -> Iterator[Change]:
    """Another end of a slice, or none; what is not cut at all."""
    for node in nodes(function.node):
        if not isinstance(node, ast.Subscript):
            continue
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for item in items:
            if isinstance(item, ast.Slice) and item.step is None:
                for new in _other_slices(text, item, function):
                    yield exchanged(text, node, [text.edit(item, new)], USUAL, ONE)
        yield exchanged(text, node, [text.edit(node, text.of(node.value))], RARE)


def _other_slices(text: SourceText, node: ast.Slice, function: Function) -> Iterator[str]:
    low = text.of(node.lower) if node.lower else ""
    high = text.of(node.upper) if node.upper else ""
    if low.startswith("-"):
        yield from (f"{low[1:]}:", f":{low[1:]}")
        yield from (f"{name}:" for name, kind in function.kinds.items() if kind in (SIZE, ANY))
    if high.startswith("-"):
        yield f"{high[1:]}:"
    if low and not high:
        yield from (f":{low}", f"-({low}):", f"({low}) + 1:", f"({low}) - 1:", f":-({low})")
    elif high and not low:
        yield from (f"{high}:", f":({high}) + 1", f":({high}) - 1", f":-({high})", f"-({high}):")
    elif low:
        yield from (f"max({low}, 0):{high}", f"({low}) + 1:({high}) + 1", f"({low}) - 1:({high}) - 1")
        yield from (f"{low}:({high}) + 1", f"({low}) + 1:{high}")
