"""Where a command works: in the workspace that is named, or nearest; and what it does where there is none."""

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from grader import VERSION
from grader.commands.usage import refuse, say
from grader.curriculum.workspace import NAMED, current_workspace, read_settings
from grader.practice.command_line import newer_version, program

ANYWHERE = frozenset(
    ("init", "doctor", "check", "grade", "gradescope", "new", "verify", "notebooks-clean", "bench", "readme")
)
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
            say(f"\nThere is not a workspace here yet. This makes one: {program()} init FOLDER")
        raise typer.Exit(2)
    if command not in ANYWHERE:
        require_workspace()


def require_workspace() -> None:
    """End as wrong usage where there is no workspace, or one of a newer byheart."""
    workspace = current_workspace()
    if not workspace.is_there:
        is_named = NAMED in os.environ
        where = f"{workspace.root} is not a workspace" if is_named else "There is no workspace here"
        refuse(f"{where}. This makes one: {program()} init FOLDER")
    version = read_settings(workspace).version
    if version is not None and _numbers(version) > _numbers(VERSION):
        refuse(
            f"The workspace {workspace.root} was brought up to date by byheart {version}, and this is "
            f"{VERSION}. Bring this one up to date: {newer_version()}"
        )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))
