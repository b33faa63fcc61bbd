"""A mock interview as a machine: what happens in it, and how it then stands. No files, clock or terminal."""

from dataclasses import dataclass, replace
from enum import StrEnum, auto

from grader.curriculum.catalog import Topic
from grader.judge.verdict import Outcome, Verdict
from grader.practice.record.named_mistakes import Mistakes, with_named
from grader.practice.schedule import Rating, proposed_rating


class Phase(StrEnum):
    """What the learner is about."""

    WORKING = auto()
    CLOSING = auto()  # waiting for verdicts on what was saved in time
    CARD = auto()
    ANSWERS = auto()  # of the follow-up questions on the card
    OVER = auto()


class End(StrEnum):
    """How the work ended."""

    PASSED = "all passed"
    EARLY = "ended early"
    TIME = "time over"


class Action(StrEnum):
    """What a step asks to be done outside of the machine, with the exercise that is shown."""

    GRADE = auto()
    EDIT = auto()


@dataclass(frozen=True)
class Result:
    """How far one is with a topic."""

    seconds: float = 0.0  # worked at it, until it passed
    outcome: Outcome | None = None  # of the last verdict
    passed: int = 0  # checks
    checks: int = 0
    tries: int = 0  # verdicts on something that was written
    mistakes: Mistakes = ()  # named on the way
    hints: int = 0  # there are none here, but elsewhere
    saw_solution: bool = False
    why: tuple[str, str] | None = None  # the last one did not pass: the first failing check, and its message

    @property
    def has_passed(self) -> bool:
        return self.outcome is Outcome.PASSED


@dataclass(frozen=True)
class Mock:
    """How a mock interview stands. Topics are numbered from 0 on."""

    topics: tuple[Topic, ...]
    budget: float  # seconds, for all
    seed: int  # of the drawing
    results: tuple[Result, ...]
    shown: int = 0
    credited: float = 0.0  # seconds into the interview for which it is settled which topic they went into
    pending: frozenset[int] = frozenset()  # being graded
    is_asking: bool = False  # whether it is really to end
    phase: Phase = Phase.WORKING
    end: End | None = None
    seconds: float = 0.0  # worked, once it has ended


Step = tuple[Mock, Action | None]


def begun(topics: tuple[Topic, ...], budget: float, seed: int) -> Mock:
    """An interview of which nothing has happened yet."""
    return Mock(topics, budget, seed, tuple(Result() for _ in topics))


def pressed(mock: Mock, key: str, seconds: float) -> Step:
    """After a key, so many seconds into the interview."""
    match mock.phase, key:
        case Phase.WORKING, "y" | "q" if mock.is_asking:
            return ended(mock, End.EARLY, seconds), None
        case Phase.WORKING, _ if mock.is_asking:
            return replace(mock, is_asking=False), None
        case Phase.WORKING, "q":
            return replace(mock, is_asking=True), None
        case Phase.WORKING, "enter":
            return saved(mock, mock.shown, seconds)
        case Phase.WORKING, "e":
            return mock, Action.EDIT
        case Phase.WORKING, _ if key.isdecimal() and 1 <= int(key) <= len(mock.topics):
            return replace(_credited(mock, mock.shown, seconds), shown=int(key) - 1), None
        case Phase.CARD, "enter":
            return replace(mock, phase=Phase.ANSWERS), None
        case (Phase.CARD, "q") | (Phase.ANSWERS, "q" | "enter"):
            return replace(mock, phase=Phase.OVER), None
    return mock, None


def saved(mock: Mock, number: int, seconds: float) -> Step:
    """After the exercise of a topic was saved, which is now the one shown: the time since the last save went
    into it.
    """
    if mock.phase is not Phase.WORKING or mock.results[number].has_passed:
        return mock, None
    mock = replace(_credited(mock, number, seconds), shown=number, pending=mock.pending | {number})
    return mock, Action.GRADE


def graded(mock: Mock, number: int, verdict: Verdict, seconds: float, hints: int, saw_solution: bool) -> Mock:
    """After a verdict; `hints` and `saw_solution` tell of help taken elsewhere: here is none."""
    mock = replace(mock, pending=mock.pending - {number})
    before = mock.results[number]
    after = (
        before
        if before.has_passed
        else replace(
            before,
            outcome=verdict.outcome,
            passed=sum(check.outcome is Outcome.PASSED for check in verdict.checks),
            checks=len(verdict.checks),
            tries=before.tries + (verdict.outcome is not Outcome.NOT_STARTED),
            mistakes=with_named(before.mistakes, verdict),
            hints=max(hints, before.hints),
            saw_solution=saw_solution or before.saw_solution,
            why=_why(verdict),
        )
    )
    mock = _with_result(mock, number, after)
    if mock.phase is Phase.CLOSING:
        return _closed(mock)
    if all(result.has_passed for result in mock.results):
        return ended(mock, End.PASSED, seconds)
    return replace(mock, shown=_next_open(mock)) if mock.shown == number else mock


def ticked(mock: Mock, seconds: float) -> Mock:
    """So many seconds into the interview: it may be over."""
    if mock.phase is Phase.WORKING and seconds >= mock.budget:
        return ended(mock, End.TIME, seconds)
    return mock


def ended(mock: Mock, end: End, seconds: float) -> Mock:
    """After the work: with the score card, once all that was saved in time is graded."""
    seconds = min(seconds, mock.budget)
    mock = _credited(mock, mock.shown, seconds)
    return _closed(replace(mock, phase=Phase.CLOSING, end=end, seconds=seconds, is_asking=False))


def rating(topic: Topic, result: Result) -> Rating | None:
    """What an interview says of how well a topic was remembered; None if it was not worked at, or only a part
    of it was asked: most of it was given.
    """
    if result.tries == 0 or topic.part is not None:
        return None
    proposed = proposed_rating(
        result.has_passed,
        result.seconds,
        60.0 * topic.minutes,
        result.hints,
        result.saw_solution,
        result.tries,
    )
    return min(proposed, Rating.GOOD)


def _why(verdict: Verdict) -> tuple[str, str] | None:
    """Why a verdict is no pass: what its first failing check says and which line to look at, or what is said
    of the whole file.
    """
    if verdict.passed:
        return None
    if verdict.message is not None:
        return "", verdict.message
    failing = (check for check in verdict.checks if check.outcome is not Outcome.PASSED)
    line = "" if verdict.trail is None else f"; look at line {verdict.trail.line}"
    return next(((check.title, check.message.split("\n")[0] + line) for check in failing), None)


def _credited(mock: Mock, number: int, seconds: float) -> Mock:
    """With the time since the last change counted for a topic, unless that had passed already."""
    result = mock.results[number]
    if not result.has_passed:
        worked = result.seconds + max(seconds - mock.credited, 0.0)
        mock = _with_result(mock, number, replace(result, seconds=worked))
    return replace(mock, credited=max(seconds, mock.credited))


def _with_result(mock: Mock, number: int, result: Result) -> Mock:
    return replace(mock, results=(*mock.results[:number], result, *mock.results[number + 1 :]))


def _closed(mock: Mock) -> Mock:
    return mock if mock.pending else replace(mock, phase=Phase.CARD)


def _next_open(mock: Mock) -> int:
    """The topic itself while it has not passed, else the next one that has not."""
    count = len(mock.topics)
    order = [(mock.shown + step) % count for step in range(count)]
    return next(number for number in order if not mock.results[number].has_passed)
