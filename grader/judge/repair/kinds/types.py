"""Changes of types: of what is made, and of what is given back."""

import ast
from collections.abc import Iterator

from grader.judge.repair.change import RARE, USUAL, Change, exchanged
from grader.judge.repair.scope import ANY, Function
from grader.judge.slips.kinds import TENSOR
from grader.judge.slips.missing import MODULES
from grader.judge.slips.source_text import SourceText, nodes

_MAKING = ("zeros", "ones", "empty", "full", "tensor", "arange", "linspace", "eye")
TYPE = "What is made without a dtype has the default one."
ARGUMENTS = 2
"""So many of a function's tensors are taken for that whose type is meant."""


def types(text: SourceText, function: Function) -> Iterator[Change]:
    """The type of an argument for a fixed one, or for the default; a Python number as the result."""
    arguments = [each.arg for each in function.node.args.args if each.arg not in ("self", "ctx")]
    tensors = [name for name in arguments if function.kinds.get(name) in (TENSOR, ANY)][:ARGUMENTS]
    for node in nodes(function.node):
        if isinstance(node, ast.Attribute) and node.attr.startswith(("float", "bfloat")):
            if text.of(node).partition(".")[0] in MODULES:
                for name in arguments[:1]:
                    yield exchanged(text, node, [text.edit(node, f"{name}.dtype")], USUAL, TYPE)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _MAKING:
            made = ast.unparse(node.func).rpartition(".")[2]
            if node.args and not any(each.arg == "dtype" for each in node.keywords):
                last = max(text.end(each) for each in (*node.args, *node.keywords))
                for name in tensors:
                    says = f"`{made}` is not given the dtype of `{name}`. With it, all checks pass."
                    edit = last, last, f", dtype={name}.dtype"
                    yield Change(node.lineno, f"no-dtype-in-{made}", says, TYPE, [edit], USUAL)
    for returned in ast.walk(function.node):
        if isinstance(returned, ast.Return) and returned.value is not None:
            for plain in ("int", "float"):
                edit = text.edit(returned.value, f"{plain}({text.of(returned.value)})")
                yield exchanged(text, returned, [edit], RARE)
