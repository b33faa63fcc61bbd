"""A workspace of one's own: `init`."""

from pathlib import Path
from typing import Annotated

import typer

from grader.commands.usage import fail, say
from grader.curriculum.workspace import SETTINGS, Workspace
from grader.practice.command_line import program


def init(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where; without one, here.")] = Path("."),
) -> None:
    """Make a workspace: a folder of your own with exercises and notebooks."""
    from grader.curriculum.catalog import load_catalog
    from grader.practice.update.generated import write_workspace

    root = folder.expanduser().absolute()
    workspace = Workspace(root)
    if workspace.is_there:
        fail(f"{root} is a workspace already. To bring it up to date: {program()} update")
    if root.exists() and not root.is_dir():
        fail(f"{root} is not a folder.")
    if root.is_dir() and (other := sorted(entry.name for entry in root.iterdir())):
        fail(f"{root} holds something else ({other[0]}): nothing was written. Give an empty or a new folder.")
    try:
        catalog = load_catalog(workspace=workspace)
        write_workspace(catalog, workspace)
    except OSError as error:
        fail(f"The workspace cannot be written: {error}")
    first, byheart = catalog.topics[0], program()
    notebooks = sum(topic.notebook.exists() for topic in catalog.topics)
    here = "" if root == Path.cwd() else f"cd {folder}, then: "
    say(
        f"{root} is your workspace: {len(catalog.topics)} exercises, {notebooks} notebooks.\n"
        f"  1. Open {first.exercise_name} and replace raise NotImplementedError.\n"
        f"  2. {here}{byheart} check {first.id}\n"
        f"  3. {byheart} list shows where you stand, {byheart} today what is due.\n"
        f"Later: {byheart} update brings what is new. {SETTINGS} is for topics of other people."
    )
