"""What practice comes to: `stats` in the terminal, `report` as a page."""

from grader.catalog import PROJECT, load_catalog
from grader.commands.usage import fail, nearby


def stats() -> None:
    """Show your streak, what you remember, what is hard and what comes due."""
    from grader.practice import clock
    from grader.practice.progress import open_progress
    from grader.practice.statistics import load_statistics
    from grader.show.console import show, width
    from grader.show.stats import statistics_text

    catalog = load_catalog()
    statistics = load_statistics(catalog, open_progress(), clock.now())
    show(statistics_text(statistics, catalog, width()))


def report() -> None:
    """Write the same as a page with charts: build/report.html."""
    from grader.practice import clock
    from grader.practice.progress import open_progress
    from grader.practice.standing import standings
    from grader.practice.statistics import load_statistics
    from grader.show.report import report_page
    from grader.stubs import replace_text

    catalog, progress, now = load_catalog(), open_progress(), clock.now()
    statistics = load_statistics(catalog, progress, now)
    page = report_page(statistics, catalog, standings(catalog, progress, now), now)
    path = PROJECT / "build" / "report.html"
    try:
        replace_text(path, page)
    except OSError as error:
        fail(f"{nearby(path)} cannot be written: {error.strerror}")
    print(f"wrote {nearby(path)}\nOpen it in a browser: {path.as_uri()}")
