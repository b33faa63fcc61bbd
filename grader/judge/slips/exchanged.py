"""Slips in which one thing stands in the place of another: a name, a dimension, an end, an operation."""

import ast
from collections.abc import Iterator
from itertools import groupby

from grader.judge.slips.kinds import SIZE, Kinds
from grader.judge.slips.opposites import COMPARISONS, FUNCTIONS, OPERATORS, WORDS, dimensions_in
from grader.judge.slips.slip import COPIED, EQUAL, FORMULA, ONE, Slip
from grader.judge.slips.source_text import SourceText, expressions, nodes

_DIMENSIONS = (-1, -2, 0, 1)


def names(text: SourceText, function: ast.FunctionDef, kinds: Kinds) -> Iterator[Slip]:
    """One name for another of its kind: in one place, in all of a statement, in all of the function."""
    uses = [
        (ast.unparse(node), statement.lineno, node)
        for statement, node in expressions(function)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    ]
    uses = sorted((use for use in uses if use[0] in kinds), key=lambda use: use[:2])
    for old, of_name in groupby(uses, key=lambda use: use[0]):
        everywhere = list(of_name)
        groups = [[node] for _, _, node in everywhere]
        groups += [[use[2] for use in line] for _, line in groupby(everywhere, key=lambda use: use[1])]
        groups.append([node for _, _, node in everywhere])
        for new in kinds:
            if _plain(new) != _plain(old) and kinds[new] == kinds[old] and not _is_there_twice(new, kinds):
                advice = EQUAL if kinds[old] == SIZE else COPIED
                for group in groups:
                    edits = [text.edit(node, new) for node in group]
                    yield _for(_plain(new), _plain(old), advice, edits)


def dimensions(text: SourceText, function: ast.FunctionDef, _: Kinds) -> Iterator[Slip]:
    """Another dimension than the right one."""
    for node in nodes(function):
        for place in dimensions_in(node):
            old = ast.literal_eval(place)
            for new in _DIMENSIONS:
                if new != old:
                    what = f"dimension {new} stands in the place of dimension {old}"
                    yield Slip(f"dimension-{new}-for-{old}", what, EQUAL, [text.edit(place, str(new))])


def ends(text: SourceText, function: ast.FunctionDef, _: Kinds) -> Iterator[Slip]:
    """One too many or too few."""
    for node in nodes(function):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
            old, new = COMPARISONS[type(node.ops[0])]
            yield _for(new, old, ONE, [text.edit_sign(old, new, node.left, node.comparators[0])])
        elif isinstance(node, ast.BinOp) and _is_one(node.right) and type(node.op) in (ast.Add, ast.Sub):
            what = f"the 1 is missing that belongs behind a `{OPERATORS[type(node.op)][0]}`"
            yield Slip("one-missing", what, ONE, [text.edit(node, text.of(node.left))])
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "range":
            stop = node.args[min(len(node.args) - 1, 1)]
            for sign, when in (("-", "early"), ("+", "late")):
                edit = text.edit(stop, f"({text.of(stop)}) {sign} 1")
                yield Slip(f"loop-too-{when}", f"a loop ends one step too {when}", ONE, [edit])


def formulas(text: SourceText, function: ast.FunctionDef, _: Kinds) -> Iterator[Slip]:
    """The opposite operation."""
    for node in nodes(function):
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            old, new = OPERATORS[type(node.op)]
            yield _for(new, old, FORMULA, [text.edit_sign(old, new, node.left, node.right)])
        elif isinstance(node, ast.Attribute) and node.attr in FUNCTIONS:
            end = text.end(node)
            edit = end - len(node.attr), end, FUNCTIONS[node.attr]
            yield _for(FUNCTIONS[node.attr], node.attr, FORMULA, [edit])


def _for(new: str, old: str, advice: str, edits: list[tuple[int, int, str]]) -> Slip:
    what = f"`{new}` stands in the place of `{old}`"
    return Slip(f"{WORDS.get(new, new)}-for-{WORDS.get(old, old)}", what, advice, edits)


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 1


def _is_there_twice(name: str, kinds: Kinds) -> bool:
    return name.startswith("self.") and _plain(name) in kinds


def _plain(name: str) -> str:
    return name.removeprefix("self.")
