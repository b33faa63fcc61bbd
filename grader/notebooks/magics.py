"""In Jupyter and IPython: `%%check TOPIC` grades a cell; `%hint TOPIC [LEVEL]`, `%solution TOPIC yes`.

A cell is graded as a file is, by a judge in a process of its own: an answer that hangs or crashes does not
touch the kernel. What is graded and shown is recorded as in the terminal.
"""

import sys
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from rich.text import Text

from grader.curriculum.catalog import Topic, UnknownTopic, load_catalog
from grader.curriculum.pack import Pack, own_pack
from grader.curriculum.workspace import current_workspace, read_settings
from grader.judge.service.warm import grade_source
from grader.judge.verdict import Outcome, Verdict
from grader.practice.record import clock
from grader.practice.record.progress import open_progress
from grader.practice.record.recording import costs_nothing, record_check, record_solution
from grader.practice.record.unavailable import ProgressUnavailable
from grader.practice.schedule import Card as Review
from grader.show.cards import Card, code_text, text_card
from grader.show.moments import day_text
from grader.show.pages.hint import hint_text
from grader.show.terminal.console import WIDTH
from grader.show.verdicts.next_step import Step, place_to_look_at
from grader.show.verdicts.verdict import verdict_text


def register(shell: Any) -> None:
    """Give an IPython shell the magics, and let its cells import `solutions` from any folder."""
    for pack in (own_pack(), *map(Pack.in_folder, read_settings(current_workspace()).packs)):
        if (folder := str(pack.solutions.parent)) not in sys.path:
            sys.path.append(folder)
    for kind, magic in (("cell", check), ("line", hint), ("line", solution)):
        shell.register_magic_function(magic, magic_kind=kind, magic_name=magic.__name__)


@dataclass(frozen=True)
class Graded:
    """The verdict on a cell, as notebooks and terminals show it. `hints`: how many of the topic's were taken;
    `review`: where it put the topic, if it was a review.
    """

    verdict: Verdict
    hints: int = 0
    review: Review | None = None

    def card(self) -> Card:
        """What is shown."""
        text = verdict_text(self.verdict, load_catalog(), WIDTH, _next_step(self.verdict, self.hints))
        if self.review is not None:
            text.append(f"\n  Next review: {day_text(self.review.due, clock.now())}")
        return text_card(text)

    def _repr_html_(self) -> str:
        return self.card()._repr_html_()

    def __repr__(self) -> str:
        return self.card().text


def check(line: str, cell: str) -> Graded:
    """%%check TOPIC: grade this cell as an answer to the topic."""
    topic = _topic(line, "%%check")
    source = f"\n{cell}"  # the magic's line counts: messages have the numbers that the cell shows
    started = clock.now()
    verdict = replace(grade_source(topic, source), file="this cell")
    return Graded(verdict, *_record_attempt(topic, verdict, started, cell))


def hint(line: str) -> Card:
    """%hint TOPIC [LEVEL]: the idea, the steps with shapes (2), the skeleton (3); without one: one more."""
    name, _, level = line.strip().partition(" ")
    topic, level = _topic(name, "%hint"), level.strip()
    levels = [str(number) for number in range(1, len(topic.hints) + 1)]
    if level and level not in levels:
        raise _usage(f"The level of a hint is one of {', '.join(levels)}: %hint {topic.id} 2")
    shown = _record_hint(topic, int(level) if level else None)
    text = hint_text(topic, shown, WIDTH).rpartition("Next: ")[0]
    return text_card(Text(f"{text}Next: {_more_help(topic, shown)}"))


def solution(line: str) -> Card:
    """%solution TOPIC yes: the reference; without "yes" only where it costs nothing."""
    name, _, answer = line.strip().partition(" ")
    topic = _topic(name, "%solution")
    try:
        progress = open_progress()
        if answer.strip() != "yes" and not costs_nothing(progress, topic):
            return _what_it_costs(topic)
        record_solution(progress, topic)
    except ProgressUnavailable as problem:
        if answer.strip() != "yes":
            return _what_it_costs(topic)
        _tell(f"This is not recorded: {problem}")
    return text_card(code_text(topic.solution.read_text(encoding="utf-8")))


def _what_it_costs(topic: Topic) -> Card:
    what = f"The review of {topic.id} counts as forgotten then, and comes back tomorrow."
    return text_card(Text(f"{what} To see the solution: %solution {topic.id} yes"))


def _record_attempt(
    topic: Topic, verdict: Verdict, started: datetime, cell: str
) -> tuple[int, Review | None]:
    """Keep the verdict as an attempt of the mode "notebook"; the hints taken for it, and the review that it
    is, if it is one.

    A cell with nothing written in it is no attempt: whoever runs a whole notebook runs that cell too.
    """
    if verdict.outcome is Outcome.NOT_STARTED:
        return 0, None
    source = cell.encode("utf-8", errors="replace")
    try:
        progress = open_progress()
        hints = progress.attempts.hints_taken(topic.id)
        return hints, record_check(progress, topic, verdict, "notebook", started, source)
    except ProgressUnavailable as problem:
        _tell(f"This attempt is not recorded: {problem}")
        return 0, None


def _record_hint(topic: Topic, level: int | None) -> int:
    """Remember that a hint is shown (None: the one after those taken), and give its level."""
    try:
        attempts = open_progress().attempts
        shown = level or min(attempts.hints_taken(topic.id) + 1, len(topic.hints))
        attempts.note_help(topic.id, shown)
    except ProgressUnavailable as problem:
        _tell(f"This hint is not recorded: {problem}")
        return level or 1
    return shown


def _next_step(verdict: Verdict, hints: int) -> Step:
    """What to do now: as on the command line, in the words of a notebook."""
    topic = load_catalog()[verdict.topic]
    if verdict.passed:
        return f"write it without looking, in {topic.exercise_name}", ""
    if verdict.outcome is Outcome.NOT_STARTED:
        return "replace raise NotImplementedError in this cell, and run it.", ""
    place = place_to_look_at(verdict)
    if place:
        return f"{place}, then run this cell again", ""
    if verdict.message is not None:
        return "correct this cell, and run it again", ""
    return "", _more_help(topic, hints)


def _more_help(topic: Topic, hints: int) -> str:
    return f"%hint {topic.id}" if hints < len(topic.hints) else f"%solution {topic.id}"


def _topic(name: str, magic: str) -> Topic:
    if not name.strip():
        raise _usage(f"Which topic? For example: {magic} gqa")
    try:
        return load_catalog()[name.strip()]
    except UnknownTopic as error:
        raise _usage(f"There is {error}.") from None


def _usage(sentence: str) -> Exception:
    """What IPython shows as one line, without a traceback."""
    from IPython.core.error import UsageError

    return UsageError(sentence)


def _tell(sentence: str) -> None:
    print(sentence, file=sys.stderr)
