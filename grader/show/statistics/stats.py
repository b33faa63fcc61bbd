"""Statistics as text for the terminal."""

import textwrap
from collections.abc import Sequence

from rich.text import Text

from grader.curriculum.catalog import Catalog
from grader.judge.verdict import in_words
from grader.practice.command_line import typed
from grader.practice.plan.statistics import Statistics, Times
from grader.practice.plan.weak_spots import WeakSpot
from grader.show.moments import minutes_text
from grader.show.statistics import facts
from grader.show.terminal.bars import bar, columns, sparkline

SHOWN, LATEST = 5, 12
"""How many topics are shown as the hardest, and how many times of each topic as a line."""

_BAR = 12


def statistics_text(statistics: Statistics, catalog: Catalog, width: int) -> Text:
    """All of the statistics, laid out for `width` columns."""
    if statistics.is_empty:
        first = catalog.topics[0]
        where = first.exercise_name
        return Text(
            "Nothing is recorded yet. The first check begins a streak.\n"
            f"Next: open {where}, then: {typed('check', topic=first.id)}"
        )
    parts = [
        _facts(statistics, width),
        _section(facts.PASSES, facts.PASSES_MEANING, _passes(statistics, width), width),
        _section(facts.DUE, facts.DUE_MEANING, _due(statistics, width), width),
    ]
    if statistics.hardest:
        hardest = _hardest(statistics.hardest[:SHOWN], width)
        parts.append(_section(facts.HARDEST, facts.HARDEST_MEANING, hardest, width))
    if statistics.times:
        times = _times(statistics.times)
        parts.append(_section(facts.TIMES, f"{facts.TIMES_MEANING}, the last one at the right", times, width))
    return Text("\n\n").join(
        [*parts, Text(f"Next: {typed('next')} (what to do now), {typed('report')} (this as a page)")]
    )


def _facts(statistics: Statistics, width: int) -> Text:
    today = statistics.today
    lines = [Text(f"Practice up to {today:%A}, {today.day} {today:%B %Y}", style="bold")]
    for name, fact in facts.facts(statistics).items():
        first, *others = textwrap.wrap(fact, max(width - 16, 20), break_on_hyphens=False)
        lines.append(Text(f"  {name:<14}", style="cyan").append(first, style="default"))
        lines += [Text(" " * 16 + other) for other in others]
    return Text("\n").join(lines)


def _section(title: str, meaning: str, body: Text, width: int) -> Text:
    between = " " if len(title) + len(meaning) + 3 <= width else "\n  "
    heading = Text(title, style="bold").append(f"{between}({meaning})\n", style="not bold dim")
    return Text.assemble(heading, body)


def _passes(statistics: Statistics, width: int) -> Text:
    labels = [f"{week.monday.day} {week.monday:%b}" for week in statistics.weeks[:-1]]
    return _chart(
        [*labels, "now"], [week.passes for week in statistics.weeks], facts.passes_text(statistics), width
    )


def _due(statistics: Statistics, width: int) -> Text:
    labels = [f"{day.day:%a} {day.day.day}" for day in statistics.forecast[1:]]
    return _chart(
        ["today", *labels], [day.topics for day in statistics.forecast], facts.due_text(statistics), width
    )


def _chart(labels: Sequence[str], values: Sequence[int], words: str, width: int) -> Text:
    """A chart with its words below; the words alone where every number is 0."""
    told = Text(textwrap.fill(words, max(width, 22), initial_indent="  ", subsequent_indent="  "))
    return Text.assemble(columns(labels, values, width), "\n", told) if any(values) else told


def _hardest(hardest: Sequence[WeakSpot], width: int) -> Text:
    ids = max(len(each.topic) for each in hardest)
    most = hardest[0].stumbles
    lines = []
    for each in hardest:
        line = Text(f"  {each.topic:<{ids}}  ", style="cyan")
        line.append(f"{bar(each.stumbles, most, _BAR):<{_BAR}}", style="red")
        line.append(f"  {each.stumbles:>{len(str(most))}} = {facts.stumbles_text(each)}", style="default")
        mistakes = textwrap.wrap(
            ", ".join(map(in_words, each.mistakes[:3])), max(width - ids - 4, 20), break_on_hyphens=False
        )
        lines += [line, *(Text(" " * (ids + 4) + part, style="dim") for part in mistakes)]
    return Text("\n").join(lines)


def _times(times: Sequence[Times]) -> Text:
    ids = max(len(each.topic) for each in times)
    lines = []
    for each in times:
        latest = each.seconds[-LATEST:]
        told = f"last {minutes_text(latest[-1])}, best {minutes_text(min(each.seconds))}"
        often = f"{len(each.seconds)} time{'s' * (len(each.seconds) != 1)}"
        line = Text(f"  {each.topic:<{ids}}  ", style="cyan")
        line.append(
            f"{sparkline(latest):>{LATEST}}", style="green" if latest[-1] <= each.budget else "yellow"
        )
        line.append(f"  {told} of {minutes_text(each.budget)}, {often}", style="default")
        lines.append(line)
    return Text("\n").join(lines)
