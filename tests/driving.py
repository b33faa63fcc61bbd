"""Running byheart as its users do, in a copy of the project."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from grader.curriculum.catalog import PROJECT

TESTS = Path(__file__).parent


def byheart(
    root: Path, *arguments: str, keys: str | None = None, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run a command in the project in `root`: `-m` finds what stands in the current directory first. `keys`
    is what is typed; without, nothing comes in and nobody is asked.
    """
    return subprocess.run(
        command(*arguments),
        cwd=root,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL if keys is None else None,
        input=keys,
        capture_output=True,
        text=True,
        timeout=120,
    )


def command(*arguments: str) -> list[str]:
    """A command as `subprocess` takes it."""
    return [sys.executable, "-m", "grader", *arguments]


def copy_project(root: Path) -> Path:
    """A copy without exercises and notebooks, in which nothing is recorded."""
    for folder in ("grader", "solutions"):
        shutil.copytree(PROJECT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return root
