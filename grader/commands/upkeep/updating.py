"""Bringing a newer version of the curriculum."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from grader.commands.usage import fail
from grader.curriculum.catalog import load_catalog
from grader.curriculum.workspace import Workspace, current_workspace, is_clone_of_this
from grader.practice.command_line import newer_version, typed

INSTALLED = ".venv/installed"
"""The target of the Makefile that installs what constraints.txt pins."""


def update(after: Annotated[bool, typer.Option("--after", hidden=True)] = False) -> None:
    """Bring a newer version of the curriculum; what you wrote stays as it is."""
    from grader.practice.record.unavailable import ProgressUnavailable
    from grader.practice.update.clone import CannotUpdate

    try:
        if not is_clone_of_this(current_workspace().root):
            _follow(current_workspace())
        elif after:  # the new version's half
            _settle()
        else:
            _update()
    except (CannotUpdate, ProgressUnavailable) as problem:
        fail(str(problem))
    except OSError as error:
        again = f"Every answer is kept; when that is mended: {typed('update')}"
        fail(f"The update stopped: {error}. {again}")


def _follow(workspace: Workspace) -> None:
    """Bring a workspace up to the version of byheart that is installed."""
    from grader.practice.record.progress import open_progress
    from grader.practice.record.renaming import rename_topics
    from grader.practice.update.generated import follow
    from grader.show.pages.update import followed_text
    from grader.show.terminal.console import say

    catalog = load_catalog()
    with _alone(workspace.settings):
        renamed = rename_topics(open_progress().database, catalog)
        text = followed_text(follow(catalog, workspace), renamed)
    say(text or "All is as the installed byheart has it.")
    say(f"A newer one, if there is one: {newer_version()}, then: {typed('update')}")


def _update() -> None:
    # All that is needed is imported before the files of the program change.
    from grader.practice.record.progress import open_progress
    from grader.practice.update.clone import Clone
    from grader.practice.update.pulling import Update
    from grader.show.terminal.console import tell

    root = current_workspace().root
    clone = Clone(root)
    with _alone(root / ".git"):
        bringing = Update(root, clone, load_catalog(), open_progress(), tell)
        if not bringing.finish_earlier():
            _settle()
            if not bringing.bring():
                print("This is the newest version.")
                return
        _install()
        if subprocess.run([sys.executable, "-m", "grader", "update", "--after"], cwd=root).returncode != 0:
            fail("The new version is here, and your answers are in place. To finish: " + typed("update"))
        print(f"byheart is up to date. Next: {typed('list')}")


def _settle() -> None:
    from grader.practice.record.progress import open_progress
    from grader.practice.update.migration import migrate
    from grader.show.pages.update import update_text
    from grader.show.terminal.console import say

    if text := update_text(migrate(current_workspace().root, load_catalog(), open_progress())):
        say(text)
        sys.stdout.flush()


def _install() -> None:
    """What the new version needs, if it was set up by make; nothing happens where nothing is new."""
    root = current_workspace().root
    if (root / INSTALLED).exists():
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
        }
        subprocess.run(["make", "--silent", "--no-print-directory", INSTALLED], cwd=root, env=environment)


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """One update at a time; the lock on that place goes with the process."""
    lock = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        fail(f"Another {typed('update')} is at work: wait for it.")
    finally:
        os.close(lock)
