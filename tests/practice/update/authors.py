"""An author who publishes newer versions, and a learner's clone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from driving import progress_in

from grader.practice.record.progress import Progress

DONE, NOT_DONE = 0, 1
GIT = shutil.which("git") or "git"
SETTINGS = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
SOFTMAX, GQA, SDPA = (
    f"exercises/{name}.py" for name in ("foundations/softmax", "attention/gqa", "attention/sdpa")
)
ANSWER = "# My own words, and no UTF-8: \udcff\r\n".encode(errors="surrogateescape")


def git(root: Path, *arguments: str) -> str:
    command = [GIT, *SETTINGS, "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def byheart(root: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", *arguments]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=120)


def commit(root: Path, message: str) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", message)


def publish(author: Path) -> None:
    commit(author, "Newer version")
    git(author, "push", "--quiet", "origin", "main")


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def improve(author: Path, *names: str) -> None:
    """Write a sentence more into the contracts of topics."""
    for name in names:
        edit(author / f"solutions/{name}.py", '"""\n\nimport', '\nOne sentence more.\n"""\n\nimport')
    assert byheart(author, "stubs").returncode == DONE


def head(root: Path) -> str:
    return git(root, "rev-parse", "HEAD")


def state(root: Path) -> dict[str, bytes]:
    """Everything in the project that is git's or the learner's, but not git's own notes on remotes."""
    files = [path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts]
    found = {
        str(path.relative_to(root)): path.read_bytes() for path in files if "__pycache__" not in path.parts
    }
    return {**found, "HEAD": head(root).encode()}


def progress_of(root: Path) -> Progress:
    return progress_in(root, told=pytest.fail)
