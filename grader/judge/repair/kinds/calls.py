"""Changes of calls: another function, other arguments, one call more or less."""

import ast
from collections.abc import Iterator
from itertools import combinations

from grader.judge.repair.change import (
    CHANGED,
    ELSE,
    LIKELY,
    LONGEST,
    RARE,
    USUAL,
    Change,
    exchanged,
    in_one_line,
    named,
)
from grader.judge.repair.scope import Function
from grader.judge.slips.missing import MODULES
from grader.judge.slips.opposites import FUNCTIONS
from grader.judge.slips.slip import COPIED, EQUAL, FORMULA, STEP
from grader.judge.slips.source_text import Edit, SourceText, nodes

_PAIRS = (
    *FUNCTIONS.items(),
    *(("repeat", "repeat_interleave"), ("repeat_interleave", "repeat"), ("tril", "triu"), ("triu", "tril")),
    *(("transpose", "movedim"), ("movedim", "transpose"), ("round", "floor"), ("floor", "round")),
    *(("any", "all"), ("all", "any"), ("log", "log2"), ("log2", "log"), ("zeros", "ones"), ("ones", "zeros")),
    *(("append", "appendleft"), ("pop", "popleft"), ("popleft", "pop"), ("append", "extend")),
    *(("relu6", "relu"), ("leaky_relu", "relu"), ("hardtanh", "tanh"), ("hardsigmoid", "sigmoid")),
    *(("index_copy_", "index_add_"), ("index_copy", "index_add")),
    *(("scatter_", "scatter_add_"), ("scatter", "scatter_add")),
    *((name, name[:-1]) for name in ("add_", "mul_", "sub_", "div_", "masked_fill_", "clamp_", "copy_")),
)
RANKS = "`argsort` of `argsort` gives the ranks."
SHARING = "Does it share its memory with something that goes on being used?"
_SHARED = ("detach", "expand", "contiguous", "view", "reshape", "unsqueeze", "transpose")
"""Calls whose result may be what they are called on, or a view of it."""


def functions_called(text: SourceText, function: Function) -> Iterator[Change]:
    """Another function; one that is not to be called; indices of a sort for ranks."""
    for node in nodes(function.node):
        if isinstance(node, ast.Attribute | ast.Name):
            name = node.attr if isinstance(node, ast.Attribute) else node.id
            for new in (new for old, new in _PAIRS if old == name):
                end = text.end(node)
                yield exchanged(text, node, [(end - len(name), end, new)], USUAL, FORMULA)
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and text.of(node.func.value) not in (*MODULES, "super()"):
                yield _idle(node, text.edit(node, text.of(node.func.value)))
            if node.args and not isinstance(node.args[0], ast.Starred):
                yield _idle(node, text.edit(node, f"({text.of(node.args[0])})"))
            if _name(node) == "argsort":
                given = ", ".join(text.of(each) for each in node.keywords if each.arg in ("dim", "axis"))
                says = f"`argsort` gives the place of each rank, not the rank of each place. {CHANGED}"
                edit = text.edit(node, f"{text.of(node)}.argsort({given})")
                yield Change(node.lineno, "places-for-ranks", says, RANKS, [edit], USUAL)
            yield from _repeated(text, node)


def arguments(text: SourceText, function: Function) -> Iterator[Change]:
    """Two exchanged; one given by its name that is not to be, or that another such call has; a number that
    is to be no less than zero.
    """
    calls = [node for node in nodes(function.node) if isinstance(node, ast.Call)]
    for node in calls:
        if not any(isinstance(each, ast.Starred) for each in node.args):
            for one, two in combinations(node.args, 2):
                yield _swapped(text, one, two)
        yield from _without(text, node)
        for other in calls:
            if other is not node and ast.unparse(other.func) == ast.unparse(node.func):
                yield from _with_those_of(text, node, other)
        if _name(node) in ("slice", "range") and node.args:
            edit = text.edit(node.args[0], f"max({text.of(node.args[0])}, 0)")
            yield exchanged(text, node, [edit], RARE)


def _without(text: SourceText, node: ast.Call) -> Iterator[Change]:
    for keyword in node.keywords:
        start = text.start(keyword)
        before = text.source.rfind(",", text.start(node), start)
        if keyword.arg is not None and not text.source[before + 1 : start].strip():
            says = f"Without `{keyword.arg}` in the call of `{_name(node)}`, all checks pass."
            edit = before, text.end(keyword), ""
            yield Change(keyword.lineno, f"with-{keyword.arg}", says, STEP, [edit], RARE)


def _with_those_of(text: SourceText, node: ast.Call, other: ast.Call) -> Iterator[Change]:
    given = {keyword.arg for keyword in node.keywords}
    end = max((text.end(each) for each in (*node.args, *node.keywords)), default=None)
    for keyword in other.keywords:
        if end is not None and keyword.arg is not None and keyword.arg not in given:
            says = f"`{keyword.arg}` is not given to `{_name(node)}`. With it, all checks pass."
            edit = end, end, f", {text.of(keyword)}"
            yield Change(node.lineno, f"no-{keyword.arg}", says, COPIED, [edit])


def items(text: SourceText, function: Function) -> Iterator[Change]:
    """Two of a tuple exchanged; the other side of a condition, or a condition that reaches too far."""
    for node in nodes(function.node):
        if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and len(node.elts) < 6:
            for one, two in combinations(node.elts, 2):
                yield _swapped(text, one, two)
        elif isinstance(node, ast.IfExp):
            yield _swapped(text, node.body, node.orelse)
            for side in (node.body, node.orelse):
                yield exchanged(text, node, [text.edit(node, f"({text.of(side)})")], USUAL, STEP)
            if isinstance(node.body, ast.BinOp):
                begin, end = text.start(node.body.right), text.end(node)
                yield exchanged(text, node, [(begin, begin, "("), (end, end, ")")], USUAL)


def copies(text: SourceText, function: Function) -> Iterator[Change]:
    """A copy, where memory is shared or taken to lie in order."""
    for node in nodes(function.node):
        code = text.of(node)
        if isinstance(node, ast.Attribute) and node.attr in ("grad", "data"):
            if isinstance(node.ctx, ast.Load):
                yield _copied(text, node, f"({code} if {code} is None else {code}.clone())")
        elif isinstance(node, ast.Call) and _name(node) in _SHARED:
            yield _copied(text, node, f"{code}.clone()")
        elif isinstance(node, ast.Call) and _name(node) == "as_strided" and node.args:
            array = node.args[0]
            if isinstance(node.func, ast.Attribute) and text.of(node.func.value) not in MODULES:
                array = node.func.value
            says = f"`as_strided` takes `{text.of(array)}` to lie in memory in its order. {CHANGED}"
            edit = text.edit(array, f"{text.of(array)}.contiguous()")
            yield Change(node.lineno, "no-contiguous", says, "Make it contiguous before.", [edit], USUAL)


def _copied(text: SourceText, node: ast.expr, new: str) -> Change:
    code = in_one_line(text.of(node))
    of_what = f"`{code}`" if len(code) <= LONGEST else "the value"
    says = f"With a copy of {of_what}, all checks pass."
    return Change(node.lineno, named("no copy of", code), says, SHARING, [text.edit(node, new)], USUAL)


def _repeated(text: SourceText, node: ast.Call) -> Iterator[Change]:
    """Each repeated where it is the whole that is, along one dimension."""
    if _name(node) != "repeat" or len(node.args) < 2 or not isinstance(node.func, ast.Attribute):
        return
    times = [(place, each) for place, each in enumerate(node.args) if text.of(each) != "1"]
    if len(times) == 1:
        place, each = times[0]
        new = f"{text.of(node.func.value)}.repeat_interleave({text.of(each)}, {place})"
        says = f"`repeat` stands in the place of `repeat_interleave`. {CHANGED}"
        edit = text.edit(node, new)
        yield Change(node.lineno, "repeat-for-repeat_interleave", says, STEP, [edit])


def _swapped(text: SourceText, one: ast.expr, two: ast.expr) -> Change:
    first, second = text.of(one), text.of(two)
    says = f"`{in_one_line(first)}` and `{in_one_line(second)}` have changed places. {CHANGED}"
    if len(first + second) > LONGEST:
        says = ELSE
    edits = [text.edit(one, second), text.edit(two, first)]
    return Change(one.lineno, named(first, "and", second), says, EQUAL, edits, LIKELY)


def _idle(node: ast.Call, edit: Edit) -> Change:
    says = f"Without the call of `{_name(node)}`, all checks pass."
    return Change(node.lineno, f"with-{_name(node)}", says, STEP, [edit], USUAL)


def _name(node: ast.Call) -> str:
    return ast.unparse(node.func).rpartition(".")[2]
