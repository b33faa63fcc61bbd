"""What to do after a verdict."""

from grader.curriculum.catalog import Topic
from grader.judge.verdict import Outcome, Verdict
from grader.practice.command_line import typed
from grader.show.verdicts.outcomes import unwritten
from grader.show.verdicts.selection import line_to_look_at, selected, what_else_to_look_at

Step = tuple[str, str]
"""Advice, and the command for it; either may be empty."""


def next_step(verdict: Verdict, topic: Topic, hints: int = 0) -> Step:
    """What to do now, on the command line. `hints`: how many of the topic's were taken."""
    check = typed("check", topic=topic.id)
    if verdict.passed:
        return "compare it with the reference:", typed("compare", topic=topic.id)
    if verdict.outcome is Outcome.NOT_STARTED:
        return f"open {printable(verdict.file)}, replace raise NotImplementedError, then:", check
    place = place_to_look_at(verdict)
    if place:
        return f"{place}, then:", check
    if verdict.message is not None:
        return "correct the file and check it again. To start afresh:", typed("reset", topic=topic.id)
    return "", more_help(topic, hints)


def next_step_while_saving(verdict: Verdict, topic: Topic, hints: int = 0) -> Step:
    """The same where every save is graded, and keys give hints."""
    advice, command = next_step(verdict, topic, hints)
    if command == typed("check", topic=topic.id):
        return advice.replace(", then:", ", and save it"), ""
    if command == typed("hint", topic=topic.id):
        return "press h for a hint", ""
    return advice, command


def place_to_look_at(verdict: Verdict) -> str:
    """Where in the file to go on, as advice; empty if nothing is known."""
    line = line_to_look_at(verdict)
    if line is not None:
        return f"look at line {line}{what_else_to_look_at(verdict)}"
    if verdict.diagnosis is not None:
        return "correct that"
    selection = selected(verdict)
    missing = [name for group in selection.waiting if (name := unwritten(group.first))]
    return f"write {missing[0]}" if missing and selection.main is None else ""


def more_help(topic: Topic, hints: int) -> str:
    """The command for the next hint; after the last one that for what explains more."""
    if hints < len(topic.hints):
        return typed("hint", topic=topic.id)
    return typed("notebook" if topic.notebook.exists() else "solution", topic=topic.id)


def printable(path: str) -> str:
    """A path without what would do something to a terminal."""
    return "".join(char if char.isprintable() else "\ufffd" for char in path)
