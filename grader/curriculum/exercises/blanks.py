"""The exercise at its easiest: the text of a solution in which the lines that carry the idea are missing."""

import ast
from collections.abc import Iterator, Sequence

from grader.curriculum.exercises.source_lines import SourceLines, StubError
from grader.curriculum.parsing import parsed
from grader.worker.answering.placeholders import BLANK

MISSING = f"raise NotImplementedError  {BLANK}"
"""What stands in the place of each statement that was taken out."""


def blanks_of(solution_source: str, blanks: Sequence[str]) -> str:
    """The solution without the statements that `blanks` names, each by the text of its first line.

    Raises `StubError` for a blank that is not the first line of exactly one simple statement.
    """
    source_lines = SourceLines(solution_source)
    lines = solution_source.split("\n")
    found = [
        (_first_line(lines, statement), statement)
        for statement in _simple_statements(parsed(solution_source))
        if source_lines.begins_line(statement) and not source_lines.is_given(statement)
    ]
    taken: list[ast.stmt] = []
    for blank in blanks:
        places = [statement for text, statement in found if text == blank]
        if len(places) != 1:
            raise StubError(
                f"the blank {blank!r} begins {len(places)} statements of a function; it must be one"
            )
        taken += places
    for statement in sorted(taken, key=lambda statement: statement.lineno, reverse=True):
        last = statement.end_lineno or statement.lineno
        lines[statement.lineno - 1 : last] = [" " * statement.col_offset + MISSING]
    return "\n".join(lines)


def _simple_statements(tree: ast.AST, in_function: bool = False) -> Iterator[ast.stmt]:
    """The statements in functions that hold no others."""
    for node in ast.iter_child_nodes(tree):
        if in_function and isinstance(node, ast.stmt) and not hasattr(node, "body"):
            yield node
        yield from _simple_statements(
            node, in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        )


def _first_line(lines: Sequence[str], statement: ast.stmt) -> str:
    """The first line of a statement's own text: without indentation, and without a comment behind it."""
    line = lines[statement.lineno - 1].encode()  # Python counts columns in bytes
    end = statement.end_col_offset if statement.end_lineno == statement.lineno else None
    return line[statement.col_offset : end].decode().rstrip()
