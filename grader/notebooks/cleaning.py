"""Notebooks as they are committed: nothing in them that a run leaves behind, and the same bytes each time.

The code of pictures and tables is folded in JupyterLab, so that it does not tell what they will show.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat

from grader.curriculum.catalog import Catalog, Topic
from grader.curriculum.exercises.files import replace_text
from grader.notebooks.folding import draws
from grader.notebooks.parts import try_source

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def read_notebook(path: Path) -> Any:
    """The notebook in a file, in the current format. ValueError names the file when it is none."""
    try:
        return nbformat.read(path, as_version=4)
    except Exception as error:
        raise ValueError(f"{path} is no notebook: {error}") from error


def clean_text(notebook: Any, topic: Topic) -> str:
    """The text of a topic's notebook without outputs and leftovers, and with its cell to try it in.

    Ids of cells stay; a cell that has none, or another cell's, gets one made from its source.
    """
    cells = [(cell.cell_type, cell.source.strip(), cell.get("id", "")) for cell in notebook.cells]
    cells = [cell for cell in cells if cell[1]]
    last_id = cells.pop()[2] if cells and cells[-1][1].startswith("%%check") else ""
    cells.append(("code", try_source(topic), last_id))
    clean = nbformat.v4.new_notebook(metadata=METADATA)
    clean.nbformat_minor = 5
    taken: set[str] = set()
    for kind, source, old_id in cells:
        clean.cells.append(_new_cell(kind, source, _free_id(old_id, source, taken)))
    nbformat.validate(clean)
    return f"{nbformat.writes(clean, indent=1)}\n"


def topics_with_notebook(catalog: Catalog) -> list[Topic]:
    """The topics whose notebook is there, in study order."""
    return [topic for topic in catalog.topics if topic.notebook.exists()]


def stale_notebooks(topics: Iterable[Topic]) -> list[Path]:
    """The notebooks of these topics that are not as they are to be committed."""
    return [topic.notebook for topic in topics if topic.notebook.exists() and _is_stale(topic)]


def clean_notebooks(topics: Iterable[Topic]) -> list[Path]:
    """Clean those that are not clean, and give their paths."""
    stale = [topic for topic in topics if topic.notebook.exists() and _is_stale(topic)]
    for topic in stale:
        replace_text(topic.notebook, clean_text(read_notebook(topic.notebook), topic))
    return [topic.notebook for topic in stale]


def _is_stale(topic: Topic) -> bool:
    return topic.notebook.read_text(encoding="utf-8") != clean_text(read_notebook(topic.notebook), topic)


def _new_cell(kind: str, source: str, id_: str) -> Any:
    if kind != "code":  # two spaces at the end of a line mean something in Markdown
        return nbformat.v4.new_markdown_cell(source, id=id_)
    lines = "\n".join(line.rstrip() for line in source.split("\n"))
    metadata = {"jupyter": {"source_hidden": True}} if draws(source) else {}
    return nbformat.v4.new_code_cell(lines, id=id_, metadata=metadata)


def _free_id(old: str, source: str, taken: set[str]) -> str:
    is_good = re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", old) is not None
    made = old if is_good else hashlib.sha256(source.encode()).hexdigest()[:8]
    while made in taken:
        made = hashlib.sha256(made.encode()).hexdigest()[:8]
    taken.add(made)
    return made
