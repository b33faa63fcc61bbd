"""What to do today in a given time: reviews that are due, something new, questions."""

from collections.abc import Iterable
from dataclasses import dataclass

from grader.practice.plan.quiz import deck
from grader.practice.plan.standing import State
from grader.practice.plan.steps import Plan, Step
from grader.practice.record import clock
from grader.practice.record.progress import Progress

QUESTION_MINUTES = 0.5
FOR_QUESTIONS = 0.2
"""The share of the time that is kept for questions, if there are so many."""


@dataclass(frozen=True)
class Item:
    """Something to do: a step, or (None) so many questions."""

    step: Step | None
    minutes: float
    questions: int = 0


@dataclass(frozen=True)
class Agenda:
    """What to do one after the other, and what would be due as well but does not fit."""

    items: tuple[Item, ...]
    left: int  # steps

    @property
    def minutes(self) -> float:
        """What all of it takes."""
        return sum(item.minutes for item in self.items)


def todays_agenda(progress: Progress, plan: Plan, minutes: float) -> Agenda:
    """What to do in so many minutes, as things stand."""
    asked = [each.topic for each in plan.standing.values() if each.state is not State.SUSPENDED]
    questions = deck(asked, progress.reviews.all(), clock.now())
    return agenda(plan.steps, len(questions), minutes, plan.new_a_day, plan.topics_left)


def agenda(
    steps: Iterable[Step], questions: int, minutes: float, begun: int = 1, topics: int | None = None
) -> Agenda:
    """Of the steps in their order those that fit into so many minutes, the first one in any case; at most so
    many `topics`, of which at most `begun` are no reviews. Then questions for what is left of the time.
    """
    left = minutes - min(questions * QUESTION_MINUTES, minutes * FOR_QUESTIONS)
    items: list[Item] = []
    skipped = 0
    for step in steps:
        is_review = step.state is State.DUE
        needed = step.minutes_left if step.topic is None else float(step.topic.minutes)
        if step.topic is not None and not is_review and begun <= 0:
            continue
        if (step.topic is not None and topics == 0) or (items and needed > left):
            skipped += is_review
            continue
        items.append(Item(step, needed))
        left -= needed
        if step.topic is not None:
            begun -= not is_review
            topics = None if topics is None else topics - 1
    time = max(minutes - sum(item.minutes for item in items), 0.0)
    if asked := min(questions, int(time / QUESTION_MINUTES)):
        items.append(Item(None, asked * QUESTION_MINUTES, asked))
    return Agenda(tuple(items), skipped)
