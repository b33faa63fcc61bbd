"""What keeps git from bringing a newer version: exercises that hold something, and what nothing can be done
about.
"""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from grader.curriculum.catalog import Catalog
from grader.practice.exercises.levels import level_of
from grader.practice.schedule import Level
from grader.practice.update.clone import CannotUpdate, Clone


@dataclass(frozen=True)
class Conflicts:
    """The exercises that git is not to meet as they are. Paths are relative to the project."""

    contents: dict[str, bytes | None]  # of all of them; None is a missing file
    answers: dict[str, bytes]  # those in which something is written
    blank: dict[str, str]  # those blank at another level than "stub", with that level
    unaffected: dict[str, bytes]  # answers that are not in the way


def is_exercise(path: str) -> bool:
    """Whether a path of the project is that of an exercise."""
    return path.startswith("exercises/") and path.endswith(".py")


def touched_exercises(root: Path, clone: Clone, old: str, new: str) -> set[str]:
    """The exercises that a newer version changes. Raises `CannotUpdate` where anything else than exercises is
    edited, or would be overwritten.
    """
    edited, changed = clone.edited(), clone.changed(old, new)
    if any("U" in letters for letters in edited.values()):
        raise CannotUpdate(
            "A merge is under way: end it (git merge --continue, or git merge --abort), then: make update"
        )
    others = [path for path in edited if not is_exercise(path)]
    if others:
        raise CannotUpdate(
            f"Nothing was changed, because you have edited {_listed(others)}. Set that aside "
            f"(git stash push {others[0]}), then: make update"
        )
    added = [path for path, letter in changed.items() if letter == "A" and not is_exercise(path)]
    taken = [path for path in added if os.path.lexists(root / path)]
    if taken:
        raise CannotUpdate(
            f"Nothing was changed, because {_listed(taken)} would be overwritten. Move it away, then: "
            "make update"
        )
    return {path for path in changed if is_exercise(path)}


def conflicts(root: Path, clone: Clone, catalog: Catalog, touched: Collection[str]) -> Conflicts:
    """Of the exercises that are not as in the last commit: the touched ones, and all that are blank at
    another level than "stub", because their text may change where the stub does not.
    """
    topics = {topic.exercise: topic for topic in catalog.topics}
    found = Conflicts({}, {}, {}, {})
    for path in sorted({*touched, *filter(is_exercise, clone.edited())}):
        file = root / path
        if file.is_symlink() or (file.exists() and not file.is_file()):
            if path not in touched:
                continue
            raise CannotUpdate(f"Nothing was changed, because {path} is no regular file. Move it away")
        content = file.read_bytes() if file.exists() else None
        if content == clone.content("HEAD", path):
            continue
        text = (content or b"").decode(errors="replace")
        level: Level | None = Level.STUB
        if text.strip():
            level = level_of(topics[file], text) if file in topics else None
        if level is None and content is not None:
            (found.answers if path in touched else found.unaffected)[path] = content
        elif level in (Level.BLANKS, Level.EMPTY):
            found.blank[path] = str(level)
        if path in touched or path in found.blank:
            found.contents[path] = content
    return found


def _listed(paths: list[str]) -> str:
    more = len(paths) - 2
    return ", ".join(paths[:2]) + (f" and {more} more" if more > 0 else "")
