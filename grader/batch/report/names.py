"""Students as pages call them, and the names of their files: nothing that a student chose is a path."""

import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping

_LONGEST = 48


def numbers(students: Iterable[str], before: Mapping[str, str]) -> dict[str, str]:
    """A number for each student (`student 017`), instead of the name. Those that were given stay; new ones
    come in an order that tells nothing.
    """
    named = dict(before)
    taken = {int(digits) for text in before.values() if (digits := text.rpartition(" ")[2]).isdecimal()}
    new = sorted(set(students) - named.keys())
    secrets.SystemRandom().shuffle(new)
    following = max(taken, default=0)
    for number, student in enumerate(new, start=following + 1):
        named[student] = f"student {number:03}"
    return named


def file_names(names: Iterable[str]) -> dict[str, str]:
    """A file's name for each, without an ending: letters, of ASCII where they have one there, and digits; no
    two alike in any case.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(set(names)):
        plain = "".join(map(_plain, unicodedata.normalize("NFKC", name)))
        slug = re.sub(r"[\W_]+", "-", plain).strip("-")[:_LONGEST] or "student"
        unique, number = slug, 2
        while unique.casefold() in taken:
            unique, number = f"{slug}-{number}", number + 1
        taken.add(unique.casefold())
        found[name] = unique
    return found


def _plain(sign: str) -> str:
    """Without its accents, where that leaves a letter of ASCII."""
    return unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode() or sign
