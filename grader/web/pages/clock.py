"""On the clock: the page of the drill or mock interview that goes on."""

import contextlib

from nicegui import ui

from grader.practice.record.unavailable import ProgressUnavailable
from grader.web.pages.beginning import cut_off_page
from grader.web.pages.drilling import DrillView
from grader.web.pages.interview import MockView
from grader.web.parts.frame import follow, framed
from grader.web.studio import Studio
from grader.web.timed import DrillStage


async def session_page(studio: Studio) -> None:
    """The page of what goes on, whichever it is."""
    stage = studio.session
    if stage is None or (stage.is_over and (stage.is_cut_off or _waits(studio))):
        cut_off_page(studio)
        return
    with framed(studio, "On the clock", "/session"):
        view = DrillView(studio, stage) if isinstance(stage, DrillStage) else MockView(studio, stage)
    follow(stage, view.show)
    await ui.context.client.connected(timeout=20)
    view.is_connected = True
    view.show()


def _waits(studio: Studio) -> bool:
    """Whether something was cut off in a terminal since."""
    with contextlib.suppress(ProgressUnavailable):
        return studio.cut_off() is not None
    return False
