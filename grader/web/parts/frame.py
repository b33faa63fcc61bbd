"""What every page has: a bar with links, a place for its content, and what it does when nothing else fits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files

from nicegui import ui

from grader.web.stage import Stage
from grader.web.studio import Studio

_FILES = files("grader.web.parts")
CSS = _FILES.joinpath("style.css").read_text(encoding="utf-8")
SCRIPT = _FILES.joinpath("page.js").read_text(encoding="utf-8")

LINKS = (("/", "Topics"), ("/quiz", "Quiz"), ("/mock", "Mock interview"), ("/statistics", "Statistics"))


@contextmanager
def framed(studio: Studio, title: str, here: str = "", classes: str = "") -> Iterator[None]:
    """A page of this title; what is built in the context is its content."""
    ui.page_title(f"{title} · byheart")
    ui.add_css(CSS)
    ui.add_head_html(f"<script>{SCRIPT}</script>")
    ui.html('<a class="skip" href="#content">To the content</a>', sanitize=False)
    with ui.element("header").classes("bar"), ui.element("nav").props('aria-label="Pages"').classes("row"):
        ui.link("byheart", "/").classes("home")
        for path, name in LINKS:
            link = ui.link(name, path)
            if path == here:
                link.props('aria-current="page"')
        if studio.going_on() is not None and here != "/session":
            ui.link("Back to the clock", "/session")
    with ui.element("div").props('id="content" tabindex="-1"').classes(classes):  # in NiceGUI's own <main>
        yield


def sentence_page(studio: Studio, title: str, sentence: str) -> None:
    """A page that says one thing."""
    with framed(studio, title):
        ui.label(sentence)
        ui.link("To the topics", "/")


def unknown_page(studio: Studio) -> None:
    """The page of every address that is none of ours."""
    sentence_page(studio, "No such page", "There is no such page.")
    ui.context.client.status_code = 404


def follow(stage: Stage, show: Callable[[], None]) -> None:
    """Call that for this page after every change of the stage, as long as there is the page."""
    client = ui.context.client
    client.on_delete(stage.listen(lambda: client.safe_invoke(show)))


def html(content: str = "") -> ui.html:
    """HTML of ours: text in it is escaped where it is made."""
    return ui.html(content, sanitize=False)


def button(text: str, do, main: bool = False) -> ui.button:  # type: ignore[no-untyped-def]
    """A button; the one that is mostly wanted is `main`."""
    made = ui.button(text, on_click=do, color=None).props("no-caps unelevated")
    return made.classes("main") if main else made
