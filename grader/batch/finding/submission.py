"""What is looked for: files with a student and a topic; and what is none."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

LINK_OUT = "The file is a link that leads out of the folder that it was handed in with."
IGNORED = frozenset(("__pycache__", "__MACOSX", "venv", "node_modules"))
"""Folders of tools, beside all whose names begin with a dot."""


@dataclass(frozen=True)
class Submission:
    """One file as one student's answer to one topic. `problem`: why it is not even to be opened."""

    student: str
    topic: str
    path: Path
    problem: str | None = None

    @property
    def file(self) -> str:
        """Its path as text that can be written anywhere."""
        return printable(str(self.path))


@dataclass(frozen=True)
class Unrecognised:
    """A file of which it is not known whose answer it is, or to what; and why."""

    path: Path
    why: str


@dataclass(frozen=True)
class Found:
    """All that was found, by student and topic."""

    submissions: tuple[Submission, ...]
    unrecognised: tuple[Unrecognised, ...]


def printable(name: str) -> str:
    """A name without what no text may hold: bytes of another encoding, line ends, signs that steer a
    terminal or turn the direction of writing.
    """
    return "".join("\ufffd" if unicodedata.category(sign) in ("Cc", "Cf", "Cs") else sign for sign in name)


def in_order(found: Iterable[Submission]) -> Found:
    """What stays when no student has two files for one topic: which of them counts is not ours to say."""
    by_key: dict[tuple[str, str], list[Submission]] = {}
    for each in found:
        by_key.setdefault((each.student, each.topic), []).append(each)
    once = [same[0] for key, same in sorted(by_key.items()) if len(same) == 1]
    twice = [
        Unrecognised(each.path, f"{each.student} has {len(same)} files for {each.topic}")
        for key, same in sorted(by_key.items())
        if len(same) > 1
        for each in same
    ]
    return Found(tuple(once), tuple(twice))


def handed_in(student: str, topic: str, path: Path, home: Path) -> Submission:
    """A file that was handed in with the folder `home`: a link out of it would show another's answer as this
    student's.
    """
    try:
        leads_out = path.is_symlink() and not path.resolve().is_relative_to(home.resolve())
    except (OSError, RuntimeError):  # a link to itself
        leads_out = False
    return Submission(printable(student), topic, path, LINK_OUT if leads_out else None)
