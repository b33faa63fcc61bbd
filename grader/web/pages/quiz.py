"""Flash cards: the terminal's quiz with buttons and the same keys."""

import asyncio

from nicegui import events, ui

from grader.practice.live.quiz_loop import held
from grader.practice.plan.following import chosen_track, in_its_order
from grader.practice.plan.quiz import Quiz, deck, outlook
from grader.practice.record import clock
from grader.practice.record.progress import Progress
from grader.practice.record.unavailable import ProgressUnavailable
from grader.practice.schedule import Rating, reviewed
from grader.show.moments import day_text
from grader.show.pages.quiz import outlook_text, summary_text
from grader.web.parts.frame import button, follow, framed, html, sentence_page
from grader.web.stage import Stage
from grader.web.studio import Studio
from grader.web.texts.markup import paragraphs, prose, without_command, words


class QuizStage(Stage):
    """A quiz under way."""

    def __init__(self, quiz: Quiz, progress: Progress, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__([], loop)
        self.quiz = quiz
        self._progress = progress

    def work(self) -> None:
        """Each rating is kept at once."""
        self.quiz = held(self.quiz, self._progress.reviews, self.events, self._show)

    def _show(self, quiz: Quiz) -> None:
        self.quiz = quiz
        self.changed()


def quiz_page(studio: Studio, topic: str | None, count: int | None) -> None:
    """The questions that are due, then new ones."""
    now = clock.now()
    try:
        suspended = studio.progress.choices.suspended()
        asked = [
            each
            for each in studio.catalog.topics
            if each.id == topic or (topic is None and each.id not in suspended)
        ]
        topics = in_its_order(chosen_track(studio.catalog, studio.progress), asked)
        reviews = studio.progress.reviews.all()
    except ProgressUnavailable as problem:
        sentence_page(studio, "Quiz", str(problem))
        return
    cards = deck(topics, reviews, now)[:count]
    if not cards:
        sentence_page(studio, "Quiz", outlook_text(outlook(topics, reviews, now), now))
        return
    stage = QuizStage(Quiz(cards), studio.progress, studio.loop)
    with framed(studio, "Quiz", "/quiz", "narrow"):
        place = ui.element("div").props('aria-live="polite"')

    def show() -> None:
        place.clear()
        with place:
            if stage.fault is not None:
                ui.label(stage.fault)
            elif stage.quiz.current is None or stage.is_over:
                later = clock.now()
                ahead = outlook(topics, studio.progress.reviews.all(), later)
                html("<h1>Quiz</h1>")
                ui.label(without_command(summary_text(stage.quiz, ahead, later).plain, "quiz"))
                if ahead.waiting:
                    button("Go on", ui.navigate.reload, main=True)
                ui.link("To the topics", "/")
            else:
                _card(stage)

    ui.keyboard(lambda event: _press(stage, event), repeating=False)
    follow(stage, show)
    ui.context.client.on_delete(stage.close)
    show()
    stage.begin()


def _card(stage: QuizStage) -> None:
    quiz, now = stage.quiz, clock.now()
    card = quiz.current
    assert card is not None
    asked = "new" if card.card is None else "asked before"
    html(
        f'<p class="quiet">{words(card.topic.title)}, question {len(quiz.ratings) + 1} of {len(quiz.deck)}, '
        f"{asked}</p><h1>{prose(card.question.question)}</h1>"
    )
    with ui.element("div").classes("row"):
        if not quiz.is_open:
            button("Show the answer (Enter)", lambda: stage.press("enter"), main=True)
        else:
            for rating in Rating:
                day = day_text(reviewed(card.card, rating, now).due, now)
                key = str(rating.value)
                button(f"{key} {rating.name.lower()} ({day})", lambda _, key=key: stage.press(key))
        if quiz.ratings:
            button("Undo (u)", lambda: stage.press("u"))
        button("End (q)", lambda: stage.press("q"))
    if quiz.is_open:
        html(paragraphs(card.question.answer, prose))
    else:
        ui.label("Say the answer aloud first.").classes("quiet")


def _press(stage: QuizStage, event: events.KeyEventArguments) -> None:
    modified = event.modifiers.ctrl or event.modifiers.alt or event.modifiers.meta
    if not event.action.keydown or modified:
        return
    key = str(event.key)
    if key in ("1", "2", "3", "4", "u", "q"):
        stage.press(key)
    elif event.key.enter and not stage.quiz.is_open:
        stage.press("enter")
