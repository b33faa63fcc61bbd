"""Reading a source once: all that is asked of its text is asked of the same tree."""

import ast
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from grader.curriculum.parsing import parsed

T = TypeVar("T")
SOURCES = 256
"""So many are remembered: the solutions of all topics, and the answer that is looked at."""
TREES = 8
"""So many of their trees: one takes a MiB."""


def of_source(read: Callable[[str], T]) -> Callable[[str], T]:
    """A function of a source that remembers what it gave, which is to have nothing of the tree, and which
    nobody is to change.
    """
    return lru_cache(maxsize=SOURCES)(read)


@lru_cache(maxsize=TREES)
def tree_of(source: str) -> ast.Module:
    """The source as a tree."""
    return parsed(source)


@lru_cache(maxsize=TREES)
def nodes_of(source: str) -> tuple[ast.AST, ...]:
    """All nodes of a source, those that are further out first."""
    return tuple(ast.walk(tree_of(source)))
