"""Commands for authors of topics."""

from pathlib import Path
from typing import Annotated

import typer

from grader.commands.usage import AsJson, TopicId, fail, nearby, refuse, require_clone, say
from grader.curriculum.catalog import CatalogError, load_catalog
from grader.curriculum.pack import Pack, own_pack

OnlyCheck = Annotated[bool, typer.Option("--check", help="Write nothing; exit with 1 if anything is stale.")]


def stubs(check: OnlyCheck = False) -> None:
    """Make the exercises from the solutions (for authors)."""
    from grader.curriculum.exercises.files import stale_stubs, write_stubs

    require_clone()
    catalog = load_catalog()
    if check:
        report_stale(stale_stubs(catalog), "make stubs")
    else:
        report_written(write_stubs(catalog))


def new(
    topic: TopicId,
    chapter: Annotated[str, typer.Option(metavar="CHAPTER", help="A folder of topics, such as attention.")],
    pack: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="In a pack of your own; begins one if need be.")
    ] = None,
) -> None:
    """Write the skeleton of a new topic (for authors)."""
    from grader.authoring.skeleton import SkeletonError, create_topic

    if pack is None:
        require_clone()
    try:
        if pack is None:
            paths = create_topic(own_pack(), topic, chapter)
        else:
            folder = Pack.in_folder(pack.expanduser().resolve())
            paths = create_topic(folder, topic, chapter, load_catalog(own_pack()))
    except (SkeletonError, CatalogError) as error:
        refuse(str(error))
    report_written(paths)
    then = "make stubs" if pack is None else f"byheart verify {pack}"
    say(f"Next: fill them in as CONTRIBUTING.md says, then: {then}")


def bench(as_json: AsJson = False) -> None:
    """Measure how long grading takes (for authors)."""
    from grader.authoring.bench import run

    require_clone()
    run(as_json)


def readme(check: OnlyCheck = False) -> None:
    """Write README.md's tables and pictures (for authors)."""
    from grader.authoring.readme import generated_files, stale_files, write_files
    from grader.judge.session import Judge

    require_clone()
    catalog = load_catalog()
    with Judge(["torch"]) as judge:
        files = generated_files(catalog, judge.grade)
    if check:
        report_stale(stale_files(files), "python -m grader readme")
    else:
        report_written(write_files(files))


def report_written(paths: list[Path]) -> None:
    """Name the files that were written."""
    say("\n".join(f"wrote {nearby(path)}" for path in paths) or "All is up to date.")


def report_stale(paths: list[Path], command: str) -> None:
    """Name the files that are out of date, if there are any, and end as not passed."""
    if paths:
        names = "\n".join(f"  {nearby(path)}" for path in paths)
        fail(f"These are out of date; {command} writes them anew:\n{names}")
