"""Plain text as HTML: nothing of it is ever taken for markup."""

import re
import textwrap
from html import escape

_CODE = re.compile(r"`([^`\n]+)`")
_ARGUMENT = re.compile(r"[A-Za-z_][\w, ]{0,40}: ")


def words(text: str) -> str:
    """A line; what stands in backticks is code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def paragraphs(text: str) -> str:
    """Text as docstrings have it: paragraphs between blank lines, in which what is said of an argument begins
    a line; what is indented stays as it is.
    """
    blocks = re.split(r"\n\s*\n", textwrap.dedent(text).strip("\n"))
    return "".join(_block(block) for block in blocks if block.strip())


def code(text: str) -> str:
    """Code, line by line."""
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'


def diff_html(lines: list[str]) -> str:
    """A diff; the signs at the head of the lines say what the colours say."""
    kinds = {"+": "added", "-": "removed"}
    rows = (f'<span class="{kinds.get(line[:1], "")}">{escape(line) or " "}</span>' for line in lines)
    return f'<pre class="diff" tabindex="0">{"".join(rows)}</pre>'


def _block(block: str) -> str:
    lines = block.split("\n")
    if all(line.startswith("  ") for line in lines):
        return code(textwrap.dedent(block))
    parts: list[str] = []
    for line in lines:
        if not parts or _ARGUMENT.match(line):
            parts.append(line.strip())
        else:
            parts[-1] += f" {line.strip()}"
    return f"<p>{'<br>'.join(map(words, parts))}</p>"
