"""Changes of what may have been left out: a term, an index, a dimension of one, a word in a call."""

import ast
from collections.abc import Iterator

from grader.judge.repair.change import RARE, USUAL, Change, exchanged
from grader.judge.repair.scope import ANY, Function
from grader.judge.slips.kinds import SIZE, TENSOR
from grader.judge.slips.slip import EQUAL, ONE, STEP
from grader.judge.slips.source_text import SourceText, nodes

_ADDED = ("bias", "beta", "offset", "shift")
"""Words in the names of what is added."""
_WORDS = {
    "from_pretrained": ("freeze=False",),
    "index_put_": ("accumulate=True",),
    "index_put": ("accumulate=True",),
    "put_": ("accumulate=True",),
    "sort": ("descending=True", "stable=True"),
    "argsort": ("descending=True", "stable=True"),
    "gelu": ('approximate="tanh"',),
    "GELU": ('approximate="tanh"',),
    "triu": ("diagonal=1",),
    "tril": ("diagonal=-1",),
    "backward": ("retain_graph=True",),
    "grad": ("retain_graph=True",),
}
"""What calls are often not given."""
_KEEPING = (
    "gather",
    "take_along_dim",
    "take_along_axis",
    "topk",
    "multinomial",
    "amax",
    "max",
    "min",
    "amin",
)
"""Calls whose results may have a dimension of one."""
_MANY = 3
"""Indices in a function, of which each may be missing elsewhere."""


def terms(text: SourceText, function: Function) -> Iterator[Change]:
    """A size that is to be added to places, a bias to values."""
    sizes = [name for name, kind in function.kinds.items() if kind in (SIZE, ANY)]
    for node in nodes(function.node):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("arange"):
            for name in sizes:
                rank = USUAL if function.kinds[name] == SIZE else RARE
                for sign in "+-":
                    edit = text.edit(node, f"({text.of(node)} {sign} {name})")
                    yield exchanged(text, node, [edit], rank, ONE)
    added = [name for name in function.kinds if any(word in name for word in _ADDED)]
    for statement in ast.walk(function.node):
        if isinstance(statement, ast.Assign | ast.Return) and isinstance(statement.value, ast.expr):
            value = statement.value
            for name in added if isinstance(value, ast.BinOp | ast.Call) else ():
                if name not in text.of(value):
                    edit = text.edit(value, f"({text.of(value)}) + {name}")
                    yield exchanged(text, value, [edit], USUAL, STEP)


def indices(text: SourceText, function: Function) -> Iterator[Change]:
    """An index that other values get, or none of a dimension of one."""
    within = list(nodes(function.node))
    used = [
        text.of(node.slice)
        for node in within
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name | ast.Attribute)
    ]
    found = list(dict.fromkeys(used))[:_MANY]
    taken = {id(node.value) for node in within if isinstance(node, ast.Subscript | ast.Attribute)}
    taken |= {id(node.slice) for node in within if isinstance(node, ast.Subscript)}
    taken |= {id(node.func) for node in within if isinstance(node, ast.Call)}
    for node in within:
        is_read = isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
        if is_read and id(node) not in taken and function.kinds.get(ast.unparse(node)) in (TENSOR, ANY):
            for index in found:
                if text.of(node) != index:
                    edit = text.edit(node, f"{text.of(node)}[{index}]")
                    yield exchanged(text, node, [edit], USUAL, STEP)


def ones(text: SourceText, function: Function) -> Iterator[Change]:
    """A dimension of one, more or less, where what is to be of the same shape is not."""
    for node in nodes(function.node):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _KEEPING:
            for dim in ("-1", "1", "0"):
                edit = text.edit(node, f"{text.of(node)}.squeeze({dim})")
                yield exchanged(text, node, [edit], USUAL, EQUAL)
        elif isinstance(node, ast.BinOp):
            for side in (node.left, node.right):
                if isinstance(side, ast.Name) and function.kinds.get(side.id) in (TENSOR, ANY):
                    for turn in (
                        "unsqueeze(-1)",
                        "squeeze(-1)",
                        "unsqueeze(0)",
                        "unsqueeze(1)",
                        "squeeze(1)",
                    ):
                        edit = text.edit(side, f"{side.id}.{turn}")
                        yield exchanged(text, node, [edit], RARE, EQUAL)


def words_left_out(text: SourceText, function: Function) -> Iterator[Change]:
    """A word that a call is to be given."""
    for node in nodes(function.node):
        if isinstance(node, ast.Call):
            given = {each.arg for each in node.keywords}
            for word in _WORDS.get(ast.unparse(node.func).rpartition(".")[2], ()):
                if word.partition("=")[0] not in given:
                    end = text.end(node) - 1
                    start = ", " if node.args or node.keywords else ""
                    yield exchanged(text, node, [(end, end, f"{start}{word}")], USUAL, STEP)
