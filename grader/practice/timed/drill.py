"""A drill as a machine: what happens in it, and how it then stands. No files, no clock, no terminal."""

from dataclasses import dataclass, replace
from enum import StrEnum, auto

from grader.curriculum.catalog import Question, Topic
from grader.judge.verdict import Outcome, Verdict
from grader.practice.plan.schedule import Level, Rating, proposed_rating
from grader.practice.record.named_mistakes import Mistakes, with_named


class Phase(StrEnum):
    """What the learner is about."""

    WORKING = auto()
    PAUSED = auto()
    READING = auto()  # the solution
    QUESTIONS = auto()
    RATING = auto()
    OVER = auto()


class End(StrEnum):
    """How the work ended."""

    PASSED = "passed"
    SOLUTION = "solution seen"
    GAVE_UP = "given up"


class Page(StrEnum):
    """What is shown to somebody at work."""

    START = auto()
    VERDICT = auto()
    HINTS = auto()


class Action(StrEnum):
    """What a step asks to be done outside of the machine."""

    GRADE = auto()
    EDIT = auto()
    NOTE_HINT = auto()
    NOTE_SOLUTION = auto()


@dataclass(frozen=True)
class Drill:
    """How a drill stands."""

    topic: Topic
    level: Level
    budget: float  # seconds
    best: float | None  # seconds of the fastest earlier pass
    questions: tuple[Question, ...]  # to follow
    phase: Phase = Phase.WORKING
    page: Page = Page.START
    verdict: Verdict | None = None  # the last one
    tries: int = 0  # verdicts on something that was written
    mistakes: Mistakes = ()  # named on the way
    hints: int = 0  # levels taken
    saw_solution: bool = False
    is_asking: bool = False  # whether the solution is really wanted
    saved_in_pause: bool = False
    end: End | None = None
    seconds: float = 0.0  # worked, once it has ended
    turned: int = 0  # cards of the questions: to the answer, to the next question, …
    rating: Rating | None = None  # from the end on: proposed, then chosen


Step = tuple[Drill, Action | None]

_RATINGS = {str(int(rating)): rating for rating in Rating}


def pressed(drill: Drill, key: str, seconds: float) -> Step:
    """After a key, so many seconds into the work."""
    match drill.phase:
        case Phase.WORKING:
            return _pressed_at_work(drill, key, seconds)
        case Phase.PAUSED:
            return _resumed(drill) if key == "p" else (drill, None)
        case Phase.READING:
            return replace(drill, phase=_after_work(drill)), None
        case Phase.QUESTIONS:
            return _turned(drill, to_the_end=key == "q"), None
        case Phase.RATING:
            if key in _RATINGS:
                return replace(drill, rating=_RATINGS[key]), None
            return (replace(drill, phase=Phase.OVER) if key == "enter" else drill), None
        case Phase.OVER:
            return drill, None


def saved(drill: Drill) -> Step:
    """After the exercise was saved."""
    match drill.phase:
        case Phase.WORKING:
            return _without_hints(drill), Action.GRADE
        case Phase.PAUSED:
            return replace(drill, saved_in_pause=True), None
        case _:
            return drill, None


def checked(drill: Drill, verdict: Verdict) -> Drill:
    """With a verdict to be seen, but for its mistake."""
    if drill.end is not None:
        return drill
    page = drill.page if drill.page is Page.HINTS else Page.VERDICT  # who reads is not interrupted
    return replace(drill, verdict=verdict, page=page)


def graded(drill: Drill, verdict: Verdict, seconds: float, hints: int, saw_solution: bool) -> Drill:
    """After a verdict; `hints` and `saw_solution` tell of the help taken until then, here or elsewhere."""
    if drill.end is not None:
        return drill
    drill = replace(
        checked(drill, verdict),
        tries=drill.tries + (verdict.outcome is not Outcome.NOT_STARTED),
        mistakes=with_named(drill.mistakes, verdict),
        hints=max(hints, drill.hints),
        saw_solution=saw_solution or drill.saw_solution,
    )
    return ended(drill, End.PASSED, seconds) if verdict.passed else drill


def ended(drill: Drill, end: End, seconds: float) -> Drill:
    """After the work, with a rating proposed."""
    rating = proposed_rating(
        end is End.PASSED, seconds, drill.budget, drill.hints, drill.saw_solution, drill.tries
    )
    drill = replace(drill, end=end, seconds=seconds, rating=rating, is_asking=False)
    return replace(drill, phase=Phase.READING if end is End.SOLUTION else _after_work(drill))


def _pressed_at_work(drill: Drill, key: str, seconds: float) -> Step:
    if drill.is_asking:
        if key != "s":
            return replace(drill, is_asking=False), None
        return ended(replace(drill, saw_solution=True), End.SOLUTION, seconds), Action.NOTE_SOLUTION
    match key:
        case "enter":
            return _without_hints(drill), Action.GRADE
        case "h" if drill.hints < len(drill.topic.hints):
            return replace(drill, hints=drill.hints + 1, page=Page.HINTS), Action.NOTE_HINT
        case "h":
            return replace(drill, page=Page.HINTS), None
        case "s":
            return replace(drill, is_asking=True), None
        case "p":
            return replace(drill, phase=Phase.PAUSED), None
        case "e":
            return drill, Action.EDIT
        case "q":
            return ended(drill, End.GAVE_UP, seconds), None
        case _:
            return drill, None


def _resumed(drill: Drill) -> Step:
    after = replace(drill, phase=Phase.WORKING, saved_in_pause=False)
    return (_without_hints(after), Action.GRADE) if drill.saved_in_pause else (after, None)


def _without_hints(drill: Drill) -> Drill:
    return replace(drill, page=Page.START if drill.verdict is None else Page.VERDICT)


def _after_work(drill: Drill) -> Phase:
    return Phase.QUESTIONS if drill.questions else Phase.RATING


def _turned(drill: Drill, to_the_end: bool) -> Drill:
    """After the next card: a question has two, itself and its answer."""
    cards = 2 * len(drill.questions)
    turned = cards if to_the_end else drill.turned + 1
    return replace(drill, turned=turned, phase=Phase.RATING if turned >= cards else Phase.QUESTIONS)
