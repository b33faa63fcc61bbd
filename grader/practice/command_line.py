"""A command as this learner types it, for the sentences that say what to do next."""

import sys
from pathlib import Path

from grader.curriculum.pack import PROJECT, is_clone
from grader.curriculum.workspace import current_workspace, is_clone_of_this


def typed(command: str, args: str = "", **options: object) -> str:
    """Such as `make check topic=gqa`, which works in the folder of a clone; or `byheart check gqa` where
    byheart was called by its name, from whatever folder, or works elsewhere than in its clone. `args` are
    options that both take as they are.
    """
    if Path(sys.argv[0]).name == "byheart" or not is_clone_of_this(current_workspace().root):
        words = ["byheart", command, *map(str, options.values()), args]
    else:
        words = ["make", command, *(f"{name}={value}" for name, value in options.items())]
        words += [f"args={args}"] if args else []
    return " ".join(filter(None, words))


def newer_version() -> str:
    """The command that brings a newer byheart."""
    if not is_clone():
        return "pip install --upgrade byheart"
    return typed("update") if is_clone_of_this(current_workspace().root) else f"make -C {PROJECT} update"
