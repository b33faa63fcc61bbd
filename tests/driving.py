"""Running byheart as its users do, in a copy of the project."""

import contextlib
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from grader.curriculum.catalog import Catalog, load_catalog
from grader.curriculum.pack import Pack
from grader.curriculum.workspace import Workspace
from grader.practice.record.progress import Progress, open_progress

TESTS = Path(__file__).parent
PROJECT = TESTS.parent
CATALOG = load_catalog()
"""byheart's own, read once for all tests that only look at it."""

BRIEF = {"repair_seconds": 0.3, "naming_seconds": 0.3}
"""For hostile answers: the walls around each change of one, and around each version that it is compared with,
are the same, however many are tried.
"""
_CHECKS = CATALOG["softmax"].checks.read_text(encoding="utf-8").count("\ndef test_")
ALL_PASSED = f"{_CHECKS} of {_CHECKS} checks passed"
"""What is said of a right answer to softmax."""
OF_ALL = f" of {_CHECKS} checks"
ALL_BUT_THREE_PASSED = f"{_CHECKS - 3}{OF_ALL} passed"
"""What is said of `golden/softmax/nan.py`."""


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


def has_ended(process: psutil.Process) -> bool:
    """Whether it runs no more. One that has ended stays listed until its parent asks for its status, and who
    has taken over an orphan does that when it likes.
    """
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:  # just now
        return True


def wait_for_empty_folders(judge: int) -> int:
    """Wait until each worker that waits below the judge of this process id has a folder, an empty one, and
    nobody else has left any; how many these are.
    """
    deadline = time.monotonic() + 30
    while True:
        folders = glob.glob(f"{tempfile.gettempdir()}/byheart-{judge}-*")
        with contextlib.suppress(psutil.NoSuchProcess, FileNotFoundError):  # some only help others to start
            workers = [len(zygote.children()) for zygote in psutil.Process(judge).children()]
            if not any(map(os.listdir, folders)) and len(folders) == sum(workers):
                return len(folders)
        assert time.monotonic() < deadline, folders
        time.sleep(0.01)


def catalog_in(root: Path) -> Catalog:
    """The catalog of the clone in `root`."""
    return load_catalog(Pack.in_clone(root), Workspace(root))


def progress_in(root: Path, **options: Callable[[str], None]) -> Progress:
    """The progress that is kept in `root`."""
    return open_progress(Workspace(root), **options)


def copy_project(root: Path) -> Path:
    """A copy without exercises and notebooks, in which nothing is recorded."""
    for folder in ("grader", "solutions"):
        shutil.copytree(PROJECT / folder, root / folder)  # compiled modules are as new as their sources
    return root


def own_room(room: Path) -> Path:
    """The room of a `project`, which shares it with others, as its own from now on."""
    shared = room.readlink()
    room.unlink()
    return Path(shutil.copytree(shared, room))
