"""The pages of `make watch`, and the line under them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from rich.text import Text

from grader.curriculum.catalog import Catalog, Topic
from grader.judge.verdict import Verdict
from grader.practice.plan.standing import Standing
from grader.practice.plan.steps import Step
from grader.practice.record import clock
from grader.practice.schedule import Card
from grader.show.moments import day_text
from grader.show.pages.hint import hint_text
from grader.show.pages.topic_list import catalog_text
from grader.show.terminal.screen import Screen
from grader.show.verdicts.next_step import next_step_while_saving
from grader.show.verdicts.verdict import verdict_text

KEYS = "h hint   v all   l list   n next topic   r run again   e edit   q "


class WatchPages:
    """See `grader.practice.live.watch.View`."""

    has_one_page = True

    def __init__(self, screen: Screen, catalog: Catalog, leave: str = "quit") -> None:
        """`leave`: what q does, in a word or two."""
        self._screen = screen
        self._catalog = catalog
        self._keys = f"{KEYS}{leave}"
        self._page: Callable[[int], Text] = lambda width: Text()  # for a width
        self._grading: float | None = None
        self._sentence = ""
        self._verbose = False
        self._hints: dict[str, int] = {}  # shown here, by topic

    def show_start(self, topic: Topic | None, step: Step | None) -> None:
        self._show(lambda width: start_text(topic, step))

    def show_checks(self, verdict: Verdict) -> None:
        self._show(lambda width: self._verdict(verdict, width, is_searching=True))

    def show_verdict(self, verdict: Verdict, card: Card | None, notes: Sequence[str]) -> None:
        review = [] if card is None else [f"  Next review: {day_text(card.due, clock.now())}"]
        self._show(lambda width: _noted(self._verdict(verdict, width), [*review, *notes]))

    def show_more_or_less(self) -> None:
        self._verbose = not self._verbose
        self._paint()

    def show_hint(self, topic: Topic, level: int, notes: Sequence[str]) -> None:
        self._hints[topic.id] = level
        self._show(lambda width: _noted(Text(hint_text(topic, level, width, key="h")), notes))

    def show_list(self, standing: Mapping[str, Standing], step: Step, now: datetime) -> None:
        self._show(lambda width: catalog_text(self._catalog, standing, step, now, width))

    def show_grading(self, seconds: float | None) -> None:
        self._grading = seconds
        self._screen.status(self._line())

    def say(self, sentence: str) -> None:
        self._sentence = sentence
        self._screen.status(self._line())

    def repaint(self) -> None:
        if self._screen.paints:
            self._paint()

    def _verdict(self, verdict: Verdict, width: int, is_searching: bool = False) -> Text:
        hints = self._hints.get(verdict.topic, 0)
        step = next_step_while_saving(verdict, self._catalog[verdict.topic], hints)
        return verdict_text(verdict, self._catalog, width, step, is_searching, self._verbose)

    def _show(self, page: Callable[[int], Text]) -> None:
        self._page, self._sentence = page, ""
        self._paint()

    def _paint(self) -> None:
        self._screen.show(self._page(self._screen.width), self._line())

    def _line(self) -> Text:
        line = Text()
        if self._grading is not None:
            since = f" {int(self._grading)} s" if self._grading >= 1 else ""
            line.append(f"grading …{since}   ", style="bold yellow")
        if self._sentence:
            line.append(f"{self._sentence}   ", style="bold")
        return line.append(self._keys, style="dim")


def start_text(topic: Topic | None, step: Step | None) -> Text:
    """What is watched: one exercise, or all; then where to begin."""
    if topic is not None:
        file = topic.exercise_name
        text = Text(topic.id, style="bold").append(f"  {topic.title}\n\n", style="not bold")
        return text.append(f"  Every save of {file} is graded.", style="not bold")
    text = Text("Every save of an exercise is graded.")
    if step is None:
        return text
    if step.topic is None:
        return text.append(f"\n\n{step.reason}.")
    file = step.topic.exercise_name
    return text.append(f"\n\nNext: {step.topic.id}, because {step.reason}.\n      Open {file}")


def _noted(text: Text, notes: Sequence[str]) -> Text:
    return text.append("".join(f"\n{note}" for note in notes))
