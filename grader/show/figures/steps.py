"""The source of a solution, step by step, each with its reason."""

import ast
import html
import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from rich.text import Text

from grader.curriculum.parsing import parsed
from grader.show.cards import Card, code_text, preformatted, prose

_COLUMN = (
    "padding:0.3em 1.2em 0.3em 0;vertical-align:top;text-align:left;background:#fafaf7;color:#1f2328;border:0"
)


def steps(symbol: Callable[..., Any], reasons: Mapping[str, str] | None = None) -> Card:
    """The body of a function (or all of a class) without its docstrings; with `reasons` in pieces.

    `reasons` maps the text with which a piece begins (any part of its first line) to why it is done so, in
    the order of the source. What stands above the first one is left out, and so is a piece whose reason is
    empty. ValueError names a text that is not there.
    """
    lines = _body(symbol)
    if not reasons:
        whole = code_text("\n".join(lines))
        return Card(preformatted(whole), whole.plain)
    starts = _starts(lines, list(reasons))
    ends = [*starts[1:], len(lines)]
    pieces = [
        (textwrap.dedent("\n".join(lines[start:end])).strip("\n"), reason)
        for start, end, reason in zip(starts, ends, reasons.values(), strict=True)
        if reason
    ]
    rows = "".join(_row(number, code, reason) for number, (code, reason) in enumerate(pieces, 1))
    page = f'<table style="border-collapse:collapse;border:0;width:100%;margin:0">{rows}</table>'
    text = "\n\n".join(
        f"{i}. {reason}\n{textwrap.indent(code, '    ')}" for i, (code, reason) in enumerate(pieces, 1)
    )
    return Card(page, text)


def _body(symbol: Callable[..., Any]) -> list[str]:
    """The lines of a symbol's source without docstrings: of a function from its `def` on."""
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(symbol)))
    lines = source.rstrip("\n").split("\n")
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            first = node.body[0]
            for number in range(first.lineno, (first.end_lineno or first.lineno) + 1):
                lines[number - 1] = "\0"
    kept = [line for line in lines if line != "\0"]
    # The blank line below a class's docstring goes with it.
    return [line for i, line in enumerate(kept) if line or (i and not kept[i - 1].endswith(":"))]


def _starts(lines: list[str], texts: list[str]) -> list[int]:
    """The numbers of the lines that hold the texts, one after the other, with the comments above them."""
    starts: list[int] = []
    after = 0
    for text in texts:
        found = next((i for i in range(after, len(lines)) if text in lines[i]), None)
        if found is None:
            raise ValueError(f"no line{' below the one before' if starts else ''} has the text {text!r}")
        after = found + 1
        first = found
        while first > (starts[-1] + 1 if starts else 0) and lines[first - 1].lstrip().startswith("#"):
            first -= 1
        starts.append(first)
    return starts


def _row(number: int, code: str, reason: str) -> str:
    marker = html.escape(str(number))
    return (
        f'<tr style="background:#fafaf7;border-top:{"0" if number == 1 else "1px solid #e4e6e2"}">'
        f'<td style="{_COLUMN};width:1.2em;color:#57606a">{marker}</td>'
        f'<td style="{_COLUMN};width:58%">{preformatted(_coloured(code))}</td>'
        f'<td style="{_COLUMN};padding-right:0">{prose(reason)}</td></tr>'
    )


def _coloured(code: str) -> Text:
    return code_text(code)
