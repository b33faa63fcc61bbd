"""Lines that are too long for a terminal, broken between words.

A command is never broken inside, so that it can be copied; nor is a shape, nor a word, however long.
"""

import re
from itertools import pairwise

from rich.cells import cell_len
from rich.text import Text

_WHOLE = re.compile(r"(?:make|byheart) [a-z-]+(?: [a-z]+=\S+)*|%\w+ \w+|[(\[][\d, -]{1,20}[)\]]")
"""Commands and shapes."""
_HANGING = re.compile(r" *(?:(?:-|\d+\.) )?")
_OWN_LINE = re.compile(r" *(?:-|\d+\.) | *\S+(?: \S+)*  ")
"""What an item of a list and a row of columns begin with."""
_ITEM = re.compile(r"\S+(?: \S+)*")
_FULL = 88
"""Columns of a line that was broken because the next word would not have fitted."""


def wrapped(text: Text, width: int) -> Text:
    """The text in lines of at most `width` columns. What is broken goes on below the first word of its line,
    or of its item in a list.
    """
    return Text("\n").join(
        part for line in text.split("\n", allow_blank=True) for part in _broken(line, width)
    )


def wrapped_items(line: Text, width: int) -> Text:
    """A row of items with two blanks or more between them (keys, say): closer together where that makes them
    fit, else broken between them, and inside of one only where it is too long by itself.
    """
    if cell_len(line.plain) <= width:
        return line
    items = [line[slice(*found.span())] for found in _ITEM.finditer(line.plain)]
    rows: list[Text] = []
    for item in items:
        if rows and rows[-1].cell_len + 2 + item.cell_len <= width:
            rows[-1] = Text("  ").join([rows[-1], item])
        else:
            rows += _broken(item, width)
    return Text("\n").join(rows)


def wrapped_words(words: str, width: int, indent: str = "") -> str:
    """The same for plain text, each line of it behind `indent`."""
    return wrapped(Text("\n".join(f"{indent}{line}".rstrip() for line in words.split("\n"))), width).plain


def refilled(words: str, width: int) -> str:
    """Paragraphs, lists and columns that were laid out for a wide page, laid out anew where it is narrow."""
    given = words.split("\n")
    if max(map(cell_len, given)) <= width:
        return words
    lines = given[:1]
    for before, line in pairwise(given):
        if _goes_on(before, line):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return wrapped_words("\n".join(lines), width)


def wrapped_code(source: str, width: int) -> str:
    """Code to be read: comments that do not fit go above their line, what still does not is broken."""
    lines: list[str] = []
    for line in source.split("\n"):
        code, mark, comment = line.partition("  # ")
        if mark and cell_len(line) > width:
            code = code.rstrip()
            indent = " " * (len(code) - len(code.lstrip()))
            short = f"{code}  # {comment}"
            lines += [short] if cell_len(short) <= width else [f"{indent}# {comment}", code]
        else:
            lines.append(line)
    return "\n".join(_indented_further(line, width) for line in lines)


def _indented_further(line: str, width: int) -> str:
    if cell_len(line) <= width:
        return line
    first, *others = _broken(Text(line), width - 4)
    return "\n".join([first.plain, *(f"    {other.plain}" for other in others)])


def _goes_on(before: str, line: str) -> bool:
    """Whether a line was begun only because the one before was full."""
    hang = _HANGING.match(before)
    indent = len(line) - len(line.lstrip())
    return (
        bool(line.strip())
        and hang is not None
        and indent == len(hang[0])
        and not _OWN_LINE.match(line)
        and not _OWN_LINE.match(before[len(hang[0]) :])
        and cell_len(before) + 1 + cell_len(line.split()[0]) > _FULL
    )


def _broken(line: Text, width: int) -> list[Text]:
    """The parts of one line."""
    plain = line.plain
    if cell_len(plain) <= width:
        return [line]
    hang = _HANGING.match(plain)
    indent = len(hang[0]) if hang and len(hang[0]) <= width // 2 else 0
    joined = _WHOLE.sub(lambda found: found[0].replace(" ", "_"), plain)
    words = [found.span() for found in re.finditer(r"\S+", joined)]
    parts: list[tuple[int, int]] = []  # where each begins and ends
    start = 0
    for (_, end), (begin, stop) in pairwise(words):
        room = width - (indent if parts else 0)
        if cell_len(plain[start:stop]) > room and end > (hang.end() if hang and not parts else 0):
            parts.append((start, end))
            start = begin
    parts.append((start, len(plain.rstrip())))
    return [line[a:b] if a == 0 else Text(" " * indent).append_text(line[a:b]) for a, b in parts]
