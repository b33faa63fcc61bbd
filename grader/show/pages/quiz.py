"""Flash cards as text."""

import textwrap
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from rich.text import Text

from grader.practice.command_line import typed
from grader.practice.plan.quiz import KEYS, Flashcard, Outlook, Quiz
from grader.practice.schedule import Rating, reviewed
from grader.show.moments import day_text


def quiz_text(quiz: Quiz, width: int) -> Text:
    """The question at hand, with its answer once the card is turned."""
    flashcard = quiz.current
    if flashcard is None:
        return Text()
    done, count = len(quiz.ratings), len(quiz.deck)
    asked = "new" if flashcard.card is None else "asked before"
    parts = [_heading(flashcard, f"question {done + 1} of {count}, {asked}", width)]
    parts.append(Text(_laid_out(flashcard.question.question, width, "  "), style="bold"))
    if quiz.is_open:
        parts.append(Text(_laid_out(flashcard.question.answer, width, "    ")))
    return Text("\n\n").join(parts)


def status_text(quiz: Quiz, now: datetime, width: int) -> Text:
    """The keys: for a rating with the day on which the question would come back, if there is room."""
    flashcard = quiz.current
    if flashcard is None:
        return Text()
    undo = ("u undo",) if quiz.ratings else ()
    if not quiz.is_open:
        return Text("   ".join(["Say the answer aloud, then Enter", *undo, "q quit"]))
    words = {key: f"{key} {rating.name.lower()}" for key, rating in KEYS.items()}
    days = {
        key: f"{words[key]} ({day_text(reviewed(flashcard.card, rating, now).due, now)})"
        for key, rating in KEYS.items()
    }
    texts = ["   ".join([*each.values(), *undo, "q quit"]) for each in (days, words)]
    return Text(next((text for text in texts if len(text) < width), texts[-1]))


def summary_text(quiz: Quiz, outlook: Outlook, now: datetime) -> Text:
    """How many were rated how, and when the next ones come."""
    counts = Counter(quiz.ratings)
    rated = ", ".join(f"{counts[rating]} {rating.name.lower()}" for rating in Rating if counts[rating])
    done = f"{_questions(len(quiz.ratings))}: {rated}." if rated else "No question was rated."
    return Text(f"{done} {outlook_text(outlook, now)}")


def outlook_text(outlook: Outlook, now: datetime) -> str:
    """When the next questions come."""
    if outlook.waiting:
        return f"{_questions(outlook.waiting)} left for today: {typed('quiz')}"
    if outlook.day is None:
        return "There are no more questions."
    days = outlook.day - now.astimezone().date()
    return f"Done for today. The next: {_questions(outlook.count)}, {day_text(now + days, now)}."


def deck_text(deck: Sequence[Flashcard], width: int) -> Text:
    """All questions with their answers, to be read where nobody can press keys."""
    parts = []
    for number, flashcard in enumerate(deck, start=1):
        parts += [
            _heading(flashcard, f"question {number} of {len(deck)}", width),
            Text(_laid_out(flashcard.question.question, width, "  "), style="bold"),
            Text(_laid_out(flashcard.question.answer, width, "    ")),
        ]
    return Text("\n\n").join(parts)


def _heading(flashcard: Flashcard, place: str, width: int) -> Text:
    topic = flashcard.topic
    heading = Text(topic.id, style="bold")
    room = width - len(topic.id) - len(place) - 4
    if room < 0:
        return heading.append(f"\n{place}", style="not bold dim")
    title = topic.title if len(topic.title) <= room else ""
    heading.append(f"  {title}", style="not bold")
    return heading.append(f"{'':{room - len(title)}}  {place}", style="not bold dim")


def _laid_out(text: str, width: int, indent: str) -> str:
    """Paragraphs laid out anew; commands and code in a line of their own stay there."""
    paragraphs = [" ".join(part.split()) for part in text.strip().split("\n\n")]
    return "\n\n".join(
        textwrap.fill(
            part,
            max(width, len(indent) + 20),
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for part in paragraphs
    )


def _questions(count: int) -> str:
    return f"{count} question{'s' * (count != 1)}"
