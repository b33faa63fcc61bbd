"""Plain text as HTML: nothing of it is ever taken for markup."""

import re
import textwrap
from collections.abc import Callable
from html import escape
from itertools import groupby
from operator import itemgetter

from grader.practice.command_line import typed

_CODE = re.compile(r"`([^`\n]+)`")
_STRESSED = re.compile(r"(?<![\w*])\*(\w[^*<>\n]*)\*(?![\w*])")
_NAMES = re.compile(
    r"[A-Za-z_][\w.]*\((?:[^()\n]|\([^()\n]*\))*\)"  # a call
    r"|\b[A-Za-z]\w*_\w*(?:\.\w+)*"
    r"|\b[A-Za-z]\w+(?:\.[A-Za-z_]\w+)+"  # an attribute, but no "e.g."
)
_ARGUMENT = re.compile(r"[A-Za-z_][\w, ]{0,40}: ")


def words(text: str) -> str:
    """A line; what stands in backticks is code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def prose(text: str) -> str:
    """A line that marks no code: what looks like a name or a call is code, and *this* is stressed."""
    if "`" in text:
        return words(text)
    marked = _NAMES.sub(lambda found: f"`{found[0]}`", text)
    return _STRESSED.sub(r"<em>\1</em>", words(marked))


def without_command(text: str, command: str) -> str:
    """A sentence of the terminal's without what it says to type there."""
    there = re.escape(typed(command))
    return re.sub(rf": {there}$", ".", re.sub(rf" \({there}\)", "", text))


def paragraphs(text: str, line: Callable[[str], str] = words) -> str:
    """Text as docstrings have it: paragraphs between blank lines, in which what is said of an argument begins
    a line, and a dash what is listed; what is indented stays as it is. `line` makes HTML of a line.
    """
    blocks = re.split(r"\n\s*\n", textwrap.dedent(text).strip("\n"))
    return "".join(_block(block, line) for block in blocks if block.strip())


def code(text: str) -> str:
    """Code, line by line."""
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'


def diff_html(lines: list[str]) -> str:
    """A diff; the signs at the head of the lines say what the colours say."""
    kinds = {"+": "added", "-": "removed"}
    rows = (f'<span class="{kinds.get(line[:1], "")}">{escape(line) or " "}</span>' for line in lines)
    return f'<pre class="diff" tabindex="0">{"".join(rows)}</pre>'


def _block(block: str, html: Callable[[str], str]) -> str:
    lines = block.split("\n")
    if all(line.startswith("  ") for line in lines):
        return code(textwrap.dedent(block))
    rows: list[tuple[bool, str]] = []
    for line in lines:
        is_listed, goes_on = line.startswith("- "), bool(rows) and (line.startswith("  ") or not rows[-1][0])
        if is_listed or not goes_on or _ARGUMENT.match(line):
            rows.append((is_listed, line.removeprefix("- ").strip()))
        else:
            rows[-1] = rows[-1][0], f"{rows[-1][1]} {line.strip()}"
    parts = []
    for is_listed, group in groupby(rows, key=itemgetter(0)):
        told = [html(text) for _, text in group]
        items = "".join(f"<li>{each}</li>" for each in told)
        parts.append(f"<ul>{items}</ul>" if is_listed else f"<p>{'<br>'.join(told)}</p>")
    return "".join(parts)
