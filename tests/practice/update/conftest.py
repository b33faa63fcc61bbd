"""A published curriculum, its author's and its learner's clone."""

import shutil
from pathlib import Path

import pytest
from driving import PROJECT, catalog_in
from practice.update.authors import commit, git, improve, publish

from grader.practice.exercises.levels import text_at
from grader.practice.schedule import Level


@pytest.fixture(scope="session")
def published(tmp_path_factory) -> Path:
    """A folder with a bare repository `origin`, and `author`, a clone of it in which one writes."""
    folder = tmp_path_factory.mktemp("published")
    author = folder / "author"
    for name in ("grader", "solutions", "exercises"):
        shutil.copytree(PROJECT / name, author / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Makefile", ".gitignore", "pyproject.toml", "constraints.txt"):
        shutil.copy(PROJECT / name, author / name)
    catalog = catalog_in(author)
    for topic in catalog.topics:  # whatever the learner has written in the project that is tested
        topic.exercise.write_text(text_at(topic, Level.STUB), encoding="utf-8")
    git(folder, "init", "--quiet", "author")
    commit(author, "First version")
    git(folder, "clone", "--quiet", "--bare", "author", "origin")
    git(author, "remote", "add", "origin", str(folder / "origin"))
    return folder


@pytest.fixture
def author(published, tmp_path) -> Path:
    """Where a newer version is written; `publish` brings it to the remote."""
    shutil.copytree(published / "origin", tmp_path / "origin")
    git(tmp_path, "clone", "--quiet", "origin", "author")
    return tmp_path / "author"


@pytest.fixture
def clone(author, tmp_path) -> Path:
    """A learner's clone."""
    git(tmp_path, "clone", "--quiet", "origin", "clone")
    return tmp_path / "clone"


@pytest.fixture
def newer(clone, author) -> None:
    improve(author, "foundations/softmax")
    publish(author)
