"""The notebook of a topic as a page, run when somebody first wants to read it."""

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from pathlib import Path

from nicegui import ui

from grader.curriculum.catalog import Topic
from grader.curriculum.workspace import NAMED
from grader.web.parts.frame import button, html
from grader.web.studio import Studio
from grader.web.texts.markup import code

_running: dict[str, Process] = {}
"""Notebooks that are being run, by topic."""


async def explanation(studio: Studio, topic: Topic, panel: ui.element) -> None:
    """Fill a panel with it: the page, or what makes it."""
    panel.clear()
    with panel:
        if not topic.notebook.exists():
            ui.label("This topic has no notebook yet.")
        elif page_path(studio, topic).exists():
            _show(topic)
        else:
            ui.label(
                "The notebook explains it with pictures and a worked example. It is run once, in a minute."
            )
            button("Run the notebook", lambda: _run(studio, topic, panel))


def page_path(studio: Studio, topic: Topic) -> Path:
    """Where its page goes: as `grader.notebooks.pages` has it, which takes long to load."""
    return studio.workspace.build / "notebooks" / topic.chapter / f"{topic.id}.html"


def end_all() -> None:
    """End the notebooks that are being run, with their kernels."""
    for process in _running.values():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)


def _show(topic: Topic) -> None:
    """It runs no script, and its links open elsewhere."""
    allowed = "allow-same-origin allow-popups allow-popups-to-escape-sandbox"
    html(
        f'<iframe class="notebook" src="/notebook/{topic.id}" sandbox="{allowed}" '
        f'title="The notebook of {topic.id}"></iframe>'
    )


async def _run(studio: Studio, topic: Topic, panel: ui.element) -> None:
    panel.clear()
    with panel:
        ui.spinner()
        ui.label("Running the notebook …").props('role="status"')
    if topic.id not in _running:
        _running[topic.id] = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "grader", "notebook", topic.id, "--no-open"),
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=STDOUT,
            env={**os.environ, NAMED: str(studio.workspace.root)},
            start_new_session=True,  # ended with all kernels below it
        )
    process = _running[topic.id]
    output, _ = await process.communicate()
    _running.pop(topic.id, None)
    panel.clear()
    with panel:
        if process.returncode == 0:
            _show(topic)
        else:
            ui.label("The notebook does not run to its end.")
            html(code(output.decode(errors="replace")))
