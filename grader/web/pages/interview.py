"""A mock interview on the clock, up to its score card."""

from nicegui import ui

from grader.practice.record import clock
from grader.practice.timed import mock as mocks
from grader.practice.timed.mock import Mock
from grader.web.parts.frame import button, html
from grader.web.parts.timed_view import TimedView
from grader.web.parts.undoing import undo_button
from grader.web.studio import Studio
from grader.web.texts.contract import contract_html
from grader.web.texts.timed import card_html, questions_html, rated_html, standing_text, unrated_html
from grader.web.timed import MockStage, Timed


class MockView(TimedView):
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
        self.show_clock(mock.budget, bool(mock.pending))
        self.look()
        if mock != self._shown or self._interview.is_over:
            self._show_phase(mock)
            self._shown = mock
        self.show_remarks(*(self._interview.remarks if not self._interview.is_over else ()))

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
                (f"{number}: {topic.name}, {standing_text(result)}", str(number))
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
            rated = self._interview.rated
            told = rated_html(rated, clock.now()) + unrated_html(mock)
            html(told or "<p>Nothing was worked at.</p>")
            if rated:
                undo_button(self._studio, [each.topic.id for each in rated])
            self.leave()
        elif mock.phase is mocks.Phase.CARD:
            with ui.element("div").classes("row"):
                button("Compare with the answers", lambda: self._interview.press("enter"), main=True)
                button("End", lambda: self._interview.press("q"))
        else:
            button("End", lambda: self._interview.press("enter"), main=True)
