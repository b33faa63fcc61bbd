"""A workspace of one's own: `init`; and what commands do where there is none."""

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from grader import VERSION
from grader.commands.usage import fail, refuse, say
from grader.curriculum.workspace import NAMED, SETTINGS, Workspace, current_workspace, read_settings
from grader.practice.command_line import newer_version

ANYWHERE = frozenset(("init", "doctor", "check", "new", "verify", "bench", "readme"))
"""Commands that need no workspace (`check` only for a file)."""

Folder = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help=f"Work in this workspace (or: {NAMED} says which).")
]


def begin(context: typer.Context, workspace: Folder = None) -> None:
    """Practise transformer components from memory, graded on your own machine."""
    if workspace is not None:
        os.environ[NAMED] = str(workspace.expanduser().absolute())
    command = context.invoked_subcommand
    if command is None:
        typer.echo(context.get_help())
        if not current_workspace().is_there:
            say("\nThere is no workspace here yet. This makes one: byheart init FOLDER")
        raise typer.Exit(2)
    if command not in ANYWHERE:
        require_workspace()


def require_workspace() -> None:
    """End as wrong usage where there is no workspace, or one of a newer byheart."""
    workspace = current_workspace()
    if not workspace.is_there:
        where = f"{workspace.root} is no workspace" if NAMED in os.environ else "There is no workspace here"
        refuse(f"{where}. This makes one: byheart init FOLDER")
    version = read_settings(workspace).version
    if version is not None and _numbers(version) > _numbers(VERSION):
        refuse(
            f"The workspace {workspace.root} was brought up to date by byheart {version}, and this is "
            f"{VERSION}. Bring this one up to date: {newer_version()}"
        )


def init(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where; without one, here.")] = Path("."),
) -> None:
    """Make a workspace: a folder of your own with exercises and notebooks."""
    from grader.curriculum.catalog import load_catalog
    from grader.practice.update.generated import write_workspace

    root = folder.expanduser().absolute()
    workspace = Workspace(root)
    if workspace.is_there:
        fail(f"{root} is a workspace already. To bring it up to date: byheart update")
    if root.exists() and not root.is_dir():
        fail(f"{root} is no folder.")
    if root.is_dir() and (other := sorted(entry.name for entry in root.iterdir())):
        fail(f"{root} holds something else ({other[0]}): nothing was written. Give an empty or a new folder.")
    try:
        catalog = load_catalog(workspace=workspace)
        write_workspace(catalog, workspace)
    except OSError as error:
        fail(f"The workspace cannot be written: {error}")
    first = catalog.topics[0]
    here = "" if root == Path.cwd() else f"cd {folder}, then: "
    say(
        f"{root} is your workspace: {len(catalog.topics)} exercises, and a notebook for most of them.\n"
        f"  1. Open {first.exercise_name} and replace raise NotImplementedError.\n"
        f"  2. {here}byheart check {first.id}\n"
        "  3. byheart list shows where you stand, byheart today what is due.\n"
        f"Later: byheart update brings what is new. {SETTINGS} is for topics of other people."
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))
