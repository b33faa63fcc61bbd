"""The teacher's page: who did what, what went wrong in the class, and each verdict."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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
    """All results, in the order of students and topics; what students are called on the page; topics in
    study order; and the files of the students' own pages, by student.
    """

    results: Sequence[Scored]
    names: Mapping[str, str]
    topics: Sequence[str]
    pages: Mapping[str, str]


def class_page(found: Class) -> str:
    """The whole page."""
    every = {(each.row.student, each.row.topic): each for each in found.results}
    places = {key: f"r{number}" for number, key in enumerate(every, start=1)}
    topics = [topic for topic in found.topics if any(each.is_answer for each in _of(found, topic))]
    body = [
        _facts(found),
        _unusual(found, places),
        _table(found, every, places, topics),
        _mistakes(found),
        _times(found, places),
        _verdicts(found, places),
    ]
    heading = f"Results <span class=quiet>{len(found.results)} submissions</span>"
    return page("byheart: results", heading, CSS, "\n".join(filter(None, body)), SCRIPT)


def _of(found: Class, topic: str) -> list[Scored]:
    return [each for each in found.results if each.row.topic == topic]


def _facts(found: Class) -> str:
    students = len({each.row.student for each in found.results})
    passed = sum(outcome_class(each) == "pass" for each in found.results)
    faults = sum(each.row.verdict is None for each in found.results)
    sentence = f"{students} students, {len(found.results)} submissions, {passed} pass."
    more = f' <span class="fault">{faults} could not be graded.</span>' if faults else ""
    return f"<p>{sentence}{more}</p>"


def _unusual(found: Class, places: Mapping[tuple[str, str], str]) -> str:
    """Passes that somebody should look at before believing them."""
    items = [
        f"<li>{_link(found, each, places)}: {text(_lines(each.row.verdict))}</li>"
        for each in found.results
        if each.row.verdict and each.row.verdict.passed and each.row.verdict.suspicions
    ]
    if not items:
        return ""
    why = "These pass, and reach for what an answer does not need. Look at them before you believe it."
    return f"<section><h2>To be looked at</h2><p>{why}</p><ul>{''.join(items)}</ul></section>"


def _lines(verdict: Verdict) -> str:
    return "; ".join(f"line {each.line}: {each.what}" for each in verdict.suspicions)


def _link(found: Class, each: Scored, places: Mapping[tuple[str, str], str]) -> str:
    name = text(found.names[each.row.student])
    return f'<a href="#{places[each.row.owner]}">{name}, {each.row.topic}</a>'


def _table(
    found: Class,
    every: Mapping[tuple[str, str], Scored],
    places: Mapping[tuple[str, str], str],
    topics: Sequence[str],
) -> str:
    heads = "".join(
        f'<th scope="col"><button type="button">{head}</button></th>'
        for head in ("Student", "Points", *topics)
    )
    of_student: dict[str, list[Scored]] = {}
    for each in found.results:
        of_student.setdefault(each.row.student, []).append(each)
    students = sorted(of_student, key=lambda student: found.names[student])
    rows = "\n".join(_row(found, of_student[student], every, places, topics) for student in students)
    options = "".join(f'<option value="{kind}">{what}</option>' for kind, what in KINDS.items())
    return (
        "<section><h2>Students</h2>\n"
        '<p><input id="words" type="search" placeholder="Name" aria-label="Part of a name">'
        f'<select id="kind" aria-label="Which">{options}</select> '
        '<span id="shown" class="quiet"></span></p>\n'
        f'<div class="scroll"><table id="students"><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def _row(
    found: Class,
    own: Sequence[Scored],
    every: Mapping[tuple[str, str], Scored],
    places: Mapping[tuple[str, str], str],
    topics: Sequence[str],
) -> str:
    student = own[0].row.student
    total, of = sum(each.points for each in own), sum(each.of for each in own)
    name = text(found.names[student])
    linked = f'<a href="{found.pages[student]}">{name}</a>' if student in found.pages else name
    cells = [
        f'<th scope="row" data-value="{name}" title="{name}">{linked}</th>',
        f'<td data-value="{total}">{points_text(total)} of {points_text(of)}</td>',
    ]
    for topic in topics:
        each = every.get((student, topic))
        if each is None:
            cells.append('<td class="none" data-value="-1" data-kind="none">–</td>')
            continue
        kind = outcome_class(each)
        looks = each.row.verdict is not None and bool(each.row.verdict.suspicions)
        sign = ' <span class="look" title="unusual">!</span>' if looks else ""
        tries = f", {each.attempts} attempts" if each.attempts > 1 else ""
        cells.append(
            f'<td class="{kind}" data-kind="{kind}{" look" if looks else ""}" data-value="{each.share:.4f}">'
            f'<a href="#{places[each.row.owner]}" title="{points_of(each)}{tries}">{outcome_word(each)} '
            f"{points_text(each.points)}</a>{sign}</td>"
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
