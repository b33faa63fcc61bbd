"""The files of a workspace that come from the curriculum: written at first, and brought up to date later.

What was written is known by its hash, so that what a learner has edited is left alone.
"""

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from grader import VERSION
from grader.curriculum.catalog import Catalog, Topic, UnknownTopic
from grader.curriculum.exercises.files import replace_content, replace_text, stub_of
from grader.curriculum.workspace import Workspace
from grader.practice.exercises.contents import is_changed, text_of
from grader.practice.exercises.levels import level_of, text_at

SETTINGS = """\
# This folder is a workspace of byheart. README.md says what is in it.

# The byheart that brought it up to date last.
version = "{version}"

# Other people's topics: their folders, from here or absolute, such as "../our-course".
packs = []
"""
README = """\
# Practice

A workspace of byheart: transformer components, written from memory.

    byheart list            # where you stand, and what to do now
    byheart check softmax   # grade exercises/foundations/softmax.py
    byheart today           # what is due, one thing after the other
    byheart --help          # all commands; they work in this folder and below it

- `exercises/`: what you fill in. Nothing that you write is ever overwritten.
- `notebooks/`: the explanations, to run and to change (VS Code, Jupyter). `byheart notebook gqa` shows one.
- `.practice/`: your progress, with every answer that was graded. With the exercises it is all there is.
- `byheart.toml`: other people's topics (`packs`).

`pip install --upgrade byheart`, then `byheart update`, brings new topics and corrections.
"""
IGNORED = """\
.practice/
build/
exercises/**/*.*.py
notebooks/**/*.new.ipynb
byheart-*.jsonl
.ipynb_checkpoints/
__pycache__/
"""


@dataclass(frozen=True)
class Followed:
    """What bringing files up to date did. Paths are relative to the workspace."""

    new: tuple[str, ...] = ()  # topics
    followed: tuple[str, ...] = ()  # topics whose exercise nobody had edited
    beside: tuple[tuple[str, str], ...] = ()  # edited files, and where their new version stands
    stranded: tuple[
        tuple[str, str], ...
    ] = ()  # what is left where it was, and the place of its like now, if any


def generated(catalog: Catalog, workspace: Workspace) -> dict[str, bytes]:
    """Every file by its path in the workspace, with what it holds at first."""
    files = {"README.md": README.encode(), ".gitignore": IGNORED.encode()}
    for topic in catalog.topics:
        files[_place(topic)] = stub_of(topic.solution.read_text(encoding="utf-8")).encode()
        if topic.notebook.exists():
            files[_place_of_notebook(topic, workspace)] = topic.notebook.read_bytes()
    return files


def write_workspace(catalog: Catalog, workspace: Workspace) -> None:
    """Write all files of a workspace in which nothing is yet; its settings last, which make it one."""
    files = generated(catalog, workspace)
    for path, content in files.items():
        replace_content(workspace.root / path, content)
    _remember(workspace, {path: _hash(content) for path, content in files.items()})
    replace_text(workspace.settings, SETTINGS.format(version=VERSION))


def follow(catalog: Catalog, workspace: Workspace) -> Followed:
    """Bring the files of a workspace up to date: what nobody has edited is replaced; beside what was edited
    its new version is put, if it is a new one. What is gone from the curriculum goes, unless it was edited.
    """
    known, files = _remembered(workspace), generated(catalog, workspace)
    stranded = tuple(_gone(catalog, workspace, known, files))
    new, followed, beside = [], [], []
    exercises = {_place(topic): topic for topic in catalog.topics}
    names = {Path(path).stem for path in known}
    for path, content in files.items():
        file, topic = workspace.root / path, exercises.get(path)
        if not file.exists():
            replace_content(file, content)
            is_new = topic is not None and names.isdisjoint((topic.id, *topic.formerly))
            new += [topic.id] if topic is not None and is_new else []
        elif known.get(path) == _hash(content):
            pass  # what the curriculum has is not new
        elif _is_untouched(file, topic, known.get(path)):
            _replace(file, topic, content)
            followed += [topic.id] if topic is not None else []
        elif file.read_bytes() != content:
            other = file.with_suffix(f".new{file.suffix}")
            replace_content(other, content)
            beside.append((path, other.relative_to(workspace.root).as_posix()))
    _remember(workspace, {path: _hash(content) for path, content in files.items()})
    _say_version(workspace)
    return Followed(tuple(new), tuple(followed), tuple(beside), stranded)


def _gone(
    catalog: Catalog, workspace: Workspace, known: dict[str, str], files: dict[str, bytes]
) -> Iterator[tuple[str, str]]:
    """Look after what was written once and is no longer: what a learner wrote moves with a renamed topic.
    Gives what stays where it is, each with its place now, if it has one.
    """
    for path in sorted(known.keys() - files.keys()):
        file = workspace.root / path
        if not file.exists():
            continue
        if _hash(file.read_bytes()) == known[path]:
            file.unlink()
            with contextlib.suppress(OSError):  # other files are in the folder
                file.parent.rmdir()
            continue
        topic = _topic_of(catalog, path)
        if topic is None:
            yield path, ""
            continue
        is_exercise = path.endswith(".py")
        place = _place(topic) if is_exercise else _place_of_notebook(topic, workspace)
        if is_changed(topic) if is_exercise else (workspace.root / place).exists():
            yield path, place
        else:
            replace_content(workspace.root / place, file.read_bytes())
            file.unlink()
            known[place] = known.pop(path)


def _is_untouched(file: Path, topic: Topic | None, known: str | None) -> bool:
    """Whether nothing in a file is the learner's. A drill leaves exercises that are blank at other levels."""
    if _hash(file.read_bytes()) == known:
        return True
    return topic is not None and not is_changed(topic)


def _replace(file: Path, topic: Topic | None, content: bytes) -> None:
    """An exercise that is blank at some level stays so."""
    level = None if topic is None else level_of(topic, text_of(topic))
    if topic is not None and level is not None:
        content = text_at(topic, level).encode()
    replace_content(file, content)


def _say_version(workspace: Workspace) -> None:
    text = workspace.settings.read_text(encoding="utf-8")
    line = f'version = "{VERSION}"'
    said = re.sub(r"(?m)^version\s*=.*$", line, text)
    if re.search(r"(?m)^version\s*=", text) is None:
        said = f"{line}\n{text}"
    if said != text:
        replace_text(workspace.settings, said)


def _topic_of(catalog: Catalog, path: str) -> Topic | None:
    try:
        return catalog[Path(path).stem]
    except UnknownTopic:
        return None


def _place(topic: Topic) -> str:
    return topic.exercise_name


def _place_of_notebook(topic: Topic, workspace: Workspace) -> str:
    return workspace.notebook(topic.chapter, topic.id).relative_to(workspace.root).as_posix()


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()


def _list(workspace: Workspace) -> Path:
    return workspace.practice / "generated.json"


def _remembered(workspace: Workspace) -> dict[str, str]:
    """The hashes of what was written; none where that is not known any more."""
    try:
        kept = json.loads(_list(workspace).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(path): str(hash_) for path, hash_ in kept.items()} if isinstance(kept, dict) else {}


def _remember(workspace: Workspace, hashes: dict[str, str]) -> None:
    replace_text(_list(workspace), json.dumps(hashes, indent=1))
