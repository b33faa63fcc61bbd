"""The list of topics as text."""

from collections.abc import Mapping
from datetime import datetime

from rich.text import Text

from grader.curriculum.catalog import Catalog, Topic
from grader.practice.plan.standing import Standing, State, Step
from grader.show.moments import day_text, minutes_text

DIFFICULTIES = {1: "easy", 2: "medium", 3: "hard"}
TITLE, SHORTEST = 40, 12
"""Columns for a title at most; where there are fewer than that, titles are left out."""

_TIME, _REVIEW = "best of budget", "review"

_STYLES = {
    State.NEW: "dim",
    State.STARTED: "yellow",
    State.FAILING: "red",
    State.PASSED: "green",
    State.DUE: "bold magenta",
}


def catalog_text(
    catalog: Catalog, standings: Mapping[str, Standing], step: Step, now: datetime, width: int
) -> Text:
    """All topics by chapter, a row each: where one stands, the best time against the budget, the next review;
    and what to do now. Titles have what is left of `width` columns.
    """
    ids = max(len(topic.id) for topic in catalog.topics)
    times = max(len(each) for each in (_TIME, *map(_times, standings.values())))
    reviews = max(len(each) for each in (_REVIEW, *(_review(each, now) for each in standings.values())))
    room = min(max(len(topic.title) for topic in catalog.topics), TITLE, width - ids - times - reviews - 17)
    titles = room if room >= SHORTEST else 0

    def row(id_: str, title: str, state: Text, time: str, review: str) -> Text:
        line = Text(f"  {id_:<{ids}}  ", style="cyan").append(_shortened(title, titles), style="default")
        line.append_text(state).append(" " * (7 - len(state)))
        return line.append(f"  {time:>{times}}  {review}".rstrip() + "\n", style="default")

    text = row("topic", "title", Text("state"), _TIME, _REVIEW)
    text.stylize("dim")
    for chapter in catalog.chapters:
        text.append(f"{chapter.title}\n", style="bold")
        for topic in chapter.topics:
            standing = standings[topic.id]
            state = Text(standing.state, style=_STYLES[standing.state])
            text += row(topic.id, topic.title, state, _times(standing), _review(standing, now))
        text.append("\n")
    return text.append_text(step_text(step))


def step_text(step: Step) -> Text:
    """What to do now and why, with the command for it."""
    if step.topic is None:
        return Text(f"{step.reason}.")
    return Text(f"Next: {step.topic.id}, because {step.reason}.\n      {_action(step.topic, step.state)}")


def _action(topic: Topic, state: State | None) -> str:
    if state is State.DUE:
        return f"make drill topic={topic.id}"
    if state is State.NEW:
        return f"open {topic.exercise_name}, then: make check topic={topic.id}"
    return f"make check topic={topic.id}"


def _times(standing: Standing) -> str:
    budget = f"{standing.topic.minutes} min"
    return budget if standing.best_seconds is None else f"{minutes_text(standing.best_seconds)} of {budget}"


def _review(standing: Standing, now: datetime) -> str:
    return day_text(standing.card.due, now) if standing.card else ""


def _shortened(title: str, width: int) -> str:
    """The title in `width` columns and two behind it, cut between words; nothing where there are none."""
    if not width:
        return ""
    if len(title) > width:
        title = title[: width - 1].rpartition(" ")[0].rstrip(":,") + " …"
    return f"{title:<{width}}  "
