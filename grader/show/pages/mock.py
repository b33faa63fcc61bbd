"""A mock interview as text: at work, its score card, and the list of earlier ones."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from rich.text import Text

from grader.curriculum.catalog import Topic
from grader.judge.verdict import Outcome, in_words
from grader.practice.command_line import typed
from grader.practice.record.sessions import RUNNING, Session
from grader.practice.timed.ending import Rated
from grader.practice.timed.follow_ups import follow_ups
from grader.practice.timed.mock import Mock, Phase, Result
from grader.practice.timed.resuming import results
from grader.show.moments import day_text, minutes_text, time_text
from grader.show.pages.drill import indented, left_text
from grader.show.pages.named_mistakes import mistakes_text

_NONE = "-"


def body_text(mock: Mock, width: int, remarks: Sequence[str] = ()) -> Text:
    """The page for what the learner is about; remarks are added."""
    match mock.phase:
        case Phase.CARD | Phase.OVER:
            return card_text(mock, width)
        case Phase.ANSWERS:
            return _questions(mock, width, with_answers=True)
    text = Text("Mock interview", style="bold")
    text.append(f"  {_many(mock)}, {mock.budget / 60:g} minutes, seed {mock.seed}\n", style="not bold")
    for number, (topic, result) in enumerate(zip(mock.topics, mock.results, strict=True)):
        text.append_text(_row(mock, number, topic, result, width))
    now = mock.topics[mock.shown]
    if not mock.results[mock.shown].has_passed:
        text.append(
            f"\n\n  Now: {now.exercise_name}. {part_text(now)}Every save is graded.", style="not bold"
        )
    if mock.phase is Phase.CLOSING:
        text.append("\n\n  It is over. What you saved in time is being graded.", style="not bold")
    lines = ["\n", *(f"\n  {remark}" for remark in remarks)]
    text.append("".join(lines).rstrip(), style="not bold")
    return text


def status_text(mock: Mock, seconds: float, has_keys: bool) -> Text:
    """The line under the page, so many seconds into the interview."""
    match mock.phase:
        case Phase.CARD:
            return Text("Answer the questions aloud, then Enter to compare   q end", style="dim")
        case Phase.ANSWERS | Phase.OVER:
            return Text("Enter end", style="dim")
        case Phase.CLOSING:
            return Text("grading …")
    if mock.is_asking:
        return Text("End the interview now?   y yes   any other key no")
    left = left_text(mock.budget, seconds)
    if not has_keys:
        return left.append("   grading …" if mock.pending else "", style="not bold")
    last = len(mock.topics)
    switch = f"1-{last} topic  " if last > 1 else ""
    grade = "grading …" if mock.pending else "Enter grade"
    return left.append(f"   {grade}  {switch}e edit  q end", style="not bold dim")


def card_text(mock: Mock, width: int) -> Text:
    """The score card, with questions to answer aloud."""
    text = Text("Score card", style="bold").append(f"  seed {mock.seed}\n", style="not bold")
    column = max(len(topic.name) for topic in mock.topics)
    for topic, result in _pairs(mock):
        text.append(f"\n  {topic.name:<{column}}", style="bold")
        text.append(f"  {_time(result):>5} of {topic.minutes:>2} min  ", style="not bold")
        text.append_text(_standing(result))
        if result.why is not None and result.tries:
            text.append("\n").append_text(_why(result.why, width))
        if result.mistakes:
            text.append("\n").append_text(mistakes_text(result.mistakes, "      ", width))
    text.append(f"\n\n  {overall_text(mock.results, mock.seconds, mock.budget)}", style="bold")
    text.append(f" ({mock.end}).\n\n" if mock.end else ".\n\n", style="not bold")
    return text + _questions(mock, width, with_answers=False)


def last_text(mock: Mock, rated: Sequence[Rated], width: int, now: datetime) -> Text:
    """The score card, and what it means for the schedule."""
    lines = [
        f"  {each.topic.id} is rated {each.rating.name.lower()}, next review: {day_text(each.card.due, now)}"
        for each in rated
    ]
    lines += [f"  {unrated_text(topic)}" for topic, result in _pairs(mock) if topic.part and result.tries]
    schedule = "\n".join(lines) or "  Nothing was worked at, so nothing is rated."
    failing = next((topic for topic, result in _pairs(mock) if result.why is not None and result.tries), None)
    then = typed("next") if failing is None else _check(failing)
    return card_text(mock, width) + Text(f"\n\n{schedule}\n  Next: {then}")


def part_text(topic: Topic) -> str:
    """What of a topic is to be written, if only a part of it is asked: a sentence with a space behind it."""
    return f"Write {', '.join(topic.part.names)}; the rest is given. " if topic.part is not None else ""


def unrated_text(topic: Topic) -> str:
    """Why the schedule of a topic stays as it is."""
    return f"{topic.name} is a part of {topic.id}: its schedule stays as it is."


def _check(topic: Topic) -> str:
    """The command that grades what is in the exercise."""
    if topic.part is None:
        return typed("check", topic=topic.id)
    return typed("check", f"--file {topic.exercise_name}", topic=topic.id)


def _pairs(mock: Mock) -> Iterable[tuple[Topic, Result]]:
    return zip(mock.topics, mock.results, strict=True)


def _why(why: tuple[str, str], width: int) -> Text:
    """The check that failed first, and what it says."""
    title, message = why
    text = Text(f"      FAIL  {title}" if title else "", style="red")
    said = message.strip().split("\n")[0]
    if said:
        text.append("\n" * bool(title) + indented(said, width, 12 if title else 6), style="default")
    return text


def unfinished_text(topics: Sequence[str], seconds: float, budget: float) -> Text:
    """What is left behind by an interview that was cut off."""
    worked = f"{minutes_text(seconds)} of {minutes_text(budget)}"
    return Text(
        f"The mock interview ({', '.join(topics)}) is not finished: {worked} are over. "
        f"Your answers stay where they are.\nTo go on, or drop it: {typed('mock')}"
    )


def list_text(sessions: Sequence[Session]) -> Text:
    """Mock interviews, oldest first: when, and how they came out. One that goes on tells nothing."""
    text = Text("Mock interviews", style="bold")
    for session in sessions:
        text.append(f"\n{time_text(session.started)}  ", style="not bold")
        if session.status == RUNNING:
            text.append(f"not finished: {typed('mock')}", style="not bold")
            continue
        came_out = results(session)
        overall = overall_text(came_out, session.elapsed, session.budget)
        text.append(f"{overall} ({session.status}), seed {session.details['seed']}", style="not bold")
        for topic, result in zip(session.topics, came_out, strict=True):
            mistakes = ", ".join(in_words(mistake.mistake) for mistake in result.mistakes)
            text.append(f"\n    {topic}  {_time(result)}  ", style="not bold").append_text(_standing(result))
            text.append(f"  {mistakes}" if mistakes else "", style="not bold")
    return text


def _row(mock: Mock, number: int, topic: Topic, result: Result, width: int) -> Text:
    """One line; without the title where that does not fit."""
    ids = max(len(each.name) for each in mock.topics)
    titles = max(len(each.title) for each in mock.topics)
    standings = max(_standing(each).cell_len for each in mock.results)
    title = f"  {topic.title:<{titles}}" if ids + titles + standings + 10 <= width else ""
    mark = ">" if number == mock.shown else " "
    row = Text(f"\n{mark} {number + 1}  {topic.name:<{ids}}", style="bold" if mark == ">" else "")
    return row.append(f"{title}  ", style="not bold").append_text(_standing(result))


def _standing(result: Result) -> Text:
    """How far a topic is, without a word on what is wrong."""
    match result.outcome:
        case None | Outcome.NOT_STARTED:
            return Text("not started", style="not bold dim")
        case Outcome.PASSED:
            return Text("passed", style="not bold green")
    of_checks = f": {result.passed} of {result.checks} checks" if result.checks else ""
    return Text(f"not yet{of_checks}", style="not bold yellow")


def _questions(mock: Mock, width: int, with_answers: bool) -> Text:
    text = Text("  To answer aloud", style="bold")
    for topic in mock.topics:
        for question in follow_ups(topic, 2 if len(mock.topics) == 1 else 1, mock.seed):
            text.append("\n\n").append(indented(f"{topic.name}: {question.question}", width))
            if with_answers:
                text.append("\n\n").append(indented(question.answer, width, 6), style="not bold")
    return text


def overall_text(came_out: Sequence[Result], seconds: float, budget: float) -> str:
    """How many topics of an interview were passed, and in which time."""
    passed = sum(result.has_passed for result in came_out)
    return f"{passed} of {len(came_out)} passed in {minutes_text(seconds)} of {minutes_text(budget)}"


def _time(result: Result) -> str:
    return minutes_text(result.seconds) if result.has_passed else _NONE


def _many(mock: Mock) -> str:
    count = len(mock.topics)
    return f"{count} topic{'s' * (count != 1)}"
