"""What is noted while an update is under way, so that one that was cut off can be finished.

The next update may be that of another version: what is written here keeps its form.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.curriculum.workspace import Workspace

AT_WORK, IN_PLACE = "at work", "in place"
"""While git may be changing files; when every answer is back where it was."""


@dataclass(frozen=True)
class Journal:
    """An update from one commit to another. Paths are those of exercises, relative to the project."""

    old: str
    new: str
    answers: dict[str, str]  # those in the way, with the hash under which the database has each
    blank: dict[str, str]  # exercises in which nothing was written, at another level than "stub"
    stage: str = AT_WORK


def journal_path(root: Path) -> Path:
    """Where the journal stands while there is one."""
    return Workspace(root).practice / "update.json"


def read_journal(root: Path) -> Journal | None:
    """The journal of an update that has not ended."""
    try:
        values = json.loads(journal_path(root).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Journal(**{name: values[name] for name in Journal.__dataclass_fields__})


def write_journal(root: Path, journal: Journal) -> None:
    """Write it down so that it outlasts a loss of power."""
    path = journal_path(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}")
    with open(draft, "w", encoding="utf-8") as file:
        json.dump(asdict(journal), file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def end_journal(root: Path) -> None:
    """The update has ended."""
    journal_path(root).unlink(missing_ok=True)
