"""A drill as text: at work, and how it came out."""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from rich.text import Text

from grader.curriculum.catalog import Catalog
from grader.judge.verdict import Outcome, Verdict
from grader.practice.command_line import typed
from grader.practice.record.reviews import Review
from grader.practice.schedule import Card, Level
from grader.practice.timed.drill import Asking, Drill, End, Page, Phase
from grader.practice.timed.ending import Rated
from grader.show.moments import day_text, minutes_text, time_text
from grader.show.pages.hint import hint_body
from grader.show.pages.named_mistakes import mistakes_text
from grader.show.terminal.console import code_text
from grader.show.verdicts.next_step import place_to_look_at
from grader.show.verdicts.verdict import verdict_text

LEVELS = {
    Level.BLANKS: "the key lines are missing",
    Level.STUB: "everything below the signatures is missing",
    Level.EMPTY: "nothing but the contract is there",
}
"""What the exercise holds at each level of recall."""

COST = 'the rating becomes "hard" at most'
RATED_ANEW = "It was rated anew at the same moment. Look at the list, then undo again."

_ENDS = {End.PASSED: "Passed", End.SOLUTION: "Forgotten: you saw the solution,", End.GAVE_UP: "Given up"}
_QUESTIONS = {
    Asking.SOLUTION: "Show the solution? Then the drill ends as forgotten.",
    Asking.HINT: f"Take a hint? Then {COST}.",
    Asking.END: "Give up? Then the drill ends as forgotten.",
}
_AT_WORK = "h hint  s solution  p pause  e edit  q give up"


def body_text(
    drill: Drill, catalog: Catalog, width: int, has_keys: bool, remarks: Sequence[str] = ()
) -> Text:
    """The page for what the learner is about; remarks are made at the beginning."""
    match drill.phase, drill.page:
        case Phase.READING, _:
            return code_text(drill.topic.solution.read_text(encoding="utf-8").rstrip())
        case Phase.QUESTIONS, _:
            return _joined(result_text(drill, width), _question(drill, width))
        case ((Phase.RATING | Phase.OVER), _):
            return _joined(result_text(drill, width), _rating(drill))
        case _, Page.HINTS:
            return _hints(drill, width)
        case _, Page.VERDICT if drill.verdict is not None:
            return _verdict(drill.verdict, drill, catalog, width, has_keys)
    return _start(drill, remarks, has_keys)


def status_text(drill: Drill, seconds: float, is_grading: bool, has_keys: bool) -> Text:
    """The line under the page, so many seconds into the work."""
    match drill.phase:
        case Phase.READING:
            return Text("Read it, then press Enter.", style="dim")
        case Phase.QUESTIONS:
            is_open = drill.turned % 2 == 1
            return Text("Enter go on   q skip" if is_open else "Say the answer aloud, then Enter   q skip")
        case Phase.RATING | Phase.OVER:
            if len(drill.ratings) == 1:
                return Text("Enter end")
            keys = [f"{int(rating)} {rating.name.lower()}" for rating in drill.ratings]
            return Text("   ".join([*keys, "Enter accept"]))
        case Phase.PAUSED:
            return left_text(drill.budget, seconds) + Text(
                "   paused: nothing is graded   p go on", style="not bold"
            )
    if drill.asking is not None:
        return Text(f"{_QUESTIONS[drill.asking]}   {drill.asking} yes   any other key no")
    time = left_text(drill.budget, seconds)
    if not has_keys:
        return time.append("   grading …" if is_grading else "", style="default")
    return time.append(f"   {'grading …' if is_grading else 'Enter grade'}  {_AT_WORK}", style="not bold dim")


def left_text(budget: float, seconds: float) -> Text:
    """What is left of the time, or by how much it is over."""
    left = budget - seconds
    if left >= 0:
        return Text(f"{minutes_text(math.ceil(left))} left", style="bold")
    return Text(f"{minutes_text(-left)} over", style="bold red")


def result_text(drill: Drill, width: int) -> Text:
    """How the work came out."""
    text = _title(drill)
    assert drill.end is not None
    text.append(
        f"\n\n  {_ENDS[drill.end]} after {minutes_text(drill.seconds)} of {minutes_text(drill.budget)}"
    )
    text.append(f"{_best(drill)}.\n  {_tally(drill)}")
    if drill.mistakes:
        text.append("\n\n  Mistakes on the way:\n", style="bold")
        text.append_text(mistakes_text(drill.mistakes, "    ", width))
    return text


def last_text(drill: Drill, rated: Rated | None, width: int, now: datetime) -> Text:
    """How it came out and, if that could be kept, what it means for the schedule."""
    result = result_text(drill, width)
    if rated is None:
        return result
    card = rated.card
    review = f"Next review: {day_text(card.due, now)}, at level {card.level} ({LEVELS[card.level]})."
    lines = [f"  Rated {rated.rating.name.lower()}. {review}"]
    if len(drill.ratings) > 1:
        lines.append(f"  Was that the wrong key? {typed('undo')}")
    return _joined(result, Text("\n".join([*lines, f"  Next: {typed('next')}"])))


def unfinished_text(drill: Drill, seconds: float) -> Text:
    """What is left behind by a drill that was cut off."""
    worked = f"{minutes_text(seconds)} of {minutes_text(drill.budget)}"
    return Text(
        f"The drill of {drill.topic.id} is not finished: {worked} worked. "
        f"Your answer stays in {_file(drill)}.\nTo go on, or drop it: {typed('drill')}"
    )


def _start(drill: Drill, remarks: Sequence[str], has_keys: bool) -> Text:
    text = _title(drill)
    minutes = f"{drill.budget / 60:g} minute{'s' * (drill.budget != 60)}"
    best = "" if drill.best is None else f" Your best so far: {minutes_text(drill.best)}."
    text.append(f"\n\n  Write {_file(drill)} from memory in {minutes}.{best}", style="not bold")
    text.append(f"\n  Level {drill.level}: {LEVELS[drill.level]}.", style="not bold")
    text.append("\n  Every save is graded; the first pass ends the drill.")
    if has_keys:
        text.append(f"\n  A hint costs: {COST}. The solution ends the drill as forgotten.")
    return text.append("".join(["\n", *(f"\n  {remark}" for remark in remarks)]).rstrip())


def _verdict(verdict: Verdict, drill: Drill, catalog: Catalog, width: int, has_keys: bool) -> Text:
    place = place_to_look_at(verdict)
    if verdict.outcome is Outcome.NOT_STARTED:
        advice = "write something and save it"
    elif place:
        advice = f"{place}, and save"
    else:
        advice = "correct it and save"
        if has_keys and not drill.hints:
            advice += f", or press h for a hint ({COST})"
    return verdict_text(replace(verdict, file=_file(drill)), catalog, width, (advice, ""))


def _hints(drill: Drill, width: int) -> Text:
    text = _title(drill)
    count = len(drill.topic.hints)
    for level in range(1, drill.hints + 1):
        text.append(f"\n\n  Hint {level} of {count}\n", style="bold")
        text.append(hint_body(drill.topic, level, width), style="not bold")
    text.append(f"\n\n  With a hint {COST}.")
    if drill.verdict is not None:
        text.append("\n  What you saved does not pass yet. Enter shows why.")
    return text


def _question(drill: Drill, width: int) -> Text:
    number = drill.turned // 2
    question = drill.questions[number]
    text = Text(f"  Question {number + 1} of {len(drill.questions)}\n", style="bold")
    text.append(indented(question.question, width))
    return text.append(f"\n\n{indented(question.answer, width)}") if drill.turned % 2 else text


def _rating(drill: Drill) -> Text:
    assert drill.rating is not None
    rating = Text("  Rating: ").append(drill.rating.name.lower(), style="bold")
    if len(drill.ratings) == 1:
        return rating.append(", because it was not recalled.", style="not bold")
    can_be = "harder or easier" if drill.rating < max(drill.ratings) else "harder"
    reason = " With a hint it is no more than that." if drill.hints else ""
    return rating.append(f".{reason} Was it {can_be} than that? Then change it.", style="not bold")


def _title(drill: Drill) -> Text:
    return Text(drill.topic.id, style="bold").append(f"  {drill.topic.title}", style="not bold")


def _file(drill: Drill) -> str:
    return drill.topic.exercise_name


def _best(drill: Drill) -> str:
    if drill.best is None:
        return ""
    if drill.end is End.PASSED and drill.seconds < drill.best:
        return f": your best (before: {minutes_text(drill.best)})"
    return f" (your best: {minutes_text(drill.best)})"


def _tally(drill: Drill) -> str:
    """Checks of the last verdict, tries and help."""
    checks = drill.verdict.checks if drill.verdict else ()
    parts = [f"{drill.tries} {'try' if drill.tries == 1 else 'tries'}"]
    if checks:
        passed = sum(check.outcome is Outcome.PASSED for check in checks)
        parts.insert(0, f"{passed} of {len(checks)} checks passed")
    if drill.hints:
        parts.append(f"{drill.hints} hint{'s' * (drill.hints != 1)}")
    if drill.saw_solution:
        parts.append("solution seen")
    return ", ".join(parts) + "."


def indented(text: str, width: int, columns: int = 4) -> str:
    """A paragraph laid out anew."""
    indent = " " * columns
    return textwrap.fill(
        " ".join(text.split()), width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def _joined(*parts: Text) -> Text:
    return Text("\n\n").join(parts)


def taken_back_text(review: Review, card: Card | None, name: str, now: datetime) -> str:
    """What becomes of what goes by that name, once the review counts no more and `card` is its place."""
    when = "has no review to come" if card is None else f"comes back {day_text(card.due, now)}"
    was = f'"{review.rating.name.lower()}" of {time_text(review.card.at)}'
    return f"{name}: the rating {was} is taken back; it {when}."
