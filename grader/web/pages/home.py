"""Home: what to do today, and all topics with where one stands."""

from nicegui import events, ui

from grader.practice.plan.agenda import todays_agenda
from grader.practice.plan.statistics import load_statistics
from grader.practice.plan.steps import load_plan
from grader.practice.record import clock
from grader.practice.record.unavailable import ProgressUnavailable
from grader.show.statistics import facts
from grader.web.parts.frame import framed, html, sentence_page
from grader.web.parts.plan_settings import plan_settings
from grader.web.studio import Studio
from grader.web.texts.markup import without_command
from grader.web.texts.topic_list import agenda_html, facts_html, found, topics_html

MINUTES = (15, 30, 45, 60, 90, 120)


def home_page(studio: Studio) -> None:
    """The first page."""
    now = clock.now()
    try:
        plan = load_plan(studio.catalog, studio.progress, now)
        statistics = load_statistics(studio.catalog, studio.progress, now)
        today = agenda_html(todays_agenda(studio.progress, plan, 30), plan, 30)
    except ProgressUnavailable as problem:
        sentence_page(studio, "Topics", str(problem))
        return
    told = [
        ("Streak", facts.facts(statistics)["Streak"]),
        (facts.PASSES, facts.passes_text(statistics)),
        (facts.DUE, without_command(facts.due_text(statistics), "quiz")),
    ]
    with framed(studio, "Topics", "/"):
        with ui.element("div").classes("two"):
            with ui.element("section").props('aria-label="Today"').classes("box"):
                with ui.element("div").classes("row"):
                    html("<h1>Today</h1>")
                    wanted = ui.select({each: f"{each} minutes" for each in MINUTES}, value=30)
                    wanted.props('dense outlined aria-label="How long you have"')
                with ui.element("div").classes("row").style("margin-top: 0.5rem"):
                    plan_settings(studio)
                shown = html(today)

                def plan_anew(event: events.ValueChangeEventArguments[int]) -> None:
                    shown.content = agenda_html(
                        todays_agenda(studio.progress, plan, event.value), plan, event.value
                    )

                wanted.on_value_change(plan_anew)
            with ui.element("section").props('aria-label="So far"').classes("box"):
                html("<h2>So far</h2>" + facts_html(told))
        search = ui.input("Search by name, or by what it is about").props("outlined dense clearable")
        search.classes("narrow").style("width: 100%").props('aria-controls="topics"')
        everything = {topic.id for topic in studio.catalog.topics}
        table = html(topics_html(studio.catalog, plan.standing, now, everything)).props('id="topics"')

        def narrow(event: events.ValueChangeEventArguments[str | None]) -> None:
            ids = found(studio.catalog, event.value or "")
            table.content = topics_html(studio.catalog, plan.standing, now, ids)

        search.on_value_change(narrow)
