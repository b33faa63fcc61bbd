"""The notebooks of the catalog."""

from typing import Any

import nbformat


def notebook_of(*sources: str) -> Any:
    """A notebook of code cells; one that begins with # is Markdown."""
    notebook = nbformat.v4.new_notebook()
    for source in sources:
        new = nbformat.v4.new_markdown_cell if source.startswith("#") else nbformat.v4.new_code_cell
        notebook.cells.append(new(source))
    return notebook
