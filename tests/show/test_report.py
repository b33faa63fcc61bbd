"""The report: one page that needs nothing else, for a phone and for the dark, and its charts."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from driving import CATALOG, byheart, progress_in

from grader.curriculum.catalog import Catalog
from grader.judge.verdict import Outcome, Verdict
from grader.practice.plan.standing import standings
from grader.practice.plan.statistics import Coming, Statistics, Times, Week, statistics
from grader.practice.plan.weak_spots import WeakSpot
from grader.practice.record import clock
from grader.practice.record.recording import record_check
from grader.practice.schedule import Rating
from grader.show.statistics.charts import VARIABLES, due_chart, hardest_chart, passes_chart, times_chart
from grader.show.statistics.report import report_page

TODAY = date(2026, 11, 20)
EVIL = '<script>alert("$x$")</script>&amp;'
WEEKS = tuple(Week(TODAY - timedelta(weeks=11 - week, days=4), week % 4) for week in range(12))
FORECAST = tuple(Coming(TODAY + timedelta(days=day), day % 3, 2 * day) for day in range(14))
HARDEST = (WeakSpot(EVIL, 4, ("tiled", "$a$ <b>"), 3, 2), WeakSpot("gqa", 0, (), 0, 1))
TIMES = (Times(EVIL, 480.0, (900.0, 300.0)), Times("gqa", 900.0, (5000.0,)))
EMPTY = statistics(CATALOG, [], [], [], clock.now())
FULL = replace(
    EMPTY, days=3, streak=2, longest_streak=3, weeks=WEEKS, forecast=FORECAST, hardest=HARDEST, times=TIMES
)
VOID = {"meta", "br"}


class Structure(HTMLParser):
    """The elements of a page, and whether each that was opened was closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def page(found: Statistics = FULL, catalog: Catalog = CATALOG, root: Path = Path("nowhere")) -> str:
    now = clock.now()
    return report_page(found, catalog, standings(catalog, progress_in(root), now), now)


@pytest.fixture(scope="module")
def full() -> str:
    return page()


def test_the_page_needs_nothing_else(full: str) -> None:
    tags = Counter(tag for tag, _ in Structure(full).elements)
    assert not tags.keys() & {"script", "link", "img", "iframe", "object", "embed", "image"}
    for tag, attributes in Structure(full).elements:
        for name in ("href", "xlink:href", "src"):
            assert (attributes.get(name) or "#").startswith("#"), tag
    assert "@import" not in full and "url(#" in full
    assert re.findall(r"url\((?!#)", full) == []
    assert set(re.findall(r"https?://[^\"' ]+", full)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_the_page_suits_a_phone_and_the_dark(full: str) -> None:
    (viewport,) = [
        attributes["content"]
        for _, attributes in Structure(full).elements
        if attributes.get("name") == "viewport"
    ]
    assert viewport == "width=device-width, initial-scale=1"
    light, dark = re.findall(r":root \{(.*?)\}", full, re.DOTALL)
    assert full.index("@media (prefers-color-scheme: dark)") < full.index(dark)
    for variable in VARIABLES.values():
        assert f"{variable}:" in light and f"{variable}:" in dark


def test_ids_are_unique(full: str) -> None:
    ids = Counter(attributes["id"] for _, attributes in Structure(full).elements if "id" in attributes)
    assert ids and set(ids.values()) == {1}


def test_every_topic_has_a_row(full: str) -> None:
    structure = Structure(full)
    assert sum(tag == "tr" for tag, _ in structure.elements) == 1 + len(CATALOG.chapters) + len(
        CATALOG.topics
    )
    for topic in CATALOG.topics:
        assert f"{topic.id} {topic.title}" in structure.text


def test_names_are_escaped() -> None:
    evil = replace(CATALOG["softmax"], title=EVIL)
    catalog = Catalog((replace(CATALOG.chapters[0], title=EVIL, topics=(evil,)),))
    structure = Structure(page(catalog=catalog))
    assert "script" not in {tag for tag, _ in structure.elements}
    assert structure.text.count(EVIL) >= 4  # chapter and topic, and in two charts


def test_the_same_progress_gives_the_same_page(full: str) -> None:
    assert page() == full


def test_nothing_recorded_is_a_friendly_sentence() -> None:
    structure = Structure(page(EMPTY))
    assert "Nothing is recorded yet." in structure.text
    assert "svg" not in {tag for tag, _ in structure.elements}
    assert f"{CATALOG.topics[-1].id} " in structure.text


def test_the_table_tells_state_best_time_and_next_review(tmp_path: Path) -> None:
    progress = progress_in(tmp_path)
    progress.database.write(
        lambda connection: connection.execute(
            "INSERT INTO attempts "
            "(topic, started, mode, seconds, outcome, passed, checks, hints, solution_seen) "
            "VALUES ('softmax', ?, 'drill', 150.0, 'passed', 1, 1, 0, 0)",
            (clock.written(clock.now()),),
        )
    )
    progress.reviews.add("softmax", Rating.AGAIN)
    row = re.search(r"<tr><td><b>softmax</b>.*?</tr>", page(root=tmp_path), re.DOTALL)
    assert row is not None
    cells = [re.sub("<[^>]+>", "", cell) for cell in row[0].split("</td>")]
    assert cells[1:4] == ["✓ passed", "2:30 of 8 min", "tomorrow"]
    assert "none yet, of 15 min" in re.sub("<[^>]+>", "", page(root=tmp_path))  # a budget is no best time


def test_a_time_without_a_clock_is_marked(tmp_path: Path) -> None:
    progress = progress_in(tmp_path)
    progress.attempts.note_blank("softmax")
    moment = clock.now() + timedelta(seconds=150)
    record_check(progress, CATALOG["softmax"], Verdict("softmax", "", Outcome.PASSED), "check", moment, b"")
    assert "of 8 min untimed" in re.sub("<[^>]+>", "", page(root=tmp_path))


# The charts


CHARTS: dict[str, Callable[[], str]] = {
    "passes": lambda: passes_chart(WEEKS, EVIL),
    "due": lambda: due_chart(FORECAST, EVIL),
    "hardest": lambda: hardest_chart(HARDEST, EVIL),
    "times": lambda: times_chart(TIMES, EVIL),
    "passes of nobody": lambda: passes_chart([Week(week.monday, 0) for week in WEEKS], ""),
    "nothing due": lambda: due_chart([Coming(day.day, 0, 0) for day in FORECAST], ""),
}


def text_in(chart: str) -> list[str]:
    tree = ElementTree.fromstring(
        chart.replace("<svg ", '<svg xmlns:xlink="http://www.w3.org/1999/xlink" ', 1)
    )
    return ["".join(each.itertext()) for each in tree.iter("text")]


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_has_no_colours_and_sizes_of_its_own(name: str) -> None:
    chart = CHARTS[name]()
    assert re.findall("#[0-9a-fA-F]{6}", chart) == []
    assert {f"--{each}" for each in re.findall(r"var\(--([a-z]+)\)", chart)} <= set(VARIABLES.values())
    opening = chart[: chart.index(">")]
    assert (
        "viewBox" in opening
        and 'role="img"' in opening
        and "aria-label" in opening
        and "width" not in opening
    )
    assert "<style" not in chart and "font-family" not in chart and "<metadata" not in chart


@pytest.mark.parametrize(
    "name, words",
    [
        ("passes", ["1", "2", "3", "this"]),
        ("due", ["now", "topics", "questions", "26"]),
        ("hardest", [EVIL, "gqa", "9", "known mistakes"]),
        ("times", [EVIL, "gqa", "budget"]),
    ],
)
def test_a_chart_is_labelled_in_text(name: str, words: list[str]) -> None:
    told = text_in(CHARTS[name]())
    for word in words:
        assert word in told


# The command


def test_report_writes_the_page_and_names_it(project: Path) -> None:
    progress_in(project).reviews.add("softmax", Rating.GOOD)
    done = byheart(project, "report")
    path = project / "build" / "report.html"
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"wrote build/report.html\nOpen it in a browser: {path.as_uri()}\n"
    assert "1 day in a row" in Structure(path.read_text(encoding="utf-8")).text


def test_a_report_that_cannot_be_written_is_one_sentence(project: Path) -> None:
    (project / "build").write_text("", encoding="utf-8")
    done = byheart(project, "report")
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr.startswith("build/report.html cannot be written: ") and len(done.stderr.splitlines()) == 1
    )


def test_report_does_without_torch(project: Path) -> None:
    progress_in(project).reviews.add("softmax", Rating.GOOD)
    command = [sys.executable, "-X", "importtime", "-m", "grader", "report"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=120)
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "matplotlib" in modules and "torch" not in modules
