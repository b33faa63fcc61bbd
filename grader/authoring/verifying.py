"""What must hold for every topic, tried on the topics of a pack: what CI asks of byheart's own."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from grader.authoring.spellings import SPELLINGS, TORCH_SPELLINGS, setup
from grader.curriculum.catalog import Topic
from grader.judge.checks.reading import CheckFile, read_checks
from grader.judge.verdict import Outcome, Rehearsed, Verdict
from grader.kit.mistakes import Mistake
from grader.practice.exercises.levels import text_at
from grader.practice.schedule import Level

MISTAKES, ANSWERS = 6, 2
"""The least that a topic has."""

Grade = Callable[[str, str], Verdict]
"""The verdict on a text as an answer to the topic of that id."""
Rehearse = Callable[[str], list[Rehearsed]]
"""What came of each known mistake of the topic of that id."""


@dataclass
class Findings:
    """Of one topic: what was tried, by kind, and what does not hold."""

    topic: Topic
    tried: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def add(self, kind: str, fault: str | None) -> None:
        """One more was tried; `fault`: what does not hold, if anything."""
        self.tried[kind] = self.tried.get(kind, 0) + 1
        if fault is not None:
            self.faults.append(fault)


@dataclass(frozen=True)
class Trial:
    """One thing to try: its kind, in the plural, and what says whether it holds (None: it does)."""

    kind: str
    fault: Callable[[], str | None]


def trials(topic: Topic, answers: Path, grade: Grade, rehearse: Rehearse) -> list[Trial]:
    """All that is to be tried of a topic, whose alternative answers are the Python files in that folder."""
    try:
        checks = read_checks(topic)
        solution = topic.solution.read_text(encoding="utf-8")
    except Exception as error:  # of the author's files, whatever they do
        sentence = f"it cannot be read: {type(error).__name__}: {error}"
        return [Trial("files", lambda: sentence)]
    found = sorted(answers.glob("*.py"))
    return [
        Trial("solution", lambda: _passes(grade(topic.id, solution), "the solution", topic)),
        *_levels(topic, grade),
        *_mistakes(topic, checks, rehearse),
        *(_answer(topic, path, grade) for path in found),
        *_spellings(topic, checks, solution, grade),
        Trial("texts", lambda: _incomplete(topic, checks, len(found))),
    ]


def _passes(verdict: Verdict, what: str, topic: Topic | None = None) -> str | None:
    if not verdict.passed:
        return f"{what} does not pass: {_objection(verdict)}"
    if topic is not None and topic.framework == "torch" and verdict.cost is None:
        return "the checks have no workload(submission, rng), so the cost of an answer is not known"
    return None


def _levels(topic: Topic, grade: Grade) -> Iterator[Trial]:
    def fault(level: Level) -> str | None:
        try:
            text = text_at(topic, level)
        except (SyntaxError, ValueError) as error:
            return f"the exercise at level {level} cannot be made from the solution: {error}"
        stray = f"{text}\nnothing = None\n"  # which must not hide that nothing is written
        for version in (text, stray if level is Level.STUB else f"\n{text}\n\n"):
            verdict = grade(topic.id, version)
            if verdict.outcome is not Outcome.NOT_STARTED:
                return f"the exercise at level {level} does not count as not started: {_objection(verdict)}"
        return None

    def fault_of_part(part: Topic) -> str | None:
        try:
            text = text_at(part, Level.STUB)
        except ValueError as error:
            return f"the exercise of {part.name} cannot be made from the solution: {error}"
        verdict = grade(topic.id, text)
        if verdict.outcome is not Outcome.NOT_STARTED:
            return f"the exercise of {part.name} does not count as not started: {_objection(verdict)}"
        return None

    for level in Level:
        yield Trial("levels", partial(fault, level))
    for part in topic.parts:
        yield Trial("parts", partial(fault_of_part, topic.asked_in_part(part)))


def _mistakes(topic: Topic, checks: CheckFile, rehearse: Rehearse) -> Iterator[Trial]:
    @cache
    def rehearsed() -> dict[str, Rehearsed]:
        return {each.mistake: each for each in rehearse(topic.id)}

    def fault(mistake: Mistake) -> str | None:
        came = rehearsed()[mistake.id]
        if came.fault is not None:
            return f"mistake {mistake.id}: {came.fault}"
        if not came.rejected:
            return f"mistake {mistake.id} passes"
        if came.named is None:
            said = next((message for message in came.rejected.values() if message), "")
            return f"mistake {mistake.id} is rejected, but not named: {_in_short(said)}"
        return None if came.named == mistake.id else f"mistake {mistake.id} is named {came.named}"

    for mistake in checks.mistakes:
        yield Trial("mistakes", partial(fault, mistake))


def _answer(topic: Topic, path: Path, grade: Grade) -> Trial:
    def fault() -> str | None:
        return _passes(grade(topic.id, path.read_text(encoding="utf-8")), f"answer {path.name}")

    return Trial("answers", fault)


def _spellings(topic: Topic, checks: CheckFile, solution: str, grade: Grade) -> Iterator[Trial]:
    below = [f"{setup(topic.framework)}_ = {each}\n" for name in checks.forbidden for each in SPELLINGS[name]]
    below += [f"\n{each}\n" for each in TORCH_SPELLINGS if topic.framework == "numpy"]

    def fault(lines: str) -> str | None:
        verdict = grade(topic.id, solution + lines)
        spelling = lines.strip().splitlines()[-1].removeprefix("_ = ")
        refused = verdict.outcome is Outcome.FORBIDDEN
        if refused:
            return None
        return f"{spelling} is not refused, although it is forbidden: {_objection(verdict)}"

    for lines in below:
        yield Trial("spellings", partial(fault, lines))


def _incomplete(topic: Topic, checks: CheckFile, answers: int) -> str | None:
    faults = []
    if len(checks.mistakes) < MISTAKES:
        faults.append(f"{len(checks.mistakes)} mistakes, at least {MISTAKES} are asked")
    if len({mistake.id for mistake in checks.mistakes}) < len(checks.mistakes):
        faults.append("two mistakes have one id")
    if answers < ANSWERS:
        faults.append(f"{answers} alternative answers, at least {ANSWERS} are asked")
    for check in checks.checks:
        title = (check.function.__doc__ or "").strip().splitlines()
        if not title or title[0].endswith("."):
            faults.append(f"{check.name}: its docstring's first line is to state a fact, without a full stop")
    if "TODO" in topic.details.read_text(encoding="utf-8"):
        faults.append(f"{topic.details.name} has a TODO in it")
    return "; ".join(faults) or None


def _objection(verdict: Verdict) -> str:
    """What the judge says first."""
    words = [verdict.message or "", *(check.message for check in verdict.checks if check.message)]
    return _in_short(next((word for word in words if word), str(verdict.outcome)))


def _in_short(text: str) -> str:
    return " ".join(text.splitlines()[:2])
