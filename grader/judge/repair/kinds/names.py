"""Changes of a name, an attribute or a word to another one that may be meant."""

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import combinations, groupby

from grader.judge.repair.change import LIKELY, RARE, USUAL, Change, exchanged
from grader.judge.repair.scope import ANY, Function
from grader.judge.slips.kinds import SIZE
from grader.judge.slips.slip import COPIED, EQUAL
from grader.judge.slips.source_text import SourceText, nodes

ALIKE = 0.55
"""Of the letters of two names."""
MOST_EXCHANGED = 6
"""Names in a formula, of which two may have changed places."""


def names(text: SourceText, function: Function) -> Iterator[Change]:
    """Another name: in one place, or in all of a line. Where several lines are to change, it is not one line
    that is wrong.
    """
    uses = [
        (ast.unparse(node), node.lineno, node)
        for node in nodes(function.node)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    ]
    together = list(_unpacked(function.node))
    uses = sorted((use for use in uses if use[0] in function.kinds), key=lambda use: use[:2])
    for old, of_name in groupby(uses, key=lambda use: use[0]):
        everywhere = list(of_name)
        groups = [[node] for _, _, node in everywhere]
        groups += [[use[2] for use in line] for _, line in groupby(everywhere, key=lambda use: use[1])]
        for new in function.rivals(old):
            kinds = {function.kinds[old], function.kinds[new]}
            advice = EQUAL if kinds == {SIZE} else COPIED
            is_near = {old, new} in together or _are_alike(old, new)
            rank = LIKELY if is_near else RARE if ANY in kinds or len(kinds) > 1 else USUAL
            for group in groups:
                edits = [text.edit(node, new) for node in group]
                yield exchanged(text, group[0], edits, rank, advice)


def _unpacked(function: ast.FunctionDef) -> Iterator[set[str]]:
    """Pairs of names that get their values together: `height` and `width` of a shape."""
    for node in ast.walk(function):
        if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Store):
            for pair in combinations(map(ast.unparse, node.elts), 2):
                yield set(pair)


def _are_alike(one: str, other: str) -> bool:
    """Whether one is easily written for the other: `q_len` for `kv_len`, `norm` for `total_norm`."""
    one, other = one.removeprefix("self."), other.removeprefix("self.")
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE


def attributes(text: SourceText, function: Function) -> Iterator[Change]:
    """Another part of an object: `self.norm1.bias` for `self.norm1.weight`."""
    within = function.owner or function.node
    found = [each for each in ast.walk(within) if isinstance(each, ast.Attribute)]
    depths = [(len(ast.unparse(each).split(".")), each.attr) for each in found]
    for node in nodes(function.node):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute | ast.Subscript):
            depth = len(ast.unparse(node).split("."))
            for new in dict.fromkeys(attr for other, attr in depths if other == depth):
                if new != node.attr:
                    edit = text.end(node) - len(node.attr), text.end(node), new
                    yield exchanged(text, node, [edit], USUAL, COPIED)


def words(text: SourceText, function: Function) -> Iterator[Change]:
    """Another of the words that the function has in quotes; one of them for a name that is given on."""
    found = [node for node in nodes(function.node) if _is_word(node)]
    said = list(dict.fromkeys(text.of(node) for node in found))
    for node in found:
        for new in said:
            if new != text.of(node):
                yield exchanged(text, node, [text.edit(node, new)], LIKELY, COPIED)
    for node in nodes(function.node):
        for keyword in node.keywords if isinstance(node, ast.Call) else ():
            if isinstance(keyword.value, ast.Name):
                for new in said:
                    yield exchanged(text, keyword.value, [text.edit(keyword.value, new)], RARE)


def pairs(text: SourceText, function: Function) -> Iterator[Change]:
    """Two names of a formula in each other's place."""
    for node in nodes(function.node):
        if not isinstance(node, ast.BinOp):
            continue
        inner = [each for each in ast.walk(node) if isinstance(each, ast.Name) and each.id in function.kinds]
        by_name = {each.id: each for each in inner}
        if len(by_name) == len(inner) <= MOST_EXCHANGED:
            for one, two in combinations(inner, 2):
                edits = [text.edit(one, two.id), text.edit(two, one.id)]
                yield exchanged(text, node, edits, USUAL, COPIED)


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
