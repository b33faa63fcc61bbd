"""What is left of a text when names, comments and layout do not count: fingerprints, and where they stand.

copydetect reads the tokens and does the winnowing (Schleimer, Wilkerson and Aiken, "Winnowing: Local
Algorithms for Document Fingerprinting", 2003): whatever two texts share of `SHARED` characters without layout
is found, in whatever order; what is shorter than `NOISE` never is. No fingerprint reaches over the edge of a
definition: it would be another one in another order of them.
"""

import ast
import hashlib
import warnings
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile

from grader.curriculum.parsing import parsed

NOISE, SHARED = 25, 30
_HASH_BYTES = 8


@dataclass(frozen=True)
class Fingerprinted:
    """A text, the fingerprints of it that count, and the lines (from 1 on) on which each of them stands."""

    text: str
    lines: dict[int, frozenset[int]]


def fingerprinted(text: str, without: Collection[int] = ()) -> Fingerprinted:
    """The fingerprints of a text but for those given, the same in every run."""
    lines: dict[int, set[int]] = {}
    for before, part in _definitions(text):
        for print_, first, last in _prints(part):
            if print_ not in without:
                lines.setdefault(print_, set()).update(range(before + first, before + last + 1))
    return Fingerprinted(text, {print_: frozenset(some) for print_, some in lines.items()})


def _prints(text: str) -> Iterator[tuple[int, int, int]]:
    """The fingerprints of a text, each with its first and last line."""
    import numpy as np
    from copydetect.utils import filter_code, winnow

    bare, offsets = filter_code(text, "answer.py", language="python")
    if len(bare) < NOISE:
        return
    every = np.array(_hashes(bare), dtype=np.int64)
    hashes, places = winnow(every, SHARED - NOISE + 1, remove_duplicates=False)
    for print_, place in zip(hashes.tolist(), places.tolist(), strict=True):
        first, last = (_line(text, offsets, where) for where in (place, place + NOISE - 1))
        yield print_, first, last


def _definitions(text: str) -> Iterator[tuple[int, str]]:
    """The parts of a text whose order says nothing: its functions, methods and what stands between them, each
    with the number of lines before it.
    """
    with warnings.catch_warnings(action="ignore"):
        body = parsed(text).body
    inner = [each for node in body if isinstance(node, ast.ClassDef) for each in node.body]
    cuts = set()
    for node in (*body, *inner):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            cuts.add(min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1)
            cuts.add(node.end_lineno or node.lineno)
    lines = text.split("\n")
    for begin, end in pairwise(sorted({0, *cuts, len(lines)})):
        blank = sum(1 for _ in takewhile(lambda line: not line.strip(), lines[begin:end]))
        yield begin + blank, "\n".join(lines[begin + blank : end])


def every_print(texts: Iterable[str]) -> set[int]:
    """All that any winnowing could choose of texts that everybody has."""
    from copydetect.utils import filter_code

    found: set[int] = set()
    for text in texts:
        bare, _ = filter_code(text, "answer.py", language="python")
        found.update(_hashes(bare))
    return found


def _hashes(bare: str) -> list[int]:
    """Of every part of `NOISE` characters. Python's own `hash`, which copydetect takes, is another one in
    each process, and so would the choice be, and the share that is told.
    """
    parts = (bare[start : start + NOISE].encode() for start in range(len(bare) - NOISE + 1))
    digests = (hashlib.blake2b(part, digest_size=_HASH_BYTES).digest() for part in parts)
    return [int.from_bytes(digest, "little", signed=True) for digest in digests]


def _line(text: str, offsets: object, place: int) -> int:
    """The line of the text in which a place of what is left of it stands."""
    import numpy as np

    table = np.asarray(offsets)
    removed = (
        int(table[max(int(np.searchsorted(table[:, 0], place, side="right")) - 1, 0), 1]) if len(table) else 0
    )
    return text.count("\n", 0, place + removed) + 1
