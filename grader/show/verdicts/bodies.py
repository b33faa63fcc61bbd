"""The bodies of an answer beside those of the reference: what says the same stands on the same line."""

import ast
import difflib
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from rich.text import Text

from grader.curriculum.parsing import parsed
from grader.show.terminal.wrapping import wrapped_code

BESIDE = 120
"""Columns from which on there is room for two bodies beside each other."""

_SIGNS = {"both": "  ", "yours": "- ", "reference": "+ "}
_STYLES = {"both": "dim", "yours": "red", "reference": "green"}


@dataclass(frozen=True)
class Line:
    """A line of both bodies, or of one of them (the other is None)."""

    yours: str | None
    reference: str | None

    @property
    def is_same(self) -> bool:
        return (
            self.yours is not None
            and self.reference is not None
            and _code(self.yours) == _code(self.reference)
        )


def bodies_text(own: str, reference: str, width: int) -> Text:
    """All bodies, in the order of the reference, then what only the answer has; beside each other where the
    terminal is wide enough, else as a diff.
    """
    yours, its = bodies(own), bodies(reference)
    text = Text().append("- yours   + the reference   the rest is the same in both", style="dim")
    for name in [*its, *(name for name in yours if name not in its)]:
        text.append(f"\n\n{name}", style="bold")
        lines = aligned(yours.get(name, []), its.get(name, []))
        text.append_text(_beside(lines, width) if width >= BESIDE else _as_diff(lines, width))
    return text


def bodies(source: str) -> dict[str, list[str]]:
    """The lines of each function, without its docstring and blank lines, by its name (`Class.method`)."""
    lines = source.splitlines()
    found = {}
    for name, function in _functions(parsed(source), ""):
        has_docstring = ast.get_docstring(function, clean=False) is not None
        first = function.body[0]
        start = (first.end_lineno or 0) if has_docstring else _above_comments(lines, first.lineno)
        body = textwrap.dedent("\n".join(lines[start : function.end_lineno])).splitlines()
        found[name] = [line.rstrip() for line in body if line.strip()]
    return found


def aligned(yours: list[str], reference: list[str]) -> list[Line]:
    """The lines of two bodies, those that say the same together; comments do not count."""
    matcher = difflib.SequenceMatcher(None, [*map(_code, yours)], [*map(_code, reference)], autojunk=False)
    lines: list[Line] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        mine, its = yours[a:b], reference[c:d]
        if kind == "equal":
            lines += [Line(own, other) for own, other in zip(mine, its, strict=True)]
            continue
        for number in range(max(len(mine), len(its))):
            lines.append(Line(*(part[number] if number < len(part) else None for part in (mine, its))))
    return lines


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}{child.name}", child


def _above_comments(lines: list[str], number: int) -> int:
    """How many lines stand above a statement and the comments right above it."""
    above = number - 1
    while lines[above - 1].lstrip().startswith("#"):
        above -= 1
    return above


def _code(line: str) -> str:
    """What a line says: without its comment and its spacing."""
    return "".join(line.partition("  #")[0].split()) if not line.lstrip().startswith("#") else "#"


def _as_diff(lines: list[Line], width: int) -> Text:
    """Where both differ, the answer's lines stand above the reference's; what is too long goes on below."""
    text = Text()
    yours: list[str] = []
    reference: list[str] = []

    def add(kind: str, line: str) -> None:
        for row in _folded(line, width - len(_SIGNS[kind])):
            text.append(f"\n{_SIGNS[kind]}{row}", style=_STYLES[kind])

    def flush() -> None:
        for kind, some in (("yours", yours), ("reference", reference)):
            for each in some:
                add(kind, each)
            some.clear()

    for line in lines:
        if line.is_same:
            flush()
            add("both", line.yours or "")
            continue
        yours += [line.yours] if line.yours is not None else []
        reference += [line.reference] if line.reference is not None else []
    flush()
    return text


def _beside(lines: list[Line], width: int) -> Text:
    """In two columns; a line that is too long goes on below itself."""
    text = Text()
    room = (width - 7) // 2
    for line in lines:
        left, right = (_folded(side, room) for side in (line.yours, line.reference))
        styles = ("dim", "dim") if line.is_same else (_STYLES["yours"], _STYLES["reference"])
        signs = ("  ", "  ") if line.is_same else ("- ", "+ ")
        for number in range(max(len(left), len(right))):
            own, its = (part[number] if number < len(part) else "" for part in (left, right))
            text.append(f"\n{signs[0] if own else '  '}{own:<{room}}", style=styles[0])
            text.append(f"   {signs[1] if its else '  '}{its}", style=styles[1])
    return text


def _folded(line: str | None, room: int) -> list[str]:
    return [] if line is None else wrapped_code(line, room).split("\n")
