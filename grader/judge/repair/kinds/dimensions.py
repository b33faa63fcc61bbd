"""Changes of dimensions, and of what goes along them."""

import ast
import re
from collections.abc import Iterator
from itertools import combinations

from grader.judge.repair.change import LIKELY, RARE, USUAL, Change, exchanged
from grader.judge.repair.scope import Function
from grader.judge.slips.missing import MODULES
from grader.judge.slips.opposites import ALONG, FUNCTIONS, dimensions_in
from grader.judge.slips.slip import EQUAL
from grader.judge.slips.source_text import SourceText, nodes

DIMENSIONS = (-1, 0, 1, 2, -2, 3, -3)
_FURTHER = (
    *("unsqueeze", "squeeze", "flatten", "transpose", "movedim", "chunk", "split", "unbind", "cat", "stack"),
    *("flip", "roll", "gather", "topk", "argsort", "repeat_interleave", "log_softmax", "logsumexp", "norm"),
)
"""Calls with dimensions anywhere among their arguments."""


def dimensions(text: SourceText, function: Function) -> Iterator[Change]:
    """Another dimension; a reduction over one where it is over all, or that keeps it."""
    for node in nodes(function.node):
        for place in dimensions_in(node):
            for new in DIMENSIONS:
                yield exchanged(text, node, [text.edit(place, str(new))], LIKELY, EQUAL)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, end = node.func.attr, text.end(node) - 1
        told = [*node.args, *(each.value for each in node.keywords if each.arg in ("dim", "axis"))]
        for place in told if name in ALONG else ():
            if isinstance(place, ast.Tuple):
                for part in place.elts:
                    yield exchanged(text, node, [text.edit(place, text.of(part))], USUAL, EQUAL)
        if name in _FURTHER:
            for place in node.args:
                if re.fullmatch(r"-?\d", text.of(place)):
                    for new in DIMENSIONS:
                        yield exchanged(text, node, [text.edit(place, str(new))], USUAL, EQUAL)
        if name in FUNCTIONS and not node.args and not node.keywords:
            for given in ("0", "-1", "-1, keepdim=True", "0, keepdim=True"):
                yield exchanged(text, node, [(end, end, given)], USUAL, EQUAL)
        elif name in ALONG and not any(each.arg == "keepdim" for each in node.keywords):
            given = "keepdims" if text.source.startswith("np", text.start(node)) else "keepdim"
            yield exchanged(text, node, [(end, end, f", {given}=True")], RARE)
        if name in ("var", "std", "var_mean", "std_mean") and text.source[end - 1] not in "(,":
            for given in ("correction=0", "correction=1"):
                yield exchanged(text, node, [(end, end, f", {given}")], USUAL)


def einsum_letters(text: SourceText, function: Function) -> Iterator[Change]:
    """Two letters of a term exchanged, or one that is another one."""
    for node in nodes(function.node):
        if not isinstance(node, ast.Call) or text.of(node.func).partition(".")[0] not in MODULES:
            continue
        for said in node.args[:1]:
            is_said = isinstance(said, ast.Constant) and isinstance(said.value, str) and "->" in said.value
            if is_said and not re.search(r"\\|\n", text.of(said)):
                yield from _of_letters(text, said)


def _of_letters(text: SourceText, node: ast.expr) -> Iterator[Change]:
    begin, code = text.start(node), text.of(node)
    letters = sorted(set(re.findall(r"[A-Za-z]", code)))
    for term in re.finditer(r"[A-Za-z]+", code):
        for one, two in combinations(range(*term.span()), 2):
            edits = [(begin + one, begin + one + 1, code[two]), (begin + two, begin + two + 1, code[one])]
            yield exchanged(text, node, edits, USUAL, EQUAL)
        for place in range(*term.span()):
            for new in letters:
                yield exchanged(text, node, [(begin + place, begin + place + 1, new)], RARE, EQUAL)
