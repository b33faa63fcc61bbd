"""Which row of a gradebook is a student's: only where it is certain."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

_NUMBER = re.compile(r"(?P<name>.*)_(?P<number>\d+)", re.DOTALL)


@dataclass(frozen=True)
class Person:
    """What a row says of whom it is about. `logins`: also addresses, folded."""

    number: str
    name: str
    logins: frozenset[str]


def matched(
    rows: Iterable[list[str]], person: Callable[[list[str]], Person], students: Collection[str]
) -> Iterator[tuple[list[str], str]]:
    """Rows that are about one student, each of whom has one such row: who could be two is nobody."""
    of_student: dict[str, list[list[str]]] = {}
    for row in rows:
        about = person(row)
        same = [student for student in students if _is(student, about)]
        if len(same) == 1:
            of_student.setdefault(same[0], []).append(row)
    yield from ((found[0], student) for student, found in of_student.items() if len(found) == 1)


def folded(*texts: str) -> frozenset[str]:
    """Texts that are compared, whatever their case is and however their accents are stored."""
    return frozenset(_fold(text) for text in texts if text.strip())


def _is(student: str, person: Person) -> bool:
    """Whether they are the same: by the platform's number and the name, where a platform made the file's
    name (Moodle puts a group's before it: `Group A-Bob Smith`), else by login or name.
    """
    match = _NUMBER.fullmatch(student)
    if match and match["number"] == person.number:
        parts = match["name"].split("-")
        named = {_squashed("-".join(parts[at:])) for at in range(len(parts))} - {""}
        return bool(named & {_squashed(person.name), "participant"})
    return _fold(student) in person.logins or bool(_names(student) & _names(person.name))


def _names(name: str) -> frozenset[str]:
    """A full name as it stands there, and of a sortable one (`Smith, Bob`) also the other way round."""
    last, comma, first = name.partition(",")
    return folded(name, f"{first} {last}" if comma and "," not in first else "")


def _squashed(name: str) -> str:
    """As Canvas writes names into those of files, whatever letters they are of."""
    return re.sub(r"[\W_]", "", _fold(name))


def _fold(text: str) -> str:
    """Macs store an accent as a sign of its own."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
