"""The list of topics as text."""

from collections.abc import Mapping
from datetime import datetime

from rich.text import Text

from grader.curriculum.catalog import Catalog, Topic
from grader.practice.command_line import typed
from grader.practice.plan.standing import Standing, State, Step
from grader.show.moments import day_text, minutes_text

DIFFICULTIES = {1: "easy", 2: "medium", 3: "hard"}
TITLE = 40
"""Columns for a title."""

_STYLES = {
    State.NEW: "dim",
    State.STARTED: "yellow",
    State.FAILING: "red",
    State.PASSED: "green",
    State.DUE: "bold magenta",
}


def catalog_text(catalog: Catalog, standings: Mapping[str, Standing], step: Step, now: datetime) -> Text:
    """All topics by chapter: where one stands, the best time against the budget, the next review; and what to
    do now.
    """
    ids = max(len(topic.id) for topic in catalog.topics)
    titles = min(max(len(topic.title) for topic in catalog.topics), TITLE)
    text = Text()
    for chapter in catalog.chapters:
        text.append(f"{chapter.title}\n", style="bold")
        for topic in chapter.topics:
            standing = standings[topic.id]
            text.append(f"  {topic.id:<{ids}}", style="cyan").append(f"  {_shortened(topic.title, titles)}  ")
            text.append(f"{standing.state:<7}", style=_STYLES[standing.state])
            text.append(f"  {_times(standing):>15}{_review(standing, now)}".rstrip() + "\n")
        text.append("\n")
    return text.append_text(step_text(step))


def step_text(step: Step) -> Text:
    """What to do now and why, with the command for it."""
    if step.topic is None:
        return Text(f"{step.reason}.")
    return Text(f"Next: {step.topic.id}, because {step.reason}.\n      {_action(step.topic, step.state)}")


def _action(topic: Topic, state: State | None) -> str:
    if state is State.DUE:
        return typed("drill", topic=topic.id)
    if state is State.NEW:
        return f"open {topic.exercise_name}, then: {typed('check', topic=topic.id)}"
    return typed("check", topic=topic.id)


def _times(standing: Standing) -> str:
    budget = f"{standing.topic.minutes} min"
    return budget if standing.best_seconds is None else f"{minutes_text(standing.best_seconds)} of {budget}"


def _review(standing: Standing, now: datetime) -> str:
    return f"  {day_text(standing.card.due, now)}" if standing.card else ""


def _shortened(title: str, width: int) -> str:
    return f"{title:<{width}}" if len(title) <= width else f"{title[: width - 1]}…"
