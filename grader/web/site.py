"""The site: the pages by their addresses, behind the guard."""

import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Final

import uvicorn
from fastapi import FastAPI
from nicegui import ui
from nicegui.translations import translations
from starlette.responses import FileResponse, PlainTextResponse, Response

from grader.curriculum.catalog import Topic, UnknownTopic
from grader.practice.command_line import typed
from grader.web.guard import Guard
from grader.web.keys import Keys
from grader.web.pages.beginning import drill_page, mock_page
from grader.web.pages.clock import session_page
from grader.web.pages.explanation import end_all, page_path
from grader.web.pages.home import home_page
from grader.web.pages.quiz import quiz_page
from grader.web.pages.statistics import statistics_page
from grader.web.pages.workbench import workbench_page
from grader.web.parts.frame import sentence_page, unknown_page
from grader.web.studio import Studio

RECONNECT_SECONDS = 15.0
"""How long a page that lost its connection finds its server's side as it was."""

LANGUAGE: Final = "en-GB"
"""Of all pages: what a screen reader reads them in."""


class Site(uvicorn.Server):
    """A server that says when it is ready."""

    def run_until_stopped(self, bound: socket.socket, ready: Callable[[], None]) -> None:
        """Serve on that socket. Ctrl-C raises KeyboardInterrupt, after everything has ended."""
        self._ready = ready
        signal.signal(signal.SIGHUP, lambda *_: setattr(self, "should_exit", True))
        self.run(sockets=[bound])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, then say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()


@contextlib.contextmanager
def site(keys: Keys, port: int, first: Topic | None) -> Iterator[Site]:
    """The site with all that it needs, which ends with it."""
    studio = Studio()
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    add_pages(app, studio)
    translations[LANGUAGE] |= {
        "trying_to_reconnect": "What you typed is kept in this browser, and the page comes back by itself. "
        f"If the server has ended, start it again: {typed('open')}"
    }
    ui.run_with(
        app,
        root=lambda: unknown_page(studio),
        title="byheart",
        language=LANGUAGE,
        dark=None,
        reconnect_timeout=RECONNECT_SECONDS,
        tailwind=False,
        show_welcome_message=False,
    )
    studio.warm_up(first)
    config = uvicorn.Config(
        Guard(app, keys, port),
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="wsproto",
        timeout_graceful_shutdown=1,
    )
    try:
        yield Site(config)
    finally:
        end_all()
        studio.close()


def add_pages(app: FastAPI, studio: Studio) -> None:
    """The addresses."""

    def known(topic_id: str) -> Topic | None:
        """The topic; where there is none, the page says so."""
        try:
            return studio.catalog.find(topic_id)
        except UnknownTopic as unknown:
            sentence_page(studio, "No such topic", f"There is {unknown}.")
            return None

    @ui.page("/")
    def home() -> None:
        home_page(studio)

    @ui.page("/topic/{topic_id}")
    async def workbench(topic_id: str) -> Response | None:
        topic = known(topic_id)
        return None if topic is None else await workbench_page(studio, topic)

    @ui.page("/drill/{topic_id}")
    def drill(topic_id: str) -> None:
        if (topic := known(topic_id)) is not None:
            drill_page(studio, topic)

    @ui.page("/mock")
    def mock() -> None:
        mock_page(studio)

    @ui.page("/session")
    async def session() -> None:
        await session_page(studio)

    @ui.page("/quiz")
    def quiz(topic: str | None = None, count: int | None = None) -> None:
        quiz_page(studio, topic, count)

    @ui.page("/statistics")
    async def statistics() -> None:
        await statistics_page(studio)

    @app.get("/notebook/{topic_id}")
    def notebook(topic_id: str) -> Response:
        try:
            page = page_path(studio, studio.catalog.find(topic_id))
        except UnknownTopic:
            return PlainTextResponse("There is no such topic.", 404)
        return FileResponse(page) if page.is_file() else PlainTextResponse("It has not been run yet.", 404)
