"""All small changes of an answer, those first that are most likely what it lacks."""

import ast
from collections.abc import Iterator
from itertools import islice

from grader.curriculum.parsing import parsed
from grader.judge.repair.change import Change
from grader.judge.repair.kinds.calls import arguments, copies, functions_called, items
from grader.judge.repair.kinds.dimensions import dimensions, einsum_letters
from grader.judge.repair.kinds.formulas import factors, opposites, roots, signs
from grader.judge.repair.kinds.layouts import counts, inverses, repeats, views
from grader.judge.repair.kinds.left_out import indices, ones, terms, words_left_out
from grader.judge.repair.kinds.names import attributes, names, pairs, words
from grader.judge.repair.kinds.statements import statements
from grader.judge.repair.kinds.twins import branches, twins
from grader.judge.repair.kinds.types import types
from grader.judge.repair.kinds.values import numbers, off_by_one, slices
from grader.judge.repair.scope import functions
from grader.judge.slips.source_text import SourceText

_KINDS = (
    *(names, words, dimensions, arguments, items, signs, off_by_one, attributes, slices, numbers),
    *(opposites, einsum_letters, inverses, views, repeats, counts, functions_called, roots, factors, pairs),
    *(copies, types, statements, twins, branches, terms, indices, words_left_out, ones),
)
LONGEST = 40_000
"""Characters of a source: an answer is a page or two."""
MOST = 20_000
"""Changes that are made: the longest solution has 3,000."""
LINES = 6
"""A change as likely as others is tried as soon as those that are so many lines nearer and less likely."""
AWAY = 2
"""Lines that are added to where what a line reads is made."""
HOPS = 3
"""From what a line reads to where that is made, and on from there."""
FAR = 30
"""Lines: farther away is all the same."""


def changes_of(source: str, solution: str, near: int | None) -> Iterator[tuple[Change, str]]:
    """Each with the source that it makes, and each source once; those first that are likely, and not far
    from the line `near`, or from where what it reads is made. Of the solution its numbers are taken.
    """
    if len(source) > LONGEST:
        return
    text, tree = SourceText(source), parsed(source)
    every = (
        change
        for function in functions(tree, parsed(solution))
        for kind in _KINDS
        for change in kind(text, function)
    )
    found = list(islice(every, MOST))
    distances = {} if near is None else _distances(tree, near)
    made = {source}
    for change in sorted(found, key=lambda change: change.rank * LINES + distances.get(change.line, 0)):
        changed = text.replaced(*change.edits)
        if changed not in made:
            made.add(changed)
            yield change, changed


def _distances(tree: ast.Module, near: int) -> dict[int, int]:
    """Of each line from the nearest of those that matter: the one, and those where what it reads is made."""
    reads: dict[int, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            reads.setdefault(node.lineno, set()).add(ast.unparse(node))
    makers = list(_makers(tree))
    matters = {near: 0}
    for hop in range(1, HOPS + 1):
        read = set().union(*(reads.get(line, ()) for line in matters))
        for line, made in makers:
            if made & read:
                matters.setdefault(line, hop * AWAY)
    last = max((node.end_lineno or 0 for node in tree.body), default=0)
    return {
        line: min(FAR, *(abs(line - other) + away for other, away in matters.items()))
        for line in range(1, last + 1)
    }


def _makers(tree: ast.Module) -> Iterator[tuple[int, set[str]]]:
    """Lines, and the names of what they make; each line of a function or class makes that."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            parts = (each for target in node.targets for each in _parts(target))
            yield node.lineno, {ast.unparse(each) for each in parts}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                yield line, {node.name, f"self.{node.name}"}


def _parts(target: ast.expr) -> list[ast.expr]:
    return target.elts if isinstance(target, ast.Tuple) else [target]
