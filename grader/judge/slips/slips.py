"""Slips of the hand: small changes of a solution, each with the sentence that says it.

Nobody lists them. They are what remains when no known mistake explains an answer: one size taken for another
that was equal where it was tried, a copied line in which a name was left, another dimension, one step too
many, a call forgotten. Names are only those that stand in the stub as well: the learner knows them.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from grader.curriculum.exercises.source_lines import SourceLines
from grader.curriculum.exercises.stub import stub_of
from grader.curriculum.parsing import parsed
from grader.judge.slips.exchanged import dimensions, ends, formulas, names
from grader.judge.slips.kinds import Kinds, kinds_in_class, kinds_in_function
from grader.judge.slips.missing import arguments, branches, calls, numbers
from grader.judge.slips.slip import Slip
from grader.judge.slips.source_text import SourceText
from grader.kit.mistakes import Mistake


@lru_cache(maxsize=256)
def slips_of(solution: str) -> tuple[Mistake, ...]:
    """Those of a solution, as mistakes, each another text."""
    found: dict[str, Mistake] = {}
    counts = Counter[str]()
    text = SourceText(solution)
    for function, slip in _slips(solution):
        changed = text.replaced(*slip.edits)
        if changed == solution or changed in found:
            continue
        name = f"{slip.id}-in-{function}"
        counts[name] += 1
        id = name if counts[name] == 1 else f"{name}-{counts[name]}"
        says = f"In {function}, {slip.what}, or something of yours comes to the same. {slip.advice}"
        found[changed] = Mistake(id, find=solution, replace=changed, says=says)
    return tuple(found.values())


def _slips(solution: str) -> Iterator[tuple[str, Slip]]:
    """All of them, each with the name of the function that it is in."""
    text = SourceText(solution)
    known = frozenset(re.findall(r"[A-Za-z_]\w*", stub_of(solution)))
    functions = list(_functions(solution))
    for make in (names, dimensions, ends, calls, formulas, numbers, arguments, branches):
        for name, function, kinds in functions:
            of_stub = {each: kind for each, kind in kinds.items() if each.removeprefix("self.") in known}
            for slip in make(text, function, of_stub):
                yield name, slip


def _functions(solution: str) -> Iterator[tuple[str, ast.FunctionDef, Kinds]]:
    """Those that are asked for, with what they are called and the kinds of the names in them."""
    lines = SourceLines(solution)
    for statement in parsed(solution).body:
        if lines.is_given(statement):
            continue
        if isinstance(statement, ast.FunctionDef):
            yield statement.name, statement, kinds_in_function(statement, {})
        elif isinstance(statement, ast.ClassDef):
            own = kinds_in_class(statement)
            for method in statement.body:
                if isinstance(method, ast.FunctionDef) and not lines.is_given(method):
                    yield f"{statement.name}.{method.name}", method, kinds_in_function(method, own)
