"""The page: practice in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from grader.commands.usage import AnyTopicId, fail, find, refuse, tell
from grader.curriculum.catalog import load_catalog

EXTRA = "nicegui"


def open_page(
    topic: AnyTopicId = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Listen there; else where it did last.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open it in the browser.")] = True,
) -> None:
    """Practise in the browser: the page is on this machine alone."""
    from grader.web.server import CannotListen, serve

    wanted = None if topic is None else find(load_catalog(), topic)
    require_extra()
    try:
        serve(wanted, port, browser)
    except CannotListen as problem:
        fail(str(problem))


def require_extra() -> None:
    """Install what the page needs where this is a clone; else say how."""
    import importlib.util

    if importlib.util.find_spec(EXTRA) is not None:
        return
    from grader.curriculum.pack import PROJECT, is_clone

    if not is_clone():
        refuse('The page needs NiceGUI. To install it: pip install "byheart[web]"')
    tell("The page needs NiceGUI, which is installed now (once, some 30 MB) ...")
    if not _is_installed(PROJECT) or importlib.util.find_spec(EXTRA) is None:
        fail("NiceGUI could not be installed: check the network and the space on disk, then try again.")


def _is_installed(project: Path) -> bool:
    """Whether what the extra asks for could be installed into this environment."""
    import importlib
    import subprocess
    import sys
    import tomllib

    with (project / "pyproject.toml").open("rb") as file:
        wanted = tomllib.load(file)["project"]["optional-dependencies"]["web"]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*pip, "-c", "constraints.txt", *wanted], cwd=project, stdout=sys.stderr)
    importlib.invalidate_caches()
    return done.returncode == 0
