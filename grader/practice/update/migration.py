"""Settling in after an update: what the new version does, after the old one has put every answer back.

Progress and answers of renamed topics go on under the new names; where an answer stands and its stub changed,
the new stub is put beside it; exercises that are blank at another level of recall follow the new version.
"""

from dataclasses import dataclass
from pathlib import Path

from grader.curriculum.catalog import Catalog, Topic, UnknownTopic
from grader.curriculum.exercises.files import replace_content, replace_text
from grader.curriculum.workspace import Workspace
from grader.practice.exercises.contents import is_changed
from grader.practice.exercises.levels import text_at
from grader.practice.record.progress import Progress
from grader.practice.record.renaming import rename_topics
from grader.practice.schedule import Level
from grader.practice.update.clone import Clone
from grader.practice.update.journal import Journal, end_journal, read_journal

NEW_STUB = ".new.py"
"""How the file beside an answer ends that holds the new stub."""


@dataclass(frozen=True)
class Migrated:
    """What became of everything. Paths are relative to the project."""

    new: tuple[str, ...] = ()  # topics
    followed: tuple[str, ...] = ()  # topics whose stubs are new, and nothing was written in them
    renamed: tuple[tuple[str, str], ...] = ()  # former and new names
    beside: tuple[tuple[str, str], ...] = ()  # topics, and where their new stub stands beside the answer
    stranded: tuple[tuple[str, str], ...] = ()  # answers left where they were, and their exercise now, if any


def migrate(root: Path, catalog: Catalog, progress: Progress) -> Migrated:
    """Do all of it, and end the update; without one, only the progress of renamed topics is looked after."""
    renamed = rename_topics(progress.database, catalog)
    journal, clone = read_journal(root), Clone(root)
    _remove_stubs_beside(root, clone, catalog, ["HEAD"] if journal is None else [journal.old, "HEAD"])
    if journal is None:
        return Migrated(renamed=tuple(renamed.items()))
    changed = clone.changed(journal.old, "HEAD")
    removed = {Path(path).stem for path, letter in changed.items() if letter == "D"}
    migrated = Migrated(
        new=tuple(
            topic.id
            for topic in catalog.topics
            if changed.get(_place(topic)) == "A" and removed.isdisjoint((topic.id, *topic.formerly))
        ),
        followed=tuple(
            topic.id
            for topic in catalog.topics
            if changed.get(_place(topic)) == "M" and not is_changed(topic)
        ),
        renamed=tuple(renamed.items()),
        **_migrate_answers(root, clone, catalog, progress, journal),
    )
    for path, level in journal.blank.items():
        topic = _topic_of(catalog, path)
        if topic is not None and not is_changed(topic):
            replace_text(topic.exercise, text_at(topic, Level(level)))
    end_journal(root)
    return migrated


def _migrate_answers(
    root: Path, clone: Clone, catalog: Catalog, progress: Progress, journal: Journal
) -> dict[str, tuple[tuple[str, str], ...]]:
    beside, stranded = [], []
    for path in journal.answers:
        topic = _topic_of(catalog, path)
        if topic is None or not _is_moved(root / path, topic):
            stranded.append((path, "" if topic is None else _place(topic)))
            continue
        old, new = clone.content(journal.old, path), clone.content("HEAD", _place(topic))
        if new is not None and new != old:
            file = topic.exercise.with_suffix(NEW_STUB)
            if file.exists() and file.read_bytes() not in (old, new):
                progress.attempts.keep(topic.id, file.read_bytes())  # somebody went on writing there
            replace_content(file, new)
            beside.append((topic.id, file.relative_to(root).as_posix()))
    return {"beside": tuple(beside), "stranded": tuple(stranded)}


def _is_moved(file: Path, topic: Topic) -> bool:
    """Move an answer to the exercise of its topic, unless it is there; not over another answer."""
    if file == topic.exercise or not file.exists():
        return True
    if is_changed(topic):
        return False
    replace_content(topic.exercise, file.read_bytes())
    file.unlink()
    return True


def _remove_stubs_beside(root: Path, clone: Clone, catalog: Catalog, versions: list[str]) -> None:
    """Those that no answer stands beside any more; not where somebody wrote in them."""
    for file in Workspace(root).exercises.glob(f"*/*{NEW_STUB}"):
        exercise = file.with_name(file.name.replace(NEW_STUB, ".py")).relative_to(root).as_posix()
        topic = _topic_of(catalog, exercise)
        if topic is not None and is_changed(topic):
            continue
        if file.read_bytes() in [clone.content(version, exercise) for version in versions]:
            file.unlink()


def _topic_of(catalog: Catalog, path: str) -> Topic | None:
    """The topic whose exercise this is, or was."""
    try:
        return catalog[Path(path).stem]
    except UnknownTopic:
        return None


def _place(topic: Topic) -> str:
    return topic.exercise_name
