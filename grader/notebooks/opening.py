"""Showing a notebook: in JupyterLab where that is installed, to be run, else as a page in the browser."""

import copy
import importlib.util
import subprocess
import sys
import webbrowser
from pathlib import Path
from typing import Any

import nbformat

from grader.curriculum.catalog import Topic
from grader.curriculum.exercises.files import replace_text
from grader.notebooks.cleaning import read_notebook
from grader.notebooks.pages import pages_folder
from grader.practice.record import clock


def has_jupyterlab() -> bool:
    """Whether JupyterLab is installed beside this Python."""
    return importlib.util.find_spec("jupyterlab") is not None


def write_copy(topic: Topic, notebook: Any) -> tuple[Path, Path | None]:
    """Write a notebook to where it can be changed at will; without outputs, which answer its questions.

    An earlier copy that was changed is kept under another name, which is given too.
    """
    path = pages_folder() / topic.chapter / f"{topic.id}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = None
    if path.exists() and _sources(read_notebook(path)) != _sources(notebook):
        kept = path.with_name(f"{topic.id}-{clock.now().astimezone():%Y%m%d-%H%M%S}.ipynb")
        path.rename(kept)
    replace_text(path, nbformat.writes(_unexecuted(notebook)))
    return path, kept


def open_in_jupyterlab(path: Path) -> None:
    """Run JupyterLab on a notebook until it is ended."""
    subprocess.run([sys.executable, "-m", "jupyterlab", str(path)], check=False)


def open_in_browser(path: Path) -> bool:
    """Show a page; False where there is no browser."""
    return webbrowser.open(path.as_uri())


def _unexecuted(notebook: Any) -> Any:
    fresh = copy.deepcopy(notebook)
    for cell in fresh.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return fresh


def _sources(notebook: Any) -> list[str]:
    return [cell.source for cell in notebook.cells]
