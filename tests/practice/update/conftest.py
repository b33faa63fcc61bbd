"""A published curriculum, its author's and its learner's clone."""

import os
import shutil
from pathlib import Path

import pytest
from driving import PROJECT, catalog_in
from practice.update.authors import commit, git, improve, publish

from grader.practice.exercises.levels import text_at
from grader.practice.schedule import Level


@pytest.fixture(scope="session")
def published(tmp_path_factory) -> Path:
    """A folder with a bare repository `origin`, and `author`, a clone of it as it is at first."""
    folder = tmp_path_factory.mktemp("published")
    author = folder / "author"
    for name in ("grader", "solutions", "exercises"):
        shutil.copytree(PROJECT / name, author / name)
    for name in ("Makefile", ".gitignore", "pyproject.toml", "constraints.txt"):
        shutil.copy(PROJECT / name, author / name)
    catalog = catalog_in(author)
    for topic in catalog.topics:  # whatever the learner has written in the project that is tested
        topic.exercise.write_text(text_at(topic, Level.STUB), encoding="utf-8")
    git(folder, "init", "--quiet", "author")
    commit(author, "First version")
    git(folder, "clone", "--quiet", "--bare", "author", "origin")
    git(folder / "origin", "gc", "--quiet")  # one file instead of thousands, in each copy
    git(author, "remote", "add", "origin", str(folder / "origin"))
    return folder


@pytest.fixture
def author(published, tmp_path) -> Path:
    """Where a newer version is written; `publish` brings it to the remote."""
    shutil.copytree(published / "origin", tmp_path / "origin")
    return cloned(published, tmp_path / "author")


@pytest.fixture
def clone(published, author, tmp_path) -> Path:
    """A learner's clone."""
    return cloned(published, tmp_path / "clone")


@pytest.fixture
def newer(clone, author) -> None:
    improve(author, "foundations/softmax")
    publish(author)


def cloned(published: Path, root: Path) -> Path:
    """A clone of the `origin` beside it, whose code is compiled: that takes a second for each command."""
    git(root.parent, "clone", "--quiet", "origin", root.name)
    code = published / "author" / "grader"
    for source in code.rglob("*.py"):
        compiled_at = source.stat().st_mtime_ns
        os.utime(root / "grader" / source.relative_to(code), ns=(compiled_at, compiled_at))
    for compiled in (each for each in code.rglob("__pycache__") if "topics" not in each.parts):
        shutil.copytree(compiled, root / "grader" / compiled.relative_to(code), copy_function=os.link)
    return root
