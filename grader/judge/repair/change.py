"""One small change of an answer."""

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from grader.judge.slips.source_text import Edit, SourceText

LIKELY, USUAL, RARE = range(3)
"""How often what a change undoes is what somebody has done."""
LONGEST = 120
"""Characters of code that is quoted."""
LONGEST_NAME = 60
CHANGED = "With that changed, all checks pass."
ELSE = f"Something else belongs there. {CHANGED}"


class Change(NamedTuple):
    """The line that it changes, a name for what stands there, what to say if all checks pass with it, advice,
    and the edits.
    """

    line: int
    id: str
    says: str
    advice: str
    edits: list[Edit]
    rank: int = LIKELY


def exchanged(
    text: SourceText,
    within: ast.expr | ast.stmt,
    edits: Sequence[Edit],
    rank: int,
    advice: str = "",
    id: str = "",
) -> Change:
    """The change of a piece of code to another by those of the edits that are within it; the rest of them
    are elsewhere.
    """
    begin, old = text.start(within), text.of(within)
    new, first = old, min(edits)[0]  # of a call that goes on below, that line is told
    for start, end, put in sorted(edits, reverse=True):
        if begin <= start and end <= begin + len(old):
            new = new[: start - begin] + put + new[end - begin :]
    old, new = in_one_line(old), in_one_line(new)
    says = f"`{old}` stands in the place of `{new}`. {CHANGED}" if len(old + new) <= LONGEST else ELSE
    return Change(text.line(first), id or named(old, "for", new), says, advice, list(edits), rank)


def named(*parts: str) -> str:
    """A name made of words and pieces of code."""
    without_self = [part.replace("self.", "") for part in parts]
    told = without_self if len(set(without_self)) == len(parts) else parts
    plain = (re.sub(r"\W+", "-", re.sub(r"-(?=\d)", "minus ", part)).strip("-") for part in told)
    return "-".join(filter(None, plain))[:LONGEST_NAME].strip("-")


def in_one_line(code: str) -> str:
    """Code as it is quoted."""
    return re.sub(r"\s+", " ", code)
