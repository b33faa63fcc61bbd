"""A drill on the clock, up to its rating."""

from nicegui import ui

from grader.practice.record import clock
from grader.practice.record.unavailable import ProgressUnavailable
from grader.practice.schedule import Rating
from grader.practice.timed import drill as drills
from grader.practice.timed.drill import Drill
from grader.show.moments import day_text
from grader.show.pages.drill import COST, LEVELS
from grader.web.parts.frame import button, html
from grader.web.parts.timed_view import TimedView
from grader.web.parts.undoing import undo_button
from grader.web.studio import Studio
from grader.web.texts.contract import contract_html, hints_html
from grader.web.texts.markup import code, paragraphs, prose
from grader.web.texts.timed import rated_html, result_html
from grader.web.texts.verdict import marks_of, verdict_html
from grader.web.timed import DrillStage

ASKED = {
    drills.Asking.SOLUTION: "Show the solution? Then the drill ends as forgotten.",
    drills.Asking.HINT: f"Take a hint? Then {COST}.",
    drills.Asking.END: "Give up? Then the drill ends as forgotten.",
}


class DrillView(TimedView):
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
        self.show_clock(drill.budget, self._drilling.is_grading)
        self.look()
        if drill != self._shown or self._drilling.is_over:
            self._show_phase(drill)
            self._shown = drill
        self.show_remarks(*(self._drilling.remarks if drill.tries == 0 else ()))

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
        html(f'<p class="quiet">{number}</p><h2>{prose(question.question)}</h2>')
        if is_open:
            html(paragraphs(question.answer, prose))
        with ui.element("div").classes("row"):
            text = "Go on (Enter)" if is_open else "Show the answer (Enter)"
            button(text, lambda: self._drilling.press("enter"), main=True)
            button("Skip the questions (q)", lambda: self._drilling.press("q"))

    def _show_rating(self, drill: Drill) -> None:
        html(result_html(drill))
        if self._drilling.is_over:
            if self._drilling.rated is not None:
                html(rated_html([self._drilling.rated], clock.now()))
                undo_button(self._studio, [drill.topic.id])
            self.leave()
            return
        assert drill.rating is not None
        html(f"<h2>Rating: {drill.rating.name.lower()}</h2>")
        days = self._days(drill)
        with ui.element("div").classes("row"):
            if len(drill.ratings) > 1:
                for rating in drill.ratings:
                    key = str(int(rating))
                    text = f"{key} {rating.name.lower()}{days.get(rating, '')}"
                    made = button(text, lambda _, key=key: self._drilling.press(key))
                    made.props(f'aria-pressed="{str(rating is drill.rating).lower()}"')
            button("Accept (Enter)", lambda: self._drilling.press("enter"), main=True)

    def _days(self, drill: Drill) -> dict[Rating, str]:
        """When each rating would bring the topic back, behind the rating's name."""
        now = clock.now()
        try:
            cards = self._studio.progress.reviews.ahead(drill.topic.id, drill.level)
        except ProgressUnavailable:  # said when the rating is to be kept
            return {}
        return {rating: f" ({day_text(card.due, now)})" for rating, card in cards.items()}

    def _press(self, event) -> None:  # type: ignore[no-untyped-def]
        drill = self._drilling.drill
        if drill is None or drill.phase in (drills.Phase.WORKING, drills.Phase.PAUSED):
            return  # keys are the editor's
        if event.action.keydown and not (event.modifiers.ctrl or event.modifiers.alt or event.modifiers.meta):
            key = "enter" if event.key.enter else str(event.key)
            if key in ("enter", "q", "1", "2", "3", "4"):
                self._drilling.press(key)
