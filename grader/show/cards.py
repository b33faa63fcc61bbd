"""Tables and text that show themselves: as HTML on a light ground, as plain text in a terminal."""

import html
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Span, Text

from grader.show.terminal.console import WIDTH

_BLACK, _RED, _GREEN, _YELLOW = (31, 35, 40), (190, 30, 40), (26, 110, 50), (130, 85, 0)
_BLUE, _MAGENTA, _CYAN = (9, 95, 170), (130, 50, 160), (0, 105, 115)
THEME = TerminalTheme(
    background=(250, 250, 247),
    foreground=_BLACK,
    normal=[_BLACK, _RED, _GREEN, _YELLOW, _BLUE, _MAGENTA, _CYAN, (87, 96, 106)],
)
"""The colours of text on cards: each has a contrast of at least 5 on the ground."""

_CARD = (
    "background:#fafaf7;color:#1f2328;border:1px solid #d7d9d6;border-radius:6px;"
    "padding:0.6em 0.9em;margin:0.2em 0;text-align:left;overflow-x:auto"
)
_MONO = (
    "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:0.86em;line-height:1.45"
)
_INK = "background:#fafaf7;color:#1f2328"
_EMPHASIS = re.compile(r"(?<![\w*])\*(\w(?:[^*\n]*\w)?)\*(?![\w*])")  # no product: 2 * n, a*b
_CELL = f"padding:0.15em 1.1em 0.15em 0;text-align:left;vertical-align:top;border:0;{_INK}"


@dataclass(frozen=True)
class Card:
    """Something to show: `html` for pages, `text` for terminals."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return f'<div class="byheart-card" style="{_CARD}">{self.html}</div>'

    def __repr__(self) -> str:
        return self.text


def text_card(text: Text) -> Card:
    """Text as a terminal shows it, with its colours."""
    return Card(preformatted(text), text.plain)


def preformatted(text: Text) -> str:
    """The HTML of text whose spaces and line ends count; long lines are wrapped by the page."""
    console = Console(
        file=io.StringIO(),
        record=True,
        width=10_000,
        force_terminal=True,
        force_jupyter=False,  # it would print a second time
        color_system="truecolor",
        no_color=False,
    )
    console.print(_without_dim(text), soft_wrap=True, highlight=False, end="")
    code = console.export_html(theme=THEME, inline_styles=True, code_format="{code}")
    style = f"{_MONO};margin:0;padding:0;white-space:pre-wrap;background:#fafaf7;color:#1f2328;border:0"
    return f'<pre style="{style}">{code}</pre>'


def code_text(source: str, lexer: str = "python") -> Text:
    """Source with the colours of its language."""
    from rich.syntax import Syntax

    text = Syntax(source, lexer, theme="ansi_light", background_color="default").highlight(source)
    text.rstrip()
    return text


def prose(words: str) -> str:
    """The HTML of a paragraph in which `code` stands between backticks, an *emphasis* between asterisks."""
    parts = html.escape(words).split("`")
    marked = [
        f'<code style="{_MONO};background:#eceeea;color:#1f2328">{part}</code>'
        if i % 2
        else _EMPHASIS.sub(r"<em>\1</em>", part)
        for i, part in enumerate(parts)
    ]
    return "".join(marked)


def table(head: Sequence[str], rows: Sequence[Sequence[Any]], *, code: Sequence[int] = ()) -> Card:
    """A table. The columns whose numbers are in `code` are set like code."""
    cells = [[str(value) for value in row] for row in rows]
    if any(len(row) != len(head) for row in cells):
        raise ValueError(f"each row needs {len(head)} cells, as the head has")
    lines = [_row("th", list(head), ())] + [_row("td", row, code) for row in cells]
    page = f'<table style="border-collapse:collapse;margin:0;border:0">{"".join(lines)}</table>'
    return Card(page, _plain([list(head), *cells]))


def stacked(*cards: Card) -> Card:
    """Several cards as one, one below the other."""
    return Card(
        '<div style="height:0.6em"></div>'.join(c.html for c in cards), "\n\n".join(c.text for c in cards)
    )


def _without_dim(text: Text) -> Text:
    """The text with its dim parts in the grey of the theme: a page would make them too pale to read."""
    grey = Style(dim=False, color="white")
    spans = []
    for span in text.spans:
        style = Style.parse(span.style) if isinstance(span.style, str) else span.style
        spans.append(Span(span.start, span.end, style + grey if style.dim else style))
    return Text(text.plain, style=text.style, spans=spans)


def _row(tag: str, cells: list[str], code: Sequence[int]) -> str:
    styled = []
    for number, cell in enumerate(cells):
        wrap = "pre-wrap" if number == len(cells) - 1 else "pre"
        font = f";{_MONO}" if number in code else ""
        styled.append(f'<{tag} style="{_CELL};white-space:{wrap}{font}">{html.escape(cell)}</{tag}>')
    return f'<tr style="{_INK}">{"".join(styled)}</tr>'


def _plain(rows: list[list[str]]) -> str:
    widths = [min(max(len(cell) for cell in column), WIDTH) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join(lines)
