"""Statistics as one page that needs nothing else: HTML with SVG charts, for a phone and for the dark."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from html import escape

from grader.curriculum.catalog import Catalog
from grader.judge.verdict import in_words
from grader.practice.plan.standing import Standing, State
from grader.practice.plan.statistics import Statistics
from grader.show.html_page import BASE_CSS, page
from grader.show.moments import day_text, minutes_text
from grader.show.statistics import facts
from grader.show.statistics.charts import due_chart, hardest_chart, passes_chart, times_chart

SHOWN = 10
"""How many topics are shown as the hardest."""


def report_page(
    statistics: Statistics, catalog: Catalog, standings: Mapping[str, Standing], now: datetime
) -> str:
    """The whole page."""
    day = f"{statistics.today:%A}, {statistics.today.day} {statistics.today:%B %Y}"
    parts = [facts_list(statistics), *figures(statistics), _topics(catalog, standings, now)]
    if statistics.is_empty:
        parts = ["<p>Nothing is recorded yet. The first check begins a streak.</p>", parts[-1]]
    heading = f"Practice <span class=quiet>up to {escape(day)}</span>"
    return page(f"byheart: practice up to {day}", heading, _CSS, "\n".join(parts))


def facts_list(statistics: Statistics) -> str:
    """What can be told without a chart."""
    rows = (
        f"<dt>{escape(name)}</dt><dd>{escape(fact)}</dd>" for name, fact in facts.facts(statistics).items()
    )
    return f"<dl>{''.join(rows)}</dl>"


def figures(statistics: Statistics) -> Iterable[str]:
    """The charts, each with its title and words."""
    passes, due = facts.passes_text(statistics), facts.due_text(statistics)
    yield _figure(facts.PASSES, facts.PASSES_MEANING, passes_chart(statistics.weeks, passes), passes)
    yield _figure(facts.DUE, facts.DUE_MEANING, due_chart(statistics.forecast, due), due)
    hardest = statistics.hardest[:SHOWN]
    if hardest:
        words = ", ".join(f"{each.topic} {each.stumbles}" for each in hardest)
        chart = hardest_chart(hardest, words)
        named = [
            f"{each.topic}: {', '.join(map(in_words, each.mistakes[:3]))}"
            for each in hardest
            if each.mistakes
        ]
        captions = ["Mistakes named most often:", *named] if named else []
        yield _figure(facts.HARDEST, facts.HARDEST_MEANING, chart, *captions)
    if statistics.times:
        words = ", ".join(
            f"{each.topic} {minutes_text(each.seconds[-1])} of {minutes_text(each.budget)}"
            for each in statistics.times
        )
        caption = "The last one is filled. What took more than twice the budget stands at the right edge."
        yield _figure(facts.TIMES, facts.TIMES_MEANING, times_chart(statistics.times, words), caption)


def _figure(title: str, meaning: str, chart: str, *captions: str) -> str:
    caption = "<br>".join(map(escape, captions))
    return (
        f"<section><h2>{escape(title)}</h2><p class=quiet>{escape(meaning)}</p>\n"
        f"<figure>{chart}<figcaption>{caption}</figcaption></figure></section>"
    )


def _topics(catalog: Catalog, standings: Mapping[str, Standing], now: datetime) -> str:
    chapters = (
        f'<tbody><tr><th colspan=4 scope="rowgroup">{escape(chapter.title)}</th></tr>\n'
        + "\n".join(_row(standings[topic.id], now) for topic in chapter.topics)
        + "</tbody>"
        for chapter in catalog.chapters
    )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("Topic", "State", "Best time", "Next review"))
    body = "\n".join(chapters)
    return f"<section><h2>Topics</h2>\n<table><thead><tr>{heads}</tr></thead>\n{body}</table></section>"


def _row(standing: Standing, now: datetime) -> str:
    topic, best = standing.topic, standing.best_seconds
    budget = f"{topic.minutes} min"
    cells = (
        f"<b>{escape(topic.id)}</b> <span class=quiet>{escape(topic.title)}</span>",
        f'<span class="state {standing.state}">{_SIGNS[standing.state]} {standing.state}</span>',
        f"<span class=quiet>none yet, of {budget}</span>" if best is None else _time(best, budget, standing),
        day_text(standing.card.due, now) if standing.card else "",
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _time(best: float, budget: str, standing: Standing) -> str:
    untimed = " <span class=quiet>untimed</span>" if standing.is_best_untimed else ""
    return f"{minutes_text(best)} of {budget}{untimed}"


_SIGNS = {
    State.NEW: "·",
    State.STARTED: "…",
    State.FAILING: "✗",
    State.PASSED: "✓",
    State.DUE: "↻",
    State.SUSPENDED: "–",
}

_CSS = f"""\
{BASE_CSS}dl {{ display: grid; grid-template-columns: auto 1fr; gap: .4rem 1rem; }}
dt {{ color: var(--quiet); }}
dd {{ margin: 0; }}
figure {{ margin: 0; }}
figcaption {{ overflow-wrap: anywhere; }}
svg {{ display: block; width: 100%; height: auto; stroke-linejoin: round; }}
svg text {{ font-family: inherit; }}
table {{ width: 100%; border-collapse: collapse; font-size: .875rem; }}
th {{ text-align: left; font-weight: 600; padding: 0 .5rem .25rem 0; }}
tbody th {{ padding-top: 1rem; }}
td {{ border-top: 1px solid var(--grid); padding: .35rem .5rem .35rem 0; vertical-align: top; }}
td:nth-child(n + 2) {{ white-space: nowrap; }}
td b {{ font-weight: 600; display: block; }}
@media (max-width: 34rem) {{
  thead {{ display: none; }}
  tr {{ display: grid; grid-template-columns: 5.5rem 1fr auto; border-top: 1px solid var(--grid); }}
  tbody tr:first-child {{ border: 0; }}
  td {{ border: 0; padding: .1rem .5rem .35rem 0; }}
  th, td:first-child {{ grid-column: 1 / -1; padding: .35rem 0 0; }}
  td b {{ display: inline; }}
}}
.passed {{ color: var(--good); }}
.failing {{ color: var(--bad); }}
.due {{ color: var(--third); font-weight: 600; }}
.new {{ color: var(--quiet); }}
"""
