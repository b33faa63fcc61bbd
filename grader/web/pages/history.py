"""What was tried, newest first: each answer with what changed in it, to be brought back."""

import difflib
from html import escape

from nicegui import ui

from grader.curriculum.catalog import Topic
from grader.practice.record.attempts import Attempt
from grader.practice.record.sessions import RUNNING
from grader.practice.record.unavailable import ProgressUnavailable
from grader.show.pages.history import HEADINGS, attempt_row
from grader.web.parts.editor import Editor
from grader.web.parts.frame import button, html
from grader.web.studio import Studio
from grader.web.texts.markup import diff_html

LATEST = 30


def history(studio: Studio, topic: Topic, panel: ui.element, editor: Editor) -> None:
    """Fill a panel with it; what is brought back goes into the editor, too."""
    panel.clear()
    with panel:
        try:
            attempts = studio.progress.attempts.of(topic.id, LATEST)
            mocks = studio.progress.sessions.of("mock")
        except ProgressUnavailable as problem:
            ui.label(str(problem))
            return
        if not attempts:
            ui.label("Nothing has been graded yet.")
        secret = {mock.id for mock in mocks if mock.status == RUNNING}
        texts = [_text(studio, each) for each in attempts]
        for number, attempt in reversed(list(enumerate(attempts))):
            before = next((text for text in reversed(texts[:number]) if text is not None), "")
            _entry(editor, attempt, texts[number], before, attempt.session in secret)


def _entry(editor: Editor, attempt: Attempt, text: str | None, before: str, is_secret: bool) -> None:
    cells = dict(zip(HEADINGS, attempt_row(attempt, is_secret), strict=True))
    told = [cells[name] for name in ("when", "mode", "outcome", "checks", "time", "")]
    line = ", ".join(escape(cell) for cell in told if cell not in ("", "-"))
    if text is None:
        html(f"<p>{attempt.id}: {line}</p>")
        return
    changed = list(difflib.unified_diff(before.splitlines(), text.splitlines(), lineterm="", n=2))[2:]
    diff = diff_html(changed) if changed else '<p class="quiet">The same as before.</p>'
    with ui.element("details"):
        with ui.element("summary"):
            html(f"{attempt.id}: {line}").style("display: inline")
        html(diff)
        button("Bring it back", lambda: _restore(editor, text))


def _restore(editor: Editor, text: str) -> None:
    """The file changes, and the editor with it; what stood there is kept."""
    try:
        is_kept = editor.put(text)
        ui.notify("It is in the file again." + (" What stood there is in the history." if is_kept else ""))
    except (OSError, ProgressUnavailable) as problem:
        ui.notify(f"It cannot be brought back: {problem}", type="negative")


def _text(studio: Studio, attempt: Attempt) -> str | None:
    if attempt.source is None:
        return None
    try:
        return studio.progress.attempts.source(attempt.source).decode(errors="replace")
    except KeyError:
        return None
