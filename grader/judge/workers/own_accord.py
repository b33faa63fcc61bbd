"""What torch loads of its own accord, sooner or later, for what an answer uses."""

import ast
from functools import lru_cache

from grader.curriculum.parsing import parsed
from grader.worker.torch_import import Part

_COMPILED = ({"optim"}, {"compile"}, {"_dynamo"}, {"utils", "checkpoint"})
"""For whatever uses all names of one of these, it loads its compiler."""
_ANNOTATIONS = frozenset(("annotation", "returns"))


@lru_cache(maxsize=64)
def of_its_own_accord(text: str) -> Part:
    """What that may be."""
    try:
        names = _used_names(parsed(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # it is not Python
        names = set()
    return Part.SHAPES | (Part.DYNAMO if any(each <= names for each in _COMPILED) else Part(0))


def _used_names(tree: ast.Module) -> set[str]:
    """The names that code uses: not those in its annotations, where stubs have optimizers."""
    for node in ast.walk(tree):
        for field in _ANNOTATIONS & vars(node).keys():
            setattr(node, field, None)
    names = set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                names.add(name)
            case ast.Import() | ast.ImportFrom():
                modules = [getattr(node, "module", None) or "", *(each.name for each in node.names)]
                names.update(".".join(modules).split("."))
    return names
