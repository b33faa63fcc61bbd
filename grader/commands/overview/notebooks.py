"""The notebooks that explain the topics: run, shown and kept clean."""

from pathlib import Path
from typing import Annotated

import typer

from grader.commands.authors.authors import OnlyCheck, report_stale, report_written
from grader.commands.authors.packs import topics_of
from grader.commands.usage import TopicId, fail, find, nearby, require_clone, say
from grader.curriculum.catalog import load_catalog

Opened = Annotated[bool, typer.Option("--open/--no-open", help="Show it when it has run.")]


def notebook(topic: TopicId, show: Opened = True) -> None:
    """Run the notebook that explains a topic, and open it."""
    from grader.notebooks.building import build_all, failures
    from grader.notebooks.opening import has_jupyterlab, open_in_browser, open_in_jupyterlab, write_copy
    from grader.notebooks.pages import page_path

    found = find(load_catalog(), topic)
    if not found.notebook.exists():
        fail(f"{found.id} has no notebook yet.")
    results = build_all([found])
    if failed := failures(results):
        fail(str(failed[0]))
    run, page = results[found.id], page_path(found)
    say(f"wrote {nearby(page)}")
    if show and has_jupyterlab():
        copy, kept = write_copy(found, run)
        if kept is not None:
            say(f"Your changed copy is kept: {nearby(kept)}")
        open_in_jupyterlab(copy)
    elif show and not open_in_browser(page):
        say("There is no browser here: open that file in one.")


def notebooks() -> None:
    """Run all notebooks side by side, and write their pages and an index."""
    from grader.notebooks.building import build_all, failures
    from grader.notebooks.cleaning import topics_with_notebook
    from grader.notebooks.pages import write_index

    catalog = load_catalog()
    results = build_all(topics_with_notebook(catalog))
    say(f"wrote {nearby(write_index(catalog))}")
    if failed := failures(results):
        fail("\n\n".join(map(str, failed)))


def notebooks_clean(
    check: OnlyCheck = False,
    pack: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Those of a pack of your own.")] = None,
) -> None:
    """Take everything out of the notebooks that is not to be committed (for authors)."""
    from grader.notebooks.cleaning import clean_notebooks, stale_notebooks

    if pack is None:
        require_clone()
        topics, again = load_catalog().topics, "make notebooks-clean"
    else:
        topics, again = topics_of(pack), f"byheart notebooks-clean --pack {pack}"
    if check:
        report_stale(stale_notebooks(topics), again)
    else:
        report_written(clean_notebooks(topics))
