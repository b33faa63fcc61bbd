"""Changes of layouts and orders: what is viewed in another order, repeated otherwise, or sorted back."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from grader.judge.repair.change import CHANGED, RARE, USUAL, Change, exchanged, named
from grader.judge.repair.scope import Function
from grader.judge.slips.missing import MODULES
from grader.judge.slips.slip import EQUAL, STEP
from grader.judge.slips.source_text import SourceText, nodes

_VIEWS = ("view", "reshape", "flatten", "ravel")
_TURNS = ("mT", "T", "transpose(0, 1)", "transpose(1, 2)")
_BY_INDEX = ("gather", "index_select", "take_along_dim", "take_along_axis", "take", "scatter", "index_copy")
_REPEATS = {"repeat_interleave": "repeat", "repeat": "tile"}
"""Functions of torch and of NumPy that repeat each, and what repeats the whole."""
INVERSE = "What a sort has put in order goes back by the inverse of its permutation, which is its argsort."


def views(text: SourceText, function: Function) -> Iterator[Change]:
    """Something turned before it is viewed; two sizes of a view in the other order."""
    for node in nodes(function.node):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr not in _VIEWS or text.of(node.func.value) in MODULES:
            continue
        for turn in _TURNS:
            edit = text.edit(node.func.value, f"{text.of(node.func.value)}.{turn}")
            yield exchanged(text, node, [edit], RARE, EQUAL)
        if not any(isinstance(each, ast.Starred) for each in node.args):
            yield from _other_order(text, node)


def _other_order(text: SourceText, node: ast.Call) -> Iterator[Change]:
    sizes = node.args[0].elts if len(node.args) == 1 and isinstance(node.args[0], ast.Tuple) else node.args
    for place, (one, two) in enumerate(pairwise(sizes)):
        turn = f".swapaxes({place}, {place + 1})"
        edits = [text.edit(one, text.of(two)), text.edit(two, text.of(one))]
        edits.append((text.end(node), text.end(node), turn))
        says = f"`{text.of(one)}` comes before `{text.of(two)}` in a view, and belongs behind it. {CHANGED}"
        yield Change(node.lineno, named(text.of(one), "before", text.of(two)), says, EQUAL, edits, USUAL)


def repeats(text: SourceText, function: Function) -> Iterator[Change]:
    """The whole repeated where each is, and the other way round."""
    for node in nodes(function.node):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
            continue
        name, module = node.func.attr, text.of(node.func.value)
        if module in ("torch", "np", "numpy") and name in _REPEATS and len(node.args) > 1:
            array, times = text.of(node.args[0]), text.of(node.args[1])
            whole = f"({array}).repeat({times})" if module == "torch" else f"{module}.tile({array}, {times})"
            yield exchanged(text, node, [text.edit(node, whole)], USUAL, STEP)
        elif module in ("np", "numpy") and name == "tile":
            end = text.end(node.func)
            yield exchanged(text, node, [(end - len(name), end, "repeat")], USUAL, STEP)


def inverses(text: SourceText, function: Function) -> Iterator[Change]:
    """The inverse of a permutation; a roll the other way."""
    for node in nodes(function.node):
        within: list[ast.expr] = []
        if isinstance(node, ast.Subscript):
            within = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            within = [*node.args, *(each.value for each in node.keywords)] if name in _BY_INDEX else []
            if name == "roll":
                for shift in (*node.args, *(each.value for each in node.keywords if each.arg == "shifts")):
                    yield exchanged(text, node, [text.edit(shift, f"-({text.of(shift)})")], RARE, STEP)
        for each in within:
            if isinstance(each, ast.Name | ast.Attribute):
                for given in ("", "-1"):
                    edit = text.edit(each, f"{text.of(each)}.argsort({given})")
                    says = f"`{text.of(each)}` stands where its inverse belongs. {CHANGED}"
                    yield Change(
                        node.lineno, named("no inverse of", text.of(each)), says, INVERSE, [edit], USUAL
                    )


def counts(text: SourceText, function: Function) -> Iterator[Change]:
    """Counted from 1 where it is from 0, and the other way round."""
    for node in nodes(function.node):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("range", "arange"):
            plain = [each for each in node.args if not isinstance(each, ast.Starred)]
            if len(plain) == 1:
                new = f"1, {text.of(plain[0])} + 1"
                yield exchanged(text, node, [text.edit(plain[0], new)], RARE)
            elif len(plain) == 2 and text.of(plain[0]) == "1":
                end = re.sub(r"\s*\+\s*1$", "", text.of(plain[1]))
                edit = text.start(plain[0]), text.end(plain[1]), end
                yield exchanged(text, node, [edit], RARE)
