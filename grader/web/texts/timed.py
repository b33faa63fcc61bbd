"""Drills and mock interviews as HTML: how they come out, and what they mean for the schedule."""

from collections.abc import Sequence
from datetime import datetime
from html import escape

from grader.judge.verdict import Outcome
from grader.practice.timed.drill import Drill, End
from grader.practice.timed.ending import Rated
from grader.practice.timed.follow_ups import follow_ups
from grader.practice.timed.mock import Mock, Result
from grader.show.moments import day_text, minutes_text
from grader.show.pages.drill import LEVELS, result_text
from grader.show.pages.mock import overall_text, unrated_text
from grader.web.texts.markup import paragraphs, prose, words

_WIDE = 10**6
"""Columns: texts of the terminal are not broken here."""

ENDS = {
    End.PASSED: "Passed",
    End.SOLUTION: "Forgotten: you saw the solution",
    End.GAVE_UP: "Given up",
}


def result_html(drill: Drill) -> str:
    """How a drill came out: in the terminal's words."""
    _, *lines = result_text(drill, _WIDE).plain.split("\n")
    said = "".join(f"<p>{words(line.strip())}</p>" for line in lines if line.strip())
    assert drill.end is not None
    return f"<h1>{escape(drill.topic.title)}: {ENDS[drill.end].lower()}</h1>{said}"


def rated_html(rated: Sequence[Rated], now: datetime) -> str:
    """Ratings, and when the topics come back."""
    return "".join(
        f"<p>{escape(each.topic.id)} is rated <strong>{each.rating.name.lower()}</strong>. Next review: "
        f"{day_text(each.card.due, now)}, at level {each.card.level} ({LEVELS[each.card.level]}).</p>"
        for each in rated
    )


def unrated_html(mock: Mock) -> str:
    """What was worked at and is not rated: parts."""
    pairs = zip(mock.topics, mock.results, strict=True)
    return "".join(
        f"<p>{words(unrated_text(topic))}</p>" for topic, each in pairs if topic.part and each.tries
    )


def standing_text(result: Result) -> str:
    """How far a topic of an interview is, without a word on what is wrong."""
    match result.outcome:
        case None | Outcome.NOT_STARTED:
            return "not started"
        case Outcome.PASSED:
            return "passed"
    return f"not yet: {result.passed} of {result.checks} checks" if result.checks else "not yet"


def card_html(mock: Mock) -> str:
    """The score card."""
    rows = "".join(
        _result(topic.name, topic.minutes, result)
        for topic, result in zip(mock.topics, mock.results, strict=True)
    )
    overall = overall_text(mock.results, mock.seconds, mock.budget)
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("Topic", "Time", "Result"))
    return (
        f"<h1>Score card</h1><p><strong>{overall}</strong> ({mock.end}), seed {mock.seed}.</p>"
        f'<table class="card"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
    )


def questions_html(mock: Mock, with_answers: bool) -> str:
    """What is to be answered aloud."""
    parts = ["<h2>To answer aloud</h2>"]
    for topic in mock.topics:
        for question in follow_ups(topic, 2 if len(mock.topics) == 1 else 1, mock.seed):
            parts.append(f"<p><strong>{escape(topic.name)}: {prose(question.question)}</strong></p>")
            if with_answers:
                parts.append(paragraphs(question.answer, prose))
    return "".join(parts)


def _result(topic: str, minutes: int, result: Result) -> str:
    time = f"{minutes_text(result.seconds) if result.has_passed else '-'} of {minutes} min"
    said = [standing_text(result)]
    if result.why is not None and result.tries:
        said += [part for part in result.why if part]
    text = "<br>".join([*map(words, said), *(prose(each.message) for each in result.mistakes)])
    return f'<tr><th scope="row">{escape(topic)}</th><td>{time}</td><td>{text}</td></tr>'
