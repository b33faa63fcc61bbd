"""A command as this learner types it, for the sentences that say what to do next."""

import re
import shlex
import sys
from pathlib import Path

from grader.curriculum.pack import PROJECT, is_clone
from grader.curriculum.workspace import current_workspace, is_clone_of_this


def typed(command: str, args: str = "", **options: object) -> str:
    """Such as `make check topic=gqa`, which works in the folder of a clone; or `byheart check gqa` where
    byheart was called by its name, from whatever folder, or works elsewhere than in its clone. `args` are
    options that both take as they are.
    """
    if _uses_make():
        words = ["make", command, *(f"{name}={value}" for name, value in options.items())]
        words += [f"args={shlex.quote(args)}"] if args else []
    else:
        words = [program(), command, *map(str, options.values()), args]
    return " ".join(filter(None, words))


def typed_option(name: str, value: str) -> str:
    """Such as `limit=3`, or `--limit 3`."""
    return f"{name}={value}" if _uses_make() else f"--{name} {value}"


def _uses_make() -> bool:
    by_name = Path(sys.argv[0]).name == "byheart"
    return not by_name and is_clone_of_this(current_workspace().root)


def program() -> str:
    """How byheart is called by its name: what `uvx` ran for once is not on the `PATH` afterwards."""
    return "uvx byheart" if _is_for_once() else "byheart"


def newer_version() -> str:
    """The command that brings a newer byheart, by the program that brought this one."""
    if is_clone():
        here = is_clone_of_this(current_workspace().root)
        return typed("update") if here else f"make -C {PROJECT} update"
    if _is_for_once():
        return "uvx byheart@latest"
    installed_by = {"pipx_metadata.json": "pipx upgrade", "uv-receipt.toml": "uv tool upgrade"}
    upgrades = (command for file, command in installed_by.items() if Path(sys.prefix, file).exists())
    return f"{next(upgrades, 'pip install --upgrade')} byheart"


def _is_for_once() -> bool:
    """Whether this is an environment in uv's cache, where `uvx` makes them."""
    return any(re.fullmatch(r"(archive|environments)-v\d+", part) for part in Path(sys.prefix).parts)
