"""The teacher's page: who did what, what went wrong in the class, and each verdict."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from grader.batch.formats.numbers import points_text
from grader.batch.report.mistakes import class_mistakes
from grader.batch.report.style import CSS, SCRIPT
from grader.batch.report.submission import (
    outcome_class,
    outcome_word,
    points_of,
    submission_html,
    text,
)
from grader.batch.scores.results import OfStudent
from grader.batch.scores.scoring import Scored
from grader.judge.verdict import Verdict
from grader.show.html_page import page

SLOWEST = 10
KINDS = {
    "": "all students",
    "pass": "with a pass",
    "partly": "with something wrong",
    "none": "with something not handed in or not started",
    "look": "with something unusual",
    "fault": "with something that could not be graded",
}
"""What the table can be filtered by."""


@dataclass(frozen=True)
class Class:
    """Students; what they are called on the page; topics that count, in study order; the files of the
    students' own pages, by student; and files that were not recognised, with the reason.
    """

    students: Sequence[OfStudent]
    names: Mapping[str, str]
    topics: Sequence[str]
    pages: Mapping[str, str]
    unrecognised: Sequence[tuple[str, str]] = ()

    @property
    def results(self) -> list[Scored]:
        """All of them, in the order of students and topics."""
        return [each for student in self.students for each in student.rows]


def class_page(found: Class) -> str:
    """The whole page."""
    places = {each.row.owner: f"r{number}" for number, each in enumerate(found.results, start=1)}
    body = [
        _facts(found),
        _unrecognised(found),
        _unusual(found, places),
        _table(found, places),
        _mistakes(found),
        _times(found, places),
        _verdicts(found, places),
    ]
    return page("byheart: results", "Results", CSS, "\n".join(filter(None, body)), SCRIPT)


def _facts(found: Class) -> str:
    passed = sum(outcome_class(each) == "pass" for each in found.results)
    faults = sum(each.row.verdict is None for each in found.results)
    sentence = f"{len(found.students)} students, {len(found.results)} submissions, {passed} pass."
    more = f' <span class="fault">{faults} could not be graded.</span>' if faults else ""
    return f"<p>{sentence}{more}</p>"


def _unrecognised(found: Class) -> str:
    items = "".join(f"<li>{text(file)}: {text(why)}</li>" for file, why in found.unrecognised)
    if not items:
        return ""
    count = len(found.unrecognised)
    return (
        f'<details><summary class="fault">{count} not recognised, so not graded</summary><ul>{items}</ul>'
        "</details>"
    )


def _unusual(found: Class, places: Mapping[tuple[str, str], str]) -> str:
    """Passes that somebody should look at before believing them."""
    items = [
        f"<li>{_link(found, each, places)}: {text(_lines(each.row.verdict))}</li>"
        for each in found.results
        if each.row.verdict and each.row.verdict.passed and each.row.verdict.suspicions
    ]
    if not items:
        return ""
    why = "These pass, and reach for what an answer does not need. Look at them before you believe them."
    return f"<section><h2>To be looked at</h2><p>{why}</p><ul>{''.join(items)}</ul></section>"


def _lines(verdict: Verdict) -> str:
    return "; ".join(f"line {each.line}: {each.what}" for each in verdict.suspicions)


def _link(found: Class, each: Scored, places: Mapping[tuple[str, str], str]) -> str:
    name = text(found.names[each.row.student])
    return f'<a href="#{places[each.row.owner]}">{name}, {each.row.topic}</a>'


def _table(found: Class, places: Mapping[tuple[str, str], str]) -> str:
    heads = "".join(
        f'<th scope="col"><button type="button">{head}</button></th>'
        for head in ("Student", "Points", *found.topics)
    )
    students = sorted(found.students, key=lambda own: found.names[own.student])
    rows = "\n".join(_row(found, own, places) for own in students)
    options = "".join(f'<option value="{kind}">{what}</option>' for kind, what in KINDS.items())
    return (
        "<section><h2>Students</h2>\n"
        '<p><input id="words" type="search" placeholder="Name" aria-label="Part of a name">'
        f'<select id="kind" aria-label="Which">{options}</select> '
        '<span id="shown" class="quiet"></span></p>\n'
        f'<div class="scroll"><table id="students"><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def _row(found: Class, own: OfStudent, places: Mapping[tuple[str, str], str]) -> str:
    name = text(found.names[own.student])
    linked = f'<a href="{quote(found.pages[own.student])}">{name}</a>' if own.student in found.pages else name
    cells = [
        f'<th scope="row" data-value="{name}" title="{name}">{linked}</th>',
        f'<td data-value="{own.points}">{points_text(own.points)} of {points_text(own.of)}</td>',
    ]
    every = {each.row.topic: each for each in own.rows}
    for topic in found.topics:
        each = every.get(topic)
        if each is None:
            missing = f"not handed in, 0 of {points_text(own.most[topic])}"
            cells.append(f'<td class="none" data-value="-1" data-kind="none" title="{missing}">–</td>')
            continue
        kind = outcome_class(each)
        looks = each.row.verdict is not None and bool(each.row.verdict.suspicions)
        sign = ' <span class="look" title="unusual">!</span>' if looks else ""
        worth = "" if each.is_lost else f" {points_text(each.points)}"
        tries = f", {each.attempts} attempts" if each.attempts > 1 else ""
        cells.append(
            f'<td class="{kind}" data-kind="{kind}{" look" if looks else ""}" data-value="{each.share:.4f}">'
            f'<a href="#{places[each.row.owner]}" title="{points_of(each)}{tries}">'
            f"{outcome_word(each)}{worth}</a>{sign}</td>"
        )
    return f"<tr>{''.join(cells)}</tr>"


def _mistakes(found: Class) -> str:
    made = class_mistakes(found.results)
    if not made:
        return ""
    rows = "".join(
        f"<tr><td>{len(each.students)}</td><td>{each.topic}</td><td>{text(each.message)}"
        f'<div class="quiet">{text(_listed(found, each.students))}</div></td></tr>'
        for each in made
    )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("Students", "Topic", "Mistake"))
    return (
        "<section><h2>Mistakes of the class</h2><p class=quiet>Known mistakes, by how many made each.</p>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></section>"
    )


def _listed(found: Class, students: Iterable[str]) -> str:
    return ", ".join(sorted(found.names[each] for each in students))


def _times(found: Class, places: Mapping[tuple[str, str], str]) -> str:
    timed = [(each.row.verdict.seconds, each) for each in found.results if each.row.verdict]
    if not timed:
        return ""
    slowest = sorted(timed, key=lambda one: -one[0])[:SLOWEST]
    items = "".join(f"<li>{_link(found, each, places)}: {seconds:.1f} s</li>" for seconds, each in slowest)
    several = sum(each.attempts > 1 for each in found.results)
    median = statistics.median(seconds for seconds, _ in timed)
    return (
        f"<section><h2>Time and attempts</h2><p>Grading one took {median:.1f} s in the middle, "
        f"{sum(seconds for seconds, _ in timed):.0f} s all together. {several} were handed in more than "
        f"once. The slowest:</p><ul>{items}</ul></section>"
    )


def _verdicts(found: Class, places: Mapping[tuple[str, str], str]) -> str:
    parts = "\n".join(
        f'<details id="{places[each.row.owner]}"><summary><b>{text(found.names[each.row.student])}</b> '
        f'{each.row.topic} <span class="{outcome_class(each)}">{outcome_word(each)}</span> '
        f"{points_of(each)}</summary>\n{submission_html(each)}</details>"
        for each in found.results
    )
    return f"<section><h2>Every submission</h2>\n{parts}</section>"
