"""The reference: behind its question, or beside an answer that passes."""

from html import escape

from nicegui import ui

from grader.curriculum.catalog import Topic
from grader.practice.exercises.contents import text_of
from grader.practice.record.recording import costs_nothing, record_solution
from grader.practice.record.unavailable import ProgressUnavailable
from grader.show.verdicts.bodies import Line, aligned, bodies
from grader.show.verdicts.compare import code_lines
from grader.web.parts.frame import button, html
from grader.web.studio import Studio
from grader.web.texts.markup import code

PRICE = "Its review counts as forgotten, and the topic comes back tomorrow."


def solution(studio: Studio, topic: Topic, panel: ui.element) -> None:
    """Fill a panel with it, after asking where it costs something."""
    panel.clear()
    with panel:
        try:
            is_free = costs_nothing(studio.progress, topic)
        except ProgressUnavailable:
            is_free = False
        if is_free:
            ui.label("This costs nothing: the topic is passed, and no review of it is due.")
            button("Show it beside my answer", lambda: _show(studio, topic, panel))
        else:
            ui.label(f"Show the solution of {topic.id}? {PRICE}")
            button("Show it all the same", lambda: _show(studio, topic, panel))


def _show(studio: Studio, topic: Topic, panel: ui.element) -> None:
    reference = topic.solution.read_text(encoding="utf-8")
    own = text_of(topic)
    try:
        was_free = costs_nothing(studio.progress, topic)
        record_solution(studio.progress, topic)
        remark = ""
    except ProgressUnavailable as problem:
        was_free, remark = False, f"This is not recorded: {problem}"
    panel.clear()
    with panel:
        if remark:
            ui.label(remark)
        try:
            if was_free:
                html(beside_html(own, reference))
        except (SyntaxError, ValueError):
            pass  # saved meanwhile: there is nothing to compare
        html(f"<h2>The reference</h2>{code(reference.rstrip())}")


def beside_html(own: str, reference: str) -> str:
    """The bodies of an answer beside the reference's, what says the same on the same line. Raises
    SyntaxError.
    """
    yours, its = bodies(own), bodies(reference)
    names = [*its, *(name for name in yours if name not in its)]
    parts = [
        f'<h3>{escape(name)}</h3><div class="beside diff">'
        + "".join(map(_line, aligned(yours.get(name, []), its.get(name, []))))
        + "</div>"
        for name in names
    ]
    counted = f"{code_lines(own)} lines of code, the reference has {code_lines(reference)}."
    return f"<h2>Yours (left) and the reference</h2><p>{counted}</p>{''.join(parts)}"


def _line(line: Line) -> str:
    own, its = ("", "") if line.is_same else ("removed", "added")
    left, right = (each if each is not None else "" for each in (line.yours, line.reference))
    return (
        f'<span class="{own if left else ""}"><code>{escape(left)}</code></span>'
        f'<span class="{its if right else ""}"><code>{escape(right)}</code></span>'
    )
