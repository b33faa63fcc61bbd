"""What practice comes to: `stats` in the terminal, `report` as a page."""

from grader.commands.usage import fail, nearby, say
from grader.curriculum.catalog import load_catalog
from grader.curriculum.workspace import current_workspace


def stats() -> None:
    """Show your streak, what you remember, what is hard and what comes due."""
    from grader.practice.plan.statistics import load_statistics
    from grader.practice.record import clock
    from grader.practice.record.progress import open_progress
    from grader.show.statistics.stats import statistics_text
    from grader.show.terminal.console import show, width

    catalog = load_catalog()
    statistics = load_statistics(catalog, open_progress(), clock.now())
    show(statistics_text(statistics, catalog, width()))


def report() -> None:
    """Write the same as a page with charts: build/report.html."""
    from grader.curriculum.exercises.files import replace_text
    from grader.practice.plan.standing import standings
    from grader.practice.plan.statistics import load_statistics
    from grader.practice.record import clock
    from grader.practice.record.progress import open_progress
    from grader.show.statistics.report import report_page

    catalog, progress, now = load_catalog(), open_progress(), clock.now()
    statistics = load_statistics(catalog, progress, now)
    page = report_page(statistics, catalog, standings(catalog, progress, now), now)
    path = current_workspace().build / "report.html"
    try:
        replace_text(path, page)
    except OSError as error:
        fail(f"{nearby(path)} cannot be written: {error.strerror}")
    say(f"wrote {nearby(path)}\nOpen it in a browser: {path.as_uri()}")
