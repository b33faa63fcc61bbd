"""On the clock: the page of the drill or mock interview that goes on, up to its rating or score card."""

import math
from collections.abc import Callable

from nicegui import ui

from grader.judge.verdict import Verdict
from grader.practice.record import clock
from grader.practice.timed import drill as drills
from grader.practice.timed import mock as mocks
from grader.practice.timed.drill import Drill
from grader.practice.timed.mock import Mock
from grader.show.moments import minutes_text
from grader.show.pages.drill import COST, LEVELS
from grader.web.drafts import Unreadable
from grader.web.pages.beginning import cut_off_page
from grader.web.pages.editor import Editor
from grader.web.pages.frame import button, follow, framed, html
from grader.web.studio import Studio
from grader.web.texts.contract import contract_html, hints_html
from grader.web.texts.markup import code, paragraphs, words
from grader.web.texts.timed import card_html, questions_html, rated_html, result_html, standing_text
from grader.web.texts.verdict import marks_of, verdict_html
from grader.web.timed import DrillStage, MockStage, Timed

ASKED = {
    drills.Asking.SOLUTION: "Show the solution? Then the drill ends as forgotten.",
    drills.Asking.HINT: f"Take a hint? Then {COST}.",
    drills.Asking.END: "Give up? Then the drill ends as forgotten.",
}


async def session_page(studio: Studio) -> None:
    """The page of what goes on, whichever it is."""
    stage = studio.session
    if stage is None or stage.is_cut_off:
        cut_off_page(studio)
        return
    with framed(studio, "On the clock", "/session"):
        view = _DrillView(studio, stage) if isinstance(stage, DrillStage) else _MockView(studio, stage)
    follow(stage, view.show)
    await ui.context.client.connected(timeout=20)
    view.is_connected = True
    view.show()


class _View:
    """What both have: a clock, an editor while there is work, and a place for what comes after it."""

    def __init__(self, studio: Studio, stage: Timed) -> None:
        self.is_connected = False
        self._studio = studio
        self._stage = stage
        self._bar = ui.element("div").classes("row box").props('aria-label="Clock" role="region"')
        with self._bar:
            self._clock = ui.label().classes("clock").props('role="timer"')
            self._buttons = ui.element("div").classes("row")
        self._remarks = ui.element("div").props('aria-live="polite"')
        self._place = ui.element("div")
        self._editor: Editor | None = None
        self._verdict_place: ui.html | None = None
        self._hints_place: ui.html | None = None
        self._shown: object = None
        self._verdict: Verdict | None = None
        self._saves = stage.saves

    def show(self) -> None:
        """What the stage has now."""
        raise NotImplementedError

    def show_clock(self, budget: float) -> None:
        left = budget - self._stage.seconds
        over = left < 0
        self._clock.text = (
            f"{minutes_text(math.ceil(left) if not over else -left)} {'over' if over else 'left'}"
        )
        self._clock.classes(add="bad" if over else "", remove="" if over else "bad")

    def show_remarks(self, *more: str) -> None:
        stage = self._stage
        said = [*more, *stage.notes, *filter(None, [stage.refusal])]
        self._remarks.clear()
        with self._remarks:
            for sentence in said:
                ui.label(sentence)
            if stage.fault is not None:
                html(code(stage.fault))

    def show_buttons(self, *pairs: tuple[str, str]) -> None:
        """Buttons by what they say, and the key that each stands for."""
        self._buttons.clear()
        with self._buttons:
            for text, key in pairs:
                button(text, lambda _, key=key: self._stage.press(key))

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
                    self._editor = Editor(topic, self._studio.progress, self._stage, key="enter")
                except Unreadable as problem:
                    ui.label(str(problem))
                self._verdict_place = html().props('aria-live="polite"')
        if self._editor is not None and self.is_connected:
            ui.timer(0.01, self._editor.begin, once=True)

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
        ui.link("To the topics", "/")


class _DrillView(_View):
    def __init__(self, studio: Studio, stage: DrillStage) -> None:
        super().__init__(studio, stage)
        self._drilling = stage
        with ui.element("div"):
            ui.keyboard(lambda event: self._press(event), repeating=False)

    def show(self) -> None:
        drill = self._drilling.drill
        if not self.is_connected:
            return
        if drill is None or (self._drilling.is_over and drill.end is None):
            self.show_remarks()
            if self._drilling.is_over:
                self._bar.set_visibility(False)
                self.page(self.leave)
            return
        self.show_clock(drill.budget)
        self.look()
        grading = ["grading …"] if self._drilling.is_grading else []
        if drill != self._shown or self._drilling.is_over:
            self._show_phase(drill)
            self._shown = drill
        self.show_remarks(*grading, *(self._drilling.remarks if drill.tries == 0 else ()))

    def _show_phase(self, drill: Drill) -> None:
        match drill.phase:
            case drills.Phase.WORKING | drills.Phase.PAUSED:
                self._show_work(drill)
            case drills.Phase.READING:
                self._bar.set_visibility(False)
                self.page(lambda: self._show_solution(drill))
            case drills.Phase.QUESTIONS:
                self._bar.set_visibility(False)
                self.page(lambda: self._show_question(drill))
            case drills.Phase.RATING | drills.Phase.OVER:
                self._bar.set_visibility(False)
                self.page(lambda: self._show_rating(drill))

    def _show_work(self, drill: Drill) -> None:
        if self._editor is None:
            level = f"<p>Level {drill.level}: {LEVELS[drill.level]}.</p>"
            self.desk(0, level + contract_html(drill.topic))
        if drill.asking is not None:
            self.show_buttons((f"{ASKED[drill.asking]} Yes", "y"), ("No", "n"))
        elif drill.phase is drills.Phase.PAUSED:
            self.show_buttons(("Go on: nothing is graded in the pause", "p"))
        else:
            self.show_buttons(("Hint", "h"), ("Solution", "s"), ("Pause", "p"), ("Give up", "q"))
        if self._hints_place is not None and drill.hints:
            self._hints_place.content = hints_html(drill.topic, drill.hints)
        if drill.verdict is not None and drill.verdict != self._verdict and self._verdict_place is not None:
            self._verdict = drill.verdict
            self._verdict_place.content = verdict_html(drill.verdict, drill.topic)
            if self._editor is not None:
                self._editor.mark(marks_of(drill.verdict))

    def _show_solution(self, drill: Drill) -> None:
        html(code(drill.topic.solution.read_text(encoding="utf-8").rstrip()))
        button("I have read it (Enter)", lambda: self._drilling.press("enter"), main=True)

    def _show_question(self, drill: Drill) -> None:
        html(result_html(drill))
        question = drill.questions[drill.turned // 2]
        is_open = drill.turned % 2 == 1
        number = f"Question {drill.turned // 2 + 1} of {len(drill.questions)}"
        html(f'<p class="quiet">{number}</p><h2>{words(question.question)}</h2>')
        if is_open:
            html(paragraphs(question.answer))
        with ui.element("div").classes("row"):
            text = "Go on (Enter)" if is_open else "Show the answer (Enter)"
            button(text, lambda: self._drilling.press("enter"), main=True)
            button("Skip the questions (q)", lambda: self._drilling.press("q"))

    def _show_rating(self, drill: Drill) -> None:
        html(result_html(drill))
        if self._drilling.is_over:
            if self._drilling.rated is not None:
                html(rated_html([self._drilling.rated], clock.now()))
            self.leave()
            return
        assert drill.rating is not None
        html(f"<h2>Rating: {drill.rating.name.lower()}</h2>")
        with ui.element("div").classes("row"):
            if len(drill.ratings) > 1:
                for rating in drill.ratings:
                    key = str(int(rating))
                    made = button(
                        f"{key} {rating.name.lower()}", lambda _, key=key: self._drilling.press(key)
                    )
                    made.props(f'aria-pressed="{str(rating is drill.rating).lower()}"')
            button("Accept (Enter)", lambda: self._drilling.press("enter"), main=True)

    def _press(self, event) -> None:  # type: ignore[no-untyped-def]
        drill = self._drilling.drill
        if drill is None or drill.phase in (drills.Phase.WORKING, drills.Phase.PAUSED):
            return  # keys are the editor's
        if event.action.keydown and not (event.modifiers.ctrl or event.modifiers.alt or event.modifiers.meta):
            key = "enter" if event.key.enter else str(event.key)
            if key in ("enter", "q", "1", "2", "3", "4"):
                self._drilling.press(key)


class _MockView(_View):
    def __init__(self, studio: Studio, stage: Timed) -> None:
        super().__init__(studio, stage)
        assert isinstance(stage, MockStage)
        self._interview = stage
        self._number: int | None = None

    def show(self) -> None:
        mock = self._interview.mock
        if not self.is_connected:
            return
        if mock is None:
            self.show_remarks()
            if self._interview.is_over:
                self._bar.set_visibility(False)
                self.page(self.leave)
            return
        self.show_clock(mock.budget)
        self.look()
        if mock != self._shown or self._interview.is_over:
            self._show_phase(mock)
            self._shown = mock
        grading = ["grading …"] if mock.pending else []
        self.show_remarks(*grading, *(self._interview.remarks if not self._interview.is_over else ()))

    def _show_phase(self, mock: Mock) -> None:
        if mock.phase is mocks.Phase.WORKING:
            self._show_work(mock)
        elif mock.phase is mocks.Phase.CLOSING:
            self._bar.set_visibility(False)
            self.page(lambda: ui.label("grading …"))
        else:
            self._bar.set_visibility(False)
            self.page(lambda: self._show_card(mock))

    def _show_work(self, mock: Mock) -> None:
        if mock.is_asking:
            self.show_buttons(("End the interview now? Yes", "y"), ("No", "n"))
        else:
            topics = [
                (f"{number}: {topic.id}, {standing_text(result)}", str(number))
                for number, (topic, result) in enumerate(zip(mock.topics, mock.results, strict=True), start=1)
            ]
            self.show_buttons(*topics, ("End", "q"))
        if self._number != mock.shown:
            self._number = mock.shown
            self.desk(mock.shown, contract_html(mock.topics[mock.shown]))

    def _show_card(self, mock: Mock) -> None:
        is_last = self._interview.is_over or mock.phase is mocks.Phase.OVER
        html(card_html(mock))
        html(questions_html(mock, with_answers=mock.phase is not mocks.Phase.CARD))
        if is_last:
            html(rated_html(self._interview.rated, clock.now()) or "<p>Nothing was worked at.</p>")
            self.leave()
        elif mock.phase is mocks.Phase.CARD:
            button("Compare with the answers", lambda: self._interview.press("enter"), main=True)
            button("End", lambda: self._interview.press("q"))
        else:
            button("End", lambda: self._interview.press("enter"), main=True)
