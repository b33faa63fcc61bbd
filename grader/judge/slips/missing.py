"""Slips in which something is left out or taken as another value: a call, a sign, a branch, an argument."""

import ast
from collections.abc import Iterator

from grader.judge.slips.kinds import Kinds
from grader.judge.slips.slip import FORMULA, STEP, Slip
from grader.judge.slips.source_text import SourceText, nodes

MODULES = ("torch", "math", "np", "F", "nn", "dist", "heapq", "random", "itertools")
_SIGNS: dict[type[ast.unaryop], tuple[str, str]] = {ast.USub: ("-", "minus"), ast.Invert: ("~", "tilde")}
LONGEST = 40
"""Characters of a condition that is quoted."""


def calls(text: SourceText, function: ast.FunctionDef, _: Kinds) -> Iterator[Slip]:
    """A call that is not made: what it is made on, or its first argument, stays as it is."""
    for node in nodes(function):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        is_method = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) not in MODULES
        if is_method and ast.unparse(node.func.value) not in ("self", "super()"):  # type: ignore[attr-defined]
            left = text.of(node.func.value)  # type: ignore[attr-defined]
        elif node.args and not isinstance(node.args[0], ast.Starred) and not name[:1].isupper():
            left = f"({text.of(node.args[0])})"
        else:
            continue
        yield Slip(f"no-{name}", f"a call of `{name}` is missing", STEP, [text.edit(node, left)])


def numbers(text: SourceText, function: ast.FunctionDef, _: Kinds) -> Iterator[Slip]:
    """Another number beside the right one; a sign left out; True for False."""
    for node in nodes(function):
        if isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
            sign, name = _SIGNS[type(node.op)]
            edit = text.edit(node, text.of(node.operand))
            yield Slip(f"no-{name}", f"a `{sign}` is missing", FORMULA, [edit])
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            value = node.value
            others = [not value] if isinstance(value, bool) else [value + 1, value - 1]
            for other in others:
                what = f"{other} stands in the place of {value}"
                yield Slip(f"{other}-for-{value}", what, FORMULA, [text.edit(node, str(other))])


def arguments(text: SourceText, function: ast.FunctionDef, _: Kinds) -> Iterator[Slip]:
    """The first two of a call exchanged; one that is given by its name left out."""
    for node in nodes(function):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        if len(node.args) > 1 and not any(isinstance(each, ast.Starred) for each in node.args[:2]):
            one, two = node.args[:2]
            edits = [text.edit(one, text.of(two)), text.edit(two, text.of(one))]
            what = f"the first two arguments of `{name}` are exchanged"
            yield Slip(f"{name}-exchanged", what, STEP, edits)
        for keyword in node.keywords:
            start = text.start(keyword)
            before = text.source.rfind(",", text.start(node), start)
            if keyword.arg is not None and not text.source[before + 1 : start].strip():
                what = f"`{keyword.arg}` is not given to `{name}`"
                yield Slip(f"no-{keyword.arg}", what, STEP, [(before, text.end(keyword), "")])


def branches(text: SourceText, function: ast.FunctionDef, kinds: Kinds) -> Iterator[Slip]:
    """A condition that is always taken for true, or for false."""
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.IfExp) and not _only_raises(node):
            condition = text.of(node.test)
            names = {each.id for each in ast.walk(node.test) if isinstance(each, ast.Name)} - {"self"}
            is_quoted = len(condition) <= LONGEST and names <= {*kinds, "torch", "math"}
            of_what = f"`if {condition}`" if is_quoted else "an `if`"
            for value, when in (("False", "never"), ("True", "always")):
                what = f"what stands under {of_what} is {when} done"
                yield Slip(f"{when}-done", what, STEP, [text.edit(node.test, value)])


def _only_raises(node: ast.If | ast.IfExp) -> bool:
    return isinstance(node, ast.If) and all(isinstance(each, ast.Raise) for each in node.body)
