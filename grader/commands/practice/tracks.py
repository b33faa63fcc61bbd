"""Paths through the topics: `track`."""

from typing import Annotated

import typer

from grader.commands.usage import find_track, track_ids
from grader.curriculum.catalog import load_catalog
from grader.curriculum.track import NONE


def _choices(incomplete: str) -> list[str]:
    return [*track_ids(incomplete), *([NONE] if NONE.startswith(incomplete) else [])]


def track(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[TRACK]", help=f"Such as interview; {NONE} ends it.", autocompletion=_choices
        ),
    ] = None,
) -> None:
    """Follow a track: what is proposed and asked is on its path, until none; without a name, list them."""
    from grader.practice.plan.following import followed
    from grader.practice.plan.steps import load_plan
    from grader.practice.record import clock
    from grader.practice.record.progress import open_progress
    from grader.show.pages.topic_list import step_text, track_line, tracks_text
    from grader.show.terminal.console import say, show

    catalog, progress = load_catalog(), open_progress()
    if name is not None:
        found = find_track(catalog, name)
        progress.choices.follow(None if found is None else found.id)
    plan = load_plan(catalog, progress, clock.now())
    if name is None:
        along = [each for each in (followed(track, plan.standing) for track in catalog.tracks) if each]
        show(tracks_text(along, plan.followed.track.id if plan.followed is not None else None))
        return
    say("You follow no track." if plan.followed is None else track_line(plan.followed))
    show(step_text(plan.next))
