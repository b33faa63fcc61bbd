"""All submissions below some paths."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from grader.batch.finding.exported import METADATA, students_of
from grader.batch.finding.folders import Wanted, entries, in_folder, is_folder, is_workspace
from grader.batch.finding.manifest import in_manifest
from grader.batch.finding.names import common_prefix, from_platform, holds_topic, student_and_topic, topic_of
from grader.batch.finding.submission import Found, Submission, Unrecognised, handed_in, in_order
from grader.curriculum.catalog import Catalog

_WHOSE = "called after a topic, but whose is it?"


def find(
    paths: Sequence[Path],
    catalog: Catalog,
    topics: Sequence[str] = (),
    student: str | None = None,
    out: Path | None = None,
) -> Found:
    """What lies there, of these topics (none: of all), but for the folder `out`; all of it is `student`'s, if
    one is named. Raises `BadManifest`.

    A path is a file, a manifest, a student's folder, or a folder of students' folders and files. A name that
    another topic is in is one of that topic, whichever are asked for.
    """
    names = {name: topic.id for topic in catalog.topics for name in (topic.id, *topic.formerly)}
    chapters = frozenset(chapter.id for chapter in catalog.chapters)
    own = None if out is None else out.resolve()
    wanted = Wanted(names, chapters, topics[0] if len(topics) == 1 else None, own)
    within = partial(_in_path, wanted=wanted) if student is None else partial(_of_one, student, wanted=wanted)
    found = [each for path in paths for each in within(path)]
    submissions = (each for each in found if isinstance(each, Submission))
    first = in_order({each.path.absolute(): each for each in submissions}.values())
    others = [each for each in found if isinstance(each, Unrecognised)]
    kept = tuple(each for each in first.submissions if not topics or each.topic in topics)
    return Found(kept, (*others, *first.unrecognised))


def _of_one(student: str, path: Path, wanted: Wanted) -> Iterator[Submission | Unrecognised]:
    """A path that is one student's, whatever it is called."""
    if path.is_dir():
        yield from _opened(student, path, wanted)
    elif (topic := wanted.topics.get(topic_of(path.stem, wanted.topics) or "") or wanted.only) is not None:
        yield handed_in(student, topic, path, path.parent)
    else:
        yield Unrecognised(path, "not called after a topic")


def _in_path(path: Path, wanted: Wanted) -> Iterator[Submission | Unrecognised]:
    if not path.is_dir():
        if path.suffix == ".csv":
            yield from in_manifest(path, wanted)
        else:
            yield from _flat([path], path.parent, wanted)
        return
    own = path.absolute().name
    if is_workspace(path):
        yield from _opened(own, path, wanted)
        return
    inside = [each for each in entries(path) if not (is_folder(each) and each.resolve() == wanted.out)]
    folders = [each for each in inside if is_folder(each) and each.suffix != ".py"]
    files = [each for each in inside if each not in folders and each.name != METADATA]
    if _is_one_students(folders, files, wanted):
        yield from _opened(own, path, wanted)
        return
    yield from _flat(files, path, wanted)
    students, prefix = students_of(path), common_prefix([each.name for each in folders], own)
    for folder in folders:
        handed = from_platform(folder.name)
        student = handed.student if handed and not handed.file else students.get(folder.name)
        yield from _opened(student or folder.name.removeprefix(prefix), folder, wanted)


def _opened(student: str, folder: Path, wanted: Wanted) -> Iterator[Submission | Unrecognised]:
    try:
        yield from in_folder(student, folder, wanted)
    except OSError as error:
        yield Unrecognised(folder, f"cannot be opened: {error.strerror}")


def _is_one_students(folders: Iterable[Path], files: Iterable[Path], wanted: Wanted) -> bool:
    """Whether nothing in a folder is called after a student, and something after a topic or a chapter."""
    if any(each.name not in wanted.chapters for each in folders):
        return False
    python = [each for each in files if each.suffix == ".py"]
    called = [topic_of(each.stem, wanted.topics) is not None for each in python]
    return all(called) and (any(called) or any(True for _ in folders))


def _flat(files: Iterable[Path], home: Path, wanted: Wanted) -> Iterator[Submission | Unrecognised]:
    """Files of several students beside each other."""
    for path in files:
        if path.suffix != ".py":
            yield Unrecognised(path, "no Python file")
            continue
        handed = from_platform(path.stem)
        if handed and handed.file:
            topic = topic_of(handed.file, wanted.topics)
            student = handed.student
        elif topic_of(path.stem, wanted.topics) is not None:
            yield Unrecognised(path, _WHOSE)
            continue
        else:
            both = student_and_topic(path.stem, wanted.topics)
            student, topic = both if both else (path.stem, None)
        if topic is not None:
            yield handed_in(student, wanted.topics[topic], path, home)
        elif wanted.only is not None and not holds_topic(handed.file if handed else path.stem, wanted.topics):
            yield handed_in(student, wanted.only, path, home)
        else:
            yield Unrecognised(path, "its name has no topic, or two")
