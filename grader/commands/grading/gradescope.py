"""An autograder for Gradescope: `gradescope`."""

from pathlib import Path
from typing import Annotated

import typer

from grader.commands.usage import fail, find, nearby, refuse, say, topic_ids
from grader.curriculum.catalog import load_catalog
from grader.curriculum.pack import own_pack


def gradescope(
    topics: Annotated[list[str], typer.Argument(metavar="TOPIC…", autocompletion=topic_ids)],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The archive.")] = Path("autograder.zip"),
    points: Annotated[
        Path | None, typer.Option(metavar="FILE", help="TOML: how many points there are for what.")
    ] = None,
    wheel: Annotated[
        Path | None, typer.Option(metavar="FILE", help="This byheart, not the published one.")
    ] = None,
    isolate: Annotated[bool, typer.Option("--isolate/--no-isolate", help="As grade --isolate.")] = True,
) -> None:
    """Write an autograder to upload to Gradescope."""
    from grader.batch.output.gradescope_zip import Autograder
    from grader.batch.scores.points import BadPoints, read_points
    from grader.curriculum.exercises.files import replace_content

    catalog = load_catalog()
    found = [find(catalog, topic) for topic in topics]
    if others := [topic.id for topic in found if topic.pack != own_pack()]:
        refuse(f"{others[0]} is of a pack: its files would not be in the autograder.")
    try:
        if points is not None:
            read_points(points, catalog)
        archive = Autograder([topic.id for topic in found], isolate, points, wheel).archive()
        replace_content(out, archive)
    except BadPoints as problem:
        refuse(str(problem))
    except OSError as problem:
        fail(f"{problem.filename or out} cannot be read or written: {problem.strerror}")
    say(f"wrote {nearby(out)}\nUpload it: Configure Autograder, Upload autograder.zip.")
