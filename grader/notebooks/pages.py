"""Executed notebooks as web pages that need nothing else, and the page that lists them."""

import copy
import html
from pathlib import Path
from typing import Any

from nbconvert import HTMLExporter

from grader.curriculum.catalog import Catalog, Topic
from grader.curriculum.exercises.files import replace_text
from grader.curriculum.workspace import current_workspace
from grader.notebooks.folding import folds, unfolded
from grader.notebooks.formulas import Formulas
from grader.notebooks.running import CellFailed, Failure


def pages_folder() -> Path:
    """Where pages and notebooks to be changed at will go."""
    return current_workspace().build / "notebooks"


_TEMPLATE = """\
{%- extends 'lab/index.html.j2' -%}
{%- block html_head_js -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}{%- endblock -%}
{%- block html_head_js_mermaidjs -%}{%- endblock -%}
{%- block notebook_css -%}
{{ super() }}
{{ resources.include_css("static/theme-dark.css")
   | replace("<style", '<style media="(prefers-color-scheme: dark)"') }}
<style>
details.answer > summary, details.code > summary { cursor: pointer; color: var(--jp-content-font-color2); }
details.answer { margin: 0.6em 0 1.4em 0; }
details.answer > summary { margin-left: 84px; padding: 0.3em 0; font-weight: 600; }
details > summary { font-family: var(--jp-content-font-family); font-size: var(--jp-content-font-size1); }
@media (prefers-color-scheme: dark) {
  html { color-scheme: dark; }
  .jp-OutputArea-output img, .byheart-card { filter: invert(0.93) hue-rotate(180deg); }
}
</style>
{%- endblock -%}
{%- block any_cell -%}
{%- if cell.metadata.get("opens") -%}<details class="answer"><summary>Answer</summary>{%- endif -%}
{{ super() }}
{%- if cell.metadata.get("closes") -%}</details>{%- endif -%}
{%- endblock -%}
{%- block input -%}
{%- if cell.metadata.get("jupyter", {}).get("source_hidden") -%}
<details class="code"><summary>Code</summary>{{ super() }}</details>
{%- else -%}
{{ super() }}
{%- endif -%}
{%- endblock -%}
"""
"""JupyterLab's look, dark where the reader's system is, without the scripts that it loads from elsewhere.

What answers a question is folded, and so is the code of pictures. Pictures and cards have a light ground: in
the dark they are turned over, hues kept.
"""

_INDEX = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>byheart: the notebooks</title>
<style>
body {{ font: 1rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }}
h2 {{ margin-bottom: 0.2rem; }}
ul {{ margin-top: 0; padding-left: 1.2rem; }}
code {{ font-size: 0.9em; }}
</style>
<h1>byheart: the notebooks</h1>
{chapters}
</html>
"""


def page_path(topic: Topic) -> Path:
    """Where a topic's page goes."""
    return pages_folder() / topic.chapter / f"{topic.id}.html"


def write_page(topic: Topic, notebook: Any) -> Path:
    """Write the page of an executed notebook. Raises CellFailed for a formula that cannot be drawn."""
    path = page_path(topic)
    page = page_text(topic, notebook)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_text(path, page)
    return path


def page_text(topic: Topic, notebook: Any) -> str:
    """The page of an executed notebook, what answers its questions folded. Raises CellFailed as above."""
    formulas = Formulas()
    drawn = copy.deepcopy(notebook)
    for cells in folds(drawn.cells):
        drawn.cells[cells[0]].metadata["opens"] = drawn.cells[cells[-1]].metadata["closes"] = True
        for number in cells:
            drawn.cells[number].source = unfolded(drawn.cells[number].source)
    for number, cell in enumerate(drawn.cells, 1):
        if cell.cell_type == "markdown":
            try:
                cell.source = formulas.taken_out(cell.source)
            except ValueError as error:
                name = topic.notebook.relative_to(topic.pack.root).as_posix()
                raise CellFailed(Failure(name, number, str(error))) from None
    exporter = HTMLExporter(raw_template=_TEMPLATE, embed_images=True)
    body, _ = exporter.from_notebook_node(drawn, {"metadata": {"name": f"{topic.id}: {topic.title}"}})
    return formulas.put_in(body)


def write_index(catalog: Catalog) -> Path:
    """Write the page that lists those that are there, by chapter."""
    chapters = []
    for chapter in catalog.chapters:
        rows = [_row(topic) for topic in chapter.topics if page_path(topic).exists()]
        if rows:
            chapters.append(f"<h2>{html.escape(chapter.title)}</h2>\n<ul>\n{''.join(rows)}</ul>")
    path = pages_folder() / "index.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_text(path, _INDEX.format(chapters="\n".join(chapters)))
    return path


def _row(topic: Topic) -> str:
    link = page_path(topic).relative_to(pages_folder()).as_posix()
    return f'<li><a href="{link}">{html.escape(topic.title)}</a> <code>{topic.id}</code></li>\n'
