"""One student's folder: files called after their topics, chapters of them, or a whole workspace."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.batch.finding.names import topic_of
from grader.batch.finding.submission import IGNORED, Submission, Unrecognised, handed_in


@dataclass(frozen=True)
class Wanted:
    """Which names there are: topics, also former ones, with what they are called now; chapters; and the topic
    of files that are called otherwise, where only one is graded. `out`: where results go, which is nothing
    that was handed in.
    """

    topics: Mapping[str, str]
    chapters: frozenset[str]
    only: str | None = None
    out: Path | None = None


def in_folder(student: str, folder: Path, wanted: Wanted) -> Iterator[Submission | Unrecognised]:
    """What a student handed in with a folder."""
    home = _unwrapped(folder)
    if is_workspace(home):
        yield from _in_chapters(student, home / "exercises", folder, wanted)
        return
    unnamed, is_named = [], False
    for path in entries(home):
        topic = topic_of(path.stem, wanted.topics) if path.suffix == ".py" else None
        if topic is not None:
            is_named = True
            yield handed_in(student, wanted.topics[topic], path, folder)
        elif is_folder(path) and path.name in wanted.chapters:
            yield from _files(student, path, folder, wanted)
        elif path.suffix == ".py":
            unnamed.append(path)
        else:
            yield Unrecognised(path, "a folder" if is_folder(path) else "no Python file")
    if wanted.only is not None and len(unnamed) == 1 and not is_named:
        yield handed_in(student, wanted.only, unnamed[0], folder)
    else:
        yield from (Unrecognised(path, "not called after a topic") for path in unnamed)


def is_workspace(folder: Path) -> bool:
    """Whether it is what `byheart init` makes, or a clone."""
    return is_folder(folder / "exercises")


def is_folder(path: Path) -> bool:
    """Whether it is one itself: links are not followed, they could lead anywhere."""
    return path.is_dir() and not path.is_symlink()


def entries(folder: Path) -> list[Path]:
    """What lies in a folder, but for what tools put there."""
    visible = (path for path in folder.iterdir() if not path.name.startswith("."))
    return sorted(path for path in visible if path.name not in IGNORED)


def _unwrapped(folder: Path) -> Path:
    """What was handed in as an archive often is a folder in a folder."""
    inside = entries(folder)
    while (
        len(inside) == 1 and is_folder(inside[0]) and inside[0].suffix != ".py" and not is_workspace(folder)
    ):
        folder = inside[0]
        inside = entries(folder)
    return folder


def _in_chapters(
    student: str, exercises: Path, home: Path, wanted: Wanted
) -> Iterator[Submission | Unrecognised]:
    for path in entries(exercises):
        if is_folder(path):
            yield from _files(student, path, home, wanted)
        else:
            yield Unrecognised(path, "not in a chapter's folder")


def _files(student: str, folder: Path, home: Path, wanted: Wanted) -> Iterator[Submission | Unrecognised]:
    for path in entries(folder):
        topic = topic_of(path.stem, wanted.topics) if path.suffix == ".py" else None
        if topic is None:
            yield Unrecognised(path, "not called after a topic")
        else:
            yield handed_in(student, wanted.topics[topic], path, home)
