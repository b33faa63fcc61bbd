"""A student's own page, with nothing of the others on it."""

from collections.abc import Mapping

from grader.batch.formats.numbers import points_text
from grader.batch.formats.telling import missing_text
from grader.batch.report.style import CSS
from grader.batch.report.submission import outcome_class, outcome_word, points_of, submission_html, text
from grader.batch.scores.results import OfStudent
from grader.show.html_page import page


def feedback_page(name: str, own: OfStudent, titles: Mapping[str, str]) -> str:
    """The whole page. `titles`: of topics."""
    parts = [f"<p>{points_text(own.points)} of {points_text(own.of)} points.</p>"]
    for each in own.rows:
        topic = each.row.topic
        parts.append(
            f"<section><h2>{text(titles.get(topic, topic))} <span class=quiet>{topic}</span></h2>\n"
            f'<p><span class="{outcome_class(each)}">{outcome_word(each)}</span> {points_of(each)}</p>\n'
            f"{submission_html(each)}</section>"
        )
    for topic, most in own.missing.items():
        parts.append(
            f"<section><h2>{text(titles.get(topic, topic))} <span class=quiet>{topic}</span></h2>\n"
            f"<p>{missing_text(topic)} 0 of {points_text(most)}</p></section>"
        )
    return page(
        f"byheart: feedback for {name}",
        f"Feedback <span class=quiet>{text(name)}</span>",
        CSS,
        "\n".join(parts),
    )
