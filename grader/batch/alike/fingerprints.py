"""What is left of a text when names, comments and layout do not count: fingerprints, and where they stand.

copydetect reads the tokens and does the winnowing (Schleimer, Wilkerson and Aiken, "Winnowing: Local
Algorithms for Document Fingerprinting", 2003): whatever two texts share of `SHARED` characters without layout
is found, in whatever order; what is shorter than `NOISE` never is.
"""

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass

NOISE, SHARED = 25, 30
_HASH_BYTES = 8


@dataclass(frozen=True)
class Fingerprinted:
    """A text, the fingerprints of it that count, and the lines (from 1 on) on which each of them stands."""

    text: str
    lines: dict[int, frozenset[int]]


def fingerprinted(text: str, without: Collection[int] = ()) -> Fingerprinted:
    """The fingerprints of a text but for those given, the same in every run."""
    import numpy as np
    from copydetect.utils import filter_code, winnow

    bare, offsets = filter_code(text, "answer.py", language="python")
    if len(bare) < NOISE:
        return Fingerprinted(text, {})
    every = np.array(_hashes(bare), dtype=np.int64)
    hashes, places = winnow(every, SHARED - NOISE + 1, remove_duplicates=False)
    lines: dict[int, set[int]] = {}
    for print_, place in zip(hashes.tolist(), places.tolist(), strict=True):
        if print_ not in without:
            first, last = (_line(text, offsets, where) for where in (place, place + NOISE - 1))
            lines.setdefault(print_, set()).update(range(first, last + 1))
    return Fingerprinted(text, {print_: frozenset(some) for print_, some in lines.items()})


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
