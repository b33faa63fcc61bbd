"""Before the clock starts: what to drill at which level, or how long an interview; what was cut off first."""

from nicegui import ui

from grader.curriculum.catalog import Topic
from grader.practice.plan.following import chosen_track
from grader.practice.plan.standing import standings
from grader.practice.plan.steps import MISSING
from grader.practice.record import clock
from grader.practice.record.sessions import Session
from grader.practice.record.unavailable import ProgressUnavailable
from grader.practice.schedule import Level
from grader.practice.timed.topic_choice import DoesNotFit, askable, drawn, new_seed
from grader.show.moments import minutes_text
from grader.show.pages.drill import COST, LEVELS
from grader.web.parts.frame import button, framed, html
from grader.web.studio import Studio

MOST_TOPICS, MOST_MINUTES = 9, 600
AS_SCHEDULED = "as scheduled"
ALL_CHAPTERS = "all chapters"
OF_TRACK = "/"
"""Stands for the track in the choice of chapters."""


def drill_page(studio: Studio, topic: Topic) -> None:
    """What a drill of a topic is, and what begins it."""
    with framed(studio, f"Drill {topic.title}", classes="narrow"):
        html(f"<h1>Drill: {topic.title}</h1>")
        if _is_in_the_way(studio):
            return
        html(
            "<p>The exercise is blanked (what is in it is kept), and you write it from memory. Every save "
            f"is graded, the first pass ends the drill. A hint costs: {COST}. "
            "The solution ends it as forgotten.</p>"
        )
        levels = {AS_SCHEDULED: AS_SCHEDULED, **{each.value: f"{each}: {LEVELS[each]}" for each in Level}}
        level = ui.select(levels, value=AS_SCHEDULED, label="Level").props("outlined dense")
        minutes = _number("Minutes", topic.minutes, MOST_MINUTES)

        def begin() -> None:
            if not minutes.validate():
                return
            chosen = None if level.value == AS_SCHEDULED else Level(level.value)
            studio.begin_drill(topic, chosen, int(minutes.value))
            ui.navigate.to("/session")

        button("Begin", begin, main=True)


def mock_page(studio: Studio) -> None:
    """What an interview is, and what begins it."""
    with framed(studio, "Mock interview", "/mock", "narrow"):
        html("<h1>Mock interview</h1>")
        if _is_in_the_way(studio):
            return
        html(
            "<p>Topics are drawn by how often they are asked and how weak you are in them; of long ones, a "
            "part is asked. One clock, no hints. You see whether a save passes; why it did not, the score "
            "card tells at the end.</p>"
        )
        try:
            track = chosen_track(studio.catalog, studio.progress)
        except ProgressUnavailable:
            track = None  # said when it is to begin
        ours = {} if track is None else {OF_TRACK: f"the track {track.id}"}
        chapters = {each.id: each.title for each in studio.catalog.chapters}
        among = {**ours, ALL_CHAPTERS: ALL_CHAPTERS, **chapters}
        chapter = ui.select(among, value=next(iter(among)), label="Topics of").props("outlined dense")
        minutes = _number("Minutes", 45, MOST_MINUTES)
        count = _number("Topics", 3, MOST_TOPICS)
        problem = ui.label().props('role="alert"')

        def begin() -> None:
            if not (minutes.validate() and count.validate()):
                return
            now, seed = clock.now(), new_seed()
            whole = chapter.value if chapter.value in chapters else None
            about = track if chapter.value == OF_TRACK else None
            time, many = int(minutes.value), int(count.value)
            try:
                asked = askable(standings(studio.catalog, studio.progress, now), whole, about)
                topics = drawn(asked, many, seed, now, time)
            except (DoesNotFit, ProgressUnavailable) as refusal:
                problem.text = str(refusal)
                return
            studio.begin_mock(topics, time, seed)
            ui.navigate.to("/session")

        button("Begin", begin, main=True)


def cut_off_page(studio: Studio) -> None:
    """Where nothing goes on: what was cut off, if anything was."""
    with framed(studio, "Nothing goes on", classes="narrow"):
        if not _is_in_the_way(studio):
            html("<h1>No drill or interview goes on</h1>")
            ui.link("To the topics", "/")


def _number(name: str, usual: int, most: int) -> ui.number:
    """A field for a whole number from 1 on; it says so where it holds something else."""
    wanted = f"A whole number from 1 to {most}."

    def is_one(value: float | None) -> bool:
        return value is not None and 1 <= value <= most and value == int(value)

    return ui.number(name, value=usual, step=1, validation={wanted: is_one}).props("outlined dense")


def _is_in_the_way(studio: Studio) -> bool:
    """Whether something else is to be ended first; what that is, is shown."""
    if studio.going_on() is not None:
        ui.label("A drill or a mock interview goes on.")
        ui.link("Back to the clock", "/session")
        return True
    try:
        session = studio.cut_off()
    except ProgressUnavailable as problem:
        ui.label(str(problem))
        return True
    if session is not None:
        _show_cut_off(studio, session)
    return session is not None


def _show_cut_off(studio: Studio, session: Session) -> None:
    kind = "drill" if session.kind == "drill" else "mock interview"
    worked = f"{minutes_text(session.elapsed)} of {minutes_text(session.budget)}"
    stands = f"is over: {MISSING[session.kind]}" if session.is_worked else f"is not finished ({worked})"
    ui.label(f"The {kind} of {', '.join(session.topics)} {stands}.")

    def go_on() -> None:
        studio.resume(session)
        ui.navigate.to("/session")

    def drop() -> None:
        try:
            studio.drop(session)
        except ProgressUnavailable as problem:
            ui.notify(str(problem), type="negative")
            return
        ui.navigate.reload()

    with ui.element("div").classes("row"):
        button("Go on", go_on, main=True)
        button("Drop it: what you wrote stays", drop)
