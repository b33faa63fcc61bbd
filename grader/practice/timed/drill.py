"""A drill as a machine: what happens in it, and how it then stands. No files, no clock, no terminal."""

from dataclasses import dataclass, replace
from enum import StrEnum, auto

from grader.curriculum.catalog import Question, Topic
from grader.judge.verdict import Outcome, Verdict
from grader.practice.record.named_mistakes import Mistakes, with_named
from grader.practice.schedule import Level, Rating, allowed_ratings, proposed_rating


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


class Asking(StrEnum):
    """What is asked before it is done, by the key that asks; the same key again, or y, says yes."""

    SOLUTION = "s"
    HINT = "h"  # the first one: it has a price
    END = "q"


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
    asking: Asking | None = None
    saved_in_pause: bool = False
    end: End | None = None
    seconds: float = 0.0  # worked, once it has ended
    turned: int = 0  # cards of the questions: to the answer, to the next question, …
    rating: Rating | None = None  # from the end on: proposed, then chosen

    @property
    def ratings(self) -> tuple[Rating, ...]:
        """Those that may be chosen, once it has ended."""
        return allowed_ratings(self.end is End.PASSED, self.hints, self.saw_solution)


Step = tuple[Drill, Action | None]


def pressed(drill: Drill, key: str, seconds: float) -> Step:
    """After a key, so many seconds into the work."""
    match drill.phase:
        case Phase.WORKING:
            return _pressed_at_work(drill, key, seconds)
        case Phase.PAUSED:
            return _resumed(drill) if key == "p" else (drill, None)
        case Phase.READING if key == "enter":
            return replace(drill, phase=_after_work(drill)), None
        case Phase.QUESTIONS if key in ("enter", "q"):
            return _turned(drill, to_the_end=key == "q"), None
        case Phase.RATING if key == "enter":
            return replace(drill, phase=Phase.OVER), None
        case Phase.RATING:
            chosen = {str(int(rating)): rating for rating in drill.ratings}
            return replace(drill, rating=chosen.get(key, drill.rating)), None
        case _:
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
    drill = replace(drill, end=end, seconds=seconds, rating=rating, asking=None)
    return replace(drill, phase=Phase.READING if end is End.SOLUTION else _after_work(drill))


def _pressed_at_work(drill: Drill, key: str, seconds: float) -> Step:
    if drill.asking is not None:
        return _answered(replace(drill, asking=None), drill.asking, key in (drill.asking, "y"), seconds)
    match key:
        case "enter":
            return _without_hints(drill), Action.GRADE
        case "h" if drill.hints == 0:
            return replace(drill, asking=Asking.HINT), None
        case "h" if drill.hints < len(drill.topic.hints):
            return _with_hint(drill)
        case "h":
            return replace(drill, page=Page.HINTS), None
        case "s" | "q":
            return replace(drill, asking=Asking(key)), None
        case "p":
            return replace(drill, phase=Phase.PAUSED), None
        case "e":
            return drill, Action.EDIT
        case _:
            return drill, None


def _answered(drill: Drill, asked: Asking, is_wanted: bool, seconds: float) -> Step:
    match asked:
        case _ if not is_wanted:
            return drill, None
        case Asking.SOLUTION:
            return ended(replace(drill, saw_solution=True), End.SOLUTION, seconds), Action.NOTE_SOLUTION
        case Asking.HINT:
            return _with_hint(drill)
        case Asking.END:
            return ended(drill, End.GAVE_UP, seconds), None


def _with_hint(drill: Drill) -> Step:
    return replace(drill, hints=drill.hints + 1, page=Page.HINTS), Action.NOTE_HINT


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
