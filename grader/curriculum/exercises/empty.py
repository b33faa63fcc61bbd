"""The exercise at its hardest: the contract alone, as the docstring of a file without code."""

import ast
import re
from collections.abc import Sequence

from grader.curriculum.exercises.source_lines import StubError
from grader.curriculum.exercises.stub import stub_of
from grader.curriculum.parsing import parsed

HEADING = "To be written from memory, the imports too:"
"""Stands between what the topic is about and what is asked for."""


def empty_of(solution_source: str) -> str:
    """The docstring of the solution, which goes on with all that its stub states.

    A module's code between `# given` and `# end given` follows as code, with the imports that it needs.
    Raises `StubError`, or `SyntaxError` for what is no Python.
    """
    stub = stub_of(solution_source)
    module = parsed(stub)
    if ast.get_docstring(module) is None:
        raise StubError("it has no docstring at its head")
    lines = stub.split("\n")
    imports = _cut(lines, [node for node in module.body if isinstance(node, ast.Import | ast.ImportFrom)])
    given = _cut_given(lines)
    _cut(lines, [node for node in ast.walk(module) if isinstance(node, ast.Raise) and _is_not_written(node)])
    for node in ast.walk(module):
        _unquote_docstring(lines, node)
    end = module.body[0].end_lineno
    text = _without_gaps("\n".join([*lines[:end], "", HEADING, "", *lines[end:]]))
    if '"""' in text:
        raise StubError("three quotes stand in what would be a docstring")
    prefix = "r" if "\\" in text else ""
    return f'{prefix}"""{text}\n"""\n' + (f"\n{stub_of(imports + given)}" if given else "")


def _cut(lines: list[str], nodes: Sequence[ast.stmt]) -> str:
    """The lines of some statements, which are blank now."""
    text = ""
    for node in nodes:
        text += _cut_lines(lines, node.lineno - 1, node.end_lineno or node.lineno)
    return text


def _cut_given(lines: list[str]) -> str:
    """What is given in the module, not in a class or function: there it is a part of the contract."""
    text = ""
    while "# given" in lines:
        text += "\n" + _cut_lines(lines, lines.index("# given"), lines.index("# end given") + 1)
    return text


def _cut_lines(lines: list[str], start: int, stop: int) -> str:
    text = "".join(f"{line}\n" for line in lines[start:stop])
    lines[start:stop] = [""] * (stop - start)
    return text


def _is_not_written(node: ast.Raise) -> bool:
    """Whether this is the body that a stub has in the place of the answer."""
    return ast.unparse(node) == "raise NotImplementedError"


def _unquote_docstring(lines: list[str], node: ast.AST) -> None:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    if not isinstance(node, kinds) or ast.get_docstring(node) is None or not lines[node.body[0].lineno - 1]:
        return  # without one, or given
    first, last = node.body[0].lineno - 1, (node.body[0].end_lineno or 1) - 1
    quotes = re.search(r"[\"']{3}|[\"']", lines[first])
    assert quotes is not None
    lines[last] = "".join(lines[last].rsplit(quotes[0], 1)).rstrip()
    lines[first] = re.sub(r"^(\s*)\w?", r"\1", lines[first][: quotes.start()]) + lines[first][quotes.end() :]


def _without_gaps(text: str) -> str:
    """The text with one blank line where there are several, and none at its ends."""
    return re.sub(r"\n{3,}", "\n\n", text).strip()
