"""What practice comes to, with charts: those of the report."""

from nicegui import run, ui

from grader.practice.plan.statistics import load_statistics
from grader.practice.record import clock
from grader.practice.record.unavailable import ProgressUnavailable
from grader.show.statistics.report import facts_list, figures
from grader.web.parts.frame import framed, html, sentence_page
from grader.web.studio import Studio
from grader.web.texts.markup import without_command


async def statistics_page(studio: Studio) -> None:
    """Facts at once, charts as soon as they are drawn."""
    try:
        found = load_statistics(studio.catalog, studio.progress, clock.now())
    except ProgressUnavailable as problem:
        sentence_page(studio, "Statistics", str(problem))
        return
    with framed(studio, "Statistics", "/statistics", "narrow"):
        html("<h1>Statistics</h1>")
        if found.is_empty:
            ui.label("Nothing is recorded yet. The first check begins a streak.")
            return
        html(facts_list(found))
        charts = html('<p role="status">Drawing …</p>')
    await ui.context.client.connected(timeout=20)
    drawn = await run.io_bound(lambda: "".join(figures(found))) or ""
    charts.content = without_command(drawn, "quiz")
