"""What the learner decides for all topics: a track, the day of an interview, how many topics a day."""

from collections.abc import Callable
from datetime import date

from nicegui import events, ui

from grader.curriculum.track import NONE
from grader.practice.record import clock
from grader.practice.record.unavailable import ProgressUnavailable
from grader.web.studio import Studio

MOST_A_DAY = 20
PAUSE = 800
"""Milliseconds without a key until a day counts as typed: a year is a valid one after its first figure."""


def plan_settings(studio: Studio) -> None:
    """Each is kept when it is chosen, and the page follows it. Raises ProgressUnavailable."""
    now, choices = studio.progress.choices.settings(), studio.progress.choices

    def follow(event: events.ValueChangeEventArguments[str]) -> None:
        _keep(lambda: choices.follow(None if event.value == NONE else event.value))

    def aim(event: events.ValueChangeEventArguments[str | None]) -> None:
        if _refusal(event.value) is None:
            _keep(lambda: choices.aim_at(date.fromisoformat(event.value) if event.value else None))

    def limit(event: events.ValueChangeEventArguments[int]) -> None:
        _keep(lambda: choices.limit_to(event.value or None))

    tracks = {NONE: "all topics", **{each.id: f"track {each.id}" for each in studio.catalog.tracks}}
    track = ui.select(tracks, value=now.track if now.track in tracks else NONE)
    track.props('dense outlined aria-label="Track"').on_value_change(follow)
    most = max(MOST_A_DAY, now.limit or 0)
    limits = {0: "any number a day", 1: "1 topic a day"} | {
        n: f"{n} topics a day" for n in range(2, most + 1)
    }
    limited = ui.select(limits, value=now.limit or 0)
    limited.props('dense outlined aria-label="Topics a day, at most"').on_value_change(limit)
    interview = now.interview.isoformat() if now.interview else None
    day = ui.input("Interview on", value=interview, validation=_refusal)
    day.props(f'type=date dense outlined stack-label clearable debounce={PAUSE} aria-label="Interview on"')
    day.props("hide-bottom-space").on_value_change(aim)


def _refusal(day: str | None) -> str | None:
    """Why an interview cannot be on that day; empty for what is no day yet."""
    try:
        is_past = bool(day) and date.fromisoformat(day or "") <= clock.now().astimezone().date()
    except ValueError:  # typed where the browser has no calendar
        return ""
    return f"{day} is not in the future." if is_past else None


def _keep(choose: Callable[[], None]) -> None:
    try:
        choose()
    except ProgressUnavailable as problem:
        ui.notify(str(problem), type="negative")
        return
    ui.navigate.reload()
