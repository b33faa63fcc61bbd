"""The topics as HTML: a table by chapter, which a search narrows down; and what to do today."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from html import escape

from grader.curriculum.catalog import Catalog, Topic
from grader.practice.plan.agenda import Agenda, Item
from grader.practice.plan.interview import Aim
from grader.practice.plan.standing import Standing, State
from grader.practice.plan.steps import Plan
from grader.show.moments import day_text, minutes_text
from grader.show.pages.today import aim_text
from grader.show.pages.topic_list import track_line
from grader.web.texts.markup import words

SIGNS = {
    State.NEW: "·",
    State.STARTED: "…",
    State.FAILING: "✗",
    State.PASSED: "✓",
    State.DUE: "↻",
    State.SUSPENDED: "–",
}


def topics_html(
    catalog: Catalog,
    standings: Mapping[str, Standing],
    now: datetime,
    shown: Collection[str],
) -> str:
    """The topics that are `shown`, by chapter, each with where one stands."""
    bodies = []
    for chapter in catalog.chapters:
        rows = [_row(standings[topic.id], now) for topic in chapter.topics if topic.id in shown]
        if rows:
            head = f'<tr><th colspan="4" scope="rowgroup">{escape(chapter.title)}</th></tr>'
            bodies.append(f"<tbody>{head}{''.join(rows)}</tbody>")
    if not bodies:
        return '<p role="status">No topic is about that.</p>'
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("Topic", "State", "Best time", "Next review"))
    return f'<table class="topics"><thead><tr>{heads}</tr></thead>{"".join(bodies)}</table>'


def found(catalog: Catalog, wanted: str) -> set[str]:
    """The topics whose name, chapter, text or sources have all words of what is wanted."""
    parts = wanted.lower().split()
    titles = {chapter.id: chapter.title for chapter in catalog.chapters}
    return {
        topic.id
        for topic in catalog.topics
        if all(part in about(topic) or part in titles[topic.chapter].lower() for part in parts)
    }


@cache
def about(topic: Topic) -> str:
    """All that a topic may be looked for by: what its solution says of it, not how it does it."""
    head = topic.solution.read_text(encoding="utf-8").split('"""')[1:2]
    sources = [source.title for source in topic.sources]
    questions = [each.question for each in topic.questions]
    return " ".join([topic.id, topic.title, *head, *sources, *questions]).lower()


def agenda_html(agenda: Agenda, plan: Plan, minutes: int) -> str:
    """What to do today, each with its link."""
    rows = "".join(f"<li>{_item(item)}</li>" for item in agenda.items)
    track = "" if plan.followed is None else f"<p>{words(_without_advice(track_line(plan.followed)))}</p>"
    text = track + f"<ol>{rows}</ol>" if rows else f"<p>{words(plan.next.reason)}.</p>"
    if agenda.left:
        text += f"<p>{agenda.left} more review{'s' * (agenda.left != 1)} would be due.</p>"
    return text if plan.aim is None else text + _aim(plan.aim)


def facts_html(facts: Sequence[tuple[str, str]]) -> str:
    """Names, and what there is to say of each."""
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(fact)}</dd>" for name, fact in facts)
    return f"<dl>{rows}</dl>"


def _aim(aim: Aim) -> str:
    """What an interview asks for; what there is no time for is folded: it may be most topics."""
    lines = aim_text(replace(aim, left_out=())).plain.split("\n")
    text = "".join(f"<p>{words(line.strip())}</p>" for line in lines)
    if not aim.left_out:
        return text
    topics = "".join(f"<li>{_link(topic)}</li>" for topic in aim.left_out)
    count = f"{len(aim.left_out)} topic{'s' * (len(aim.left_out) != 1)}"
    return f"{text}<details><summary>There is no time for {count}</summary><ul>{topics}</ul></details>"


def _without_advice(line: str) -> str:
    """Without what the terminal says to type: a page has a list to choose from."""
    return line.partition("; to go on without it:")[0]


def _link(topic: Topic) -> str:
    return f'<a href="/topic/{topic.id}">{escape(topic.title)}</a>'


def _item(item: Item) -> str:
    minutes = f'<span class="quiet">{item.minutes:.0f} min</span>'
    step = item.step
    if step is None:
        count = item.questions
        return f'<a href="/quiz?count={count}">{count} question{"s" * (count != 1)}</a> {minutes}'
    if step.topic is None:
        return f'<a href="/session">Go on with your {step.unfinished}</a> {minutes}: {words(step.reason)}'
    verb = {State.DUE: "Review", State.NEW: "Begin"}.get(step.state or State.NEW, "Go on with")
    topic = step.topic
    path = f"/drill/{topic.id}" if step.state is State.DUE else f"/topic/{topic.id}"
    return f'<a href="{path}">{verb} {escape(topic.title)}</a> {minutes}: {words(step.reason)}'


def _row(standing: Standing, now: datetime) -> str:
    topic, best = standing.topic, standing.best_seconds
    time = f"{'–' if best is None else minutes_text(best)} of {topic.minutes} min"
    if standing.is_best_untimed:
        time += ", untimed"
    cells = (
        f'{_link(topic)} <code class="quiet">{topic.id}</code>',
        f'<span class="state {standing.state}">{SIGNS[standing.state]} {standing.state}</span>',
        time,
        day_text(standing.card.due, now) if standing.card else "",
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
