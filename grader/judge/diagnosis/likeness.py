"""Which known mistakes to look for first: those whose text the answer has instead of the solution's.

What there is no time for is not looked for, and an answer often has the very words of its mistake. A guess,
and no evidence: only values name a mistake.
"""

import itertools
import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from grader.kit.mistakes import Mistake

_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|[^\w\s]")
_COMMENT = re.compile(r"#.*")
Grams = frozenset[tuple[str, ...]]


def likely_first(mistakes: Sequence[Mistake], answer: str, solution: str) -> tuple[Mistake, ...]:
    """The mistakes, those first whose edit of the solution is most like what makes the answer another text;
    of equal ones in their order.
    """
    there, before = _grams(answer), _grams(solution)
    came, gone = there - before, before - there
    return tuple(sorted(mistakes, key=lambda mistake: -_likeness(mistake, came, gone)))


def _likeness(mistake: Mistake, came: Grams, gone: Grams) -> float:
    """The cosine of both changes, but for the length of the answer's: that is the same for all mistakes."""
    edits = [(mistake.find, mistake.replace), *mistake.also]
    before, after = _all_grams(find for find, _ in edits), _all_grams(replace for _, replace in edits)
    comes, goes = after - before, before - after
    shared = len(comes & came) + len(goes & gone)
    return shared / math.sqrt(max(len(comes) + len(goes), 1))


def _all_grams(texts: Iterable[str]) -> Grams:
    return frozenset().union(*map(_grams, texts))


@lru_cache(maxsize=4096)
def _grams(text: str) -> Grams:
    """Its pairs and triples of tokens. Names that somebody chose are all the same: only what is called, or is
    an attribute, is the field's.
    """
    tokens = _TOKEN.findall(_COMMENT.sub("", text))
    around = zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False)
    known = [
        token if not token.isidentifier() or before == "." or after == "(" else "name"
        for before, token, after in around
    ]
    triples = zip(known, known[1:], known[2:], strict=False)
    return frozenset([*itertools.pairwise(known), *triples])
