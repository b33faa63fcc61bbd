"""What a drill and a mock interview look like alike: a clock, buttons, and an editor while there is work."""

import math
from collections.abc import Callable

from nicegui import ui

from grader.judge.verdict import Verdict
from grader.show.moments import minutes_text
from grader.web.drafts import FileText, Unreadable
from grader.web.parts.editor import Editor
from grader.web.parts.frame import button, html
from grader.web.parts.waiting import Waiting
from grader.web.studio import Studio
from grader.web.texts.markup import code
from grader.web.timed import Timed


class TimedView:
    """What both have: a clock, an editor while there is work, and a place for what comes after it."""

    def __init__(self, studio: Studio, stage: Timed) -> None:
        self.is_connected = False
        self._studio = studio
        self._stage = stage
        self._bar = ui.element("div").classes("row box clock-bar").props('aria-label="Clock" role="region"')
        with self._bar:
            self._clock = ui.label().classes("clock").props('role="timer"')
            self._waiting = Waiting()
            self._buttons = ui.element("div").classes("row")
        self._remarks = ui.element("div").props('aria-live="polite"')
        self._place = ui.element("div")
        self._pairs: tuple[tuple[str, str], ...] = ()
        self._was_pressed = False
        self._editor: Editor | None = None
        self._verdict_place: ui.html | None = None
        self._hints_place: ui.html | None = None
        self._shown: object = None
        self._verdict: Verdict | None = None
        self._saves = stage.saves

    def show(self) -> None:
        """What the stage has now."""
        raise NotImplementedError

    def show_clock(self, budget: float, is_grading: bool) -> None:
        """What is left of so many seconds, and whether a verdict is waited for."""
        self._waiting.show(0.0 if is_grading else None)
        left = budget - self._stage.seconds
        over = left < 0
        self._clock.text = (
            f"{minutes_text(math.ceil(left) if not over else -left)} {'over' if over else 'left'}"
        )
        self._clock.classes(add="bad" if over else "", remove="" if over else "bad")

    def show_remarks(self, *more: str) -> None:
        """What there is to say, of this and of what is kept."""
        stage = self._stage
        said = [*more, *stage.notes, *filter(None, [stage.refusal])]
        self._remarks.clear()
        with self._remarks:
            for sentence in said:
                ui.label(sentence)
            if stage.fault is not None:
                html(code(stage.fault))

    def show_buttons(self, *pairs: tuple[str, str]) -> None:
        """Buttons by what they say, and the key that each stands for. The same ones stay: a click on one that
        is just replaced would be lost. The first of new ones has the focus, if one before had it.
        """
        if pairs == self._pairs:
            return
        self._pairs = pairs
        self._buttons.clear()
        with self._buttons:
            for text, key in pairs:
                button(text, lambda _, key=key: self._press_button(key))
        if self._was_pressed:
            first = f"getHtmlElement({self._buttons.id})?.querySelector('button')"
            self._buttons.client.run_javascript(f"byheart.focus({first})")
            self._was_pressed = False

    def _press_button(self, key: str) -> None:
        self._was_pressed = True
        self._stage.press(key)

    def desk(self, number: int, contract: str) -> None:
        """The editor beside the task."""
        topic = self._stage.topics[number]
        self._place.clear()
        with self._place, ui.element("div").classes("two"):
            with ui.element("section").props('aria-label="Task"').classes("task"):
                self._hints_place = html()
                html(contract)
            with ui.element("section").props('aria-label="Answer"').classes("answer"):
                try:
                    file = FileText.of(topic.exercise)
                    self._editor = Editor(topic, file, self._studio.progress, self._stage, key="enter")
                except Unreadable as problem:
                    ui.label(str(problem))
                self._verdict_place = html().props('aria-live="polite"')
        if self._editor is not None and self.is_connected:
            ui.timer(0.01, self._begin_to_write, once=True)

    async def _begin_to_write(self) -> None:
        """The clock runs: whoever types does not look for the editor first."""
        editor = self._editor
        if editor is not None:
            await editor.begin()
            if editor is self._editor:
                editor.focus()

    def look(self) -> None:
        """Take over what was saved elsewhere."""
        if self._editor is not None and self._stage.saves != self._saves:
            self._editor.look()
        self._saves = self._stage.saves

    def page(self, build: Callable[[], object]) -> None:
        """Something else in the place of the editor."""
        self._editor = self._verdict_place = self._hints_place = None
        self._place.clear()
        with self._place, ui.element("div").classes("narrow"):
            build()

    def leave(self) -> None:
        """The way out."""
        ui.link("To the topics", "/")
