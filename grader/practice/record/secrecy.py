"""What a mock interview keeps to itself until its end, wherever an answer is graded meanwhile."""

from dataclasses import replace

from grader.curriculum.topic import topic_in
from grader.judge.verdict import Outcome, Verdict
from grader.practice.command_line import typed
from grader.practice.record.progress import Progress
from grader.practice.record.unavailable import ProgressUnavailable


def is_secret(progress: Progress, topic: str) -> bool:
    """Whether an interview that goes on, or was cut off, asks for the topic or a part of it."""
    try:
        running = progress.sessions.running("mock")
    except ProgressUnavailable:
        return False
    return running is not None and topic in map(topic_in, running.topics)


def silenced(verdict: Verdict) -> Verdict:
    """The verdict without a word on what is wrong; one that passed has no such word."""
    if verdict.passed or verdict.outcome is Outcome.NOT_STARTED:
        return verdict
    passed = sum(check.outcome is Outcome.PASSED for check in verdict.checks)
    counted = f"{passed} of {len(verdict.checks)} checks passed" if verdict.checks else "It does not pass"
    message = f"{counted}. A mock interview asks for this, and tells why at its end: {typed('mock')}"
    told = replace(verdict, checks=(), diagnosis=None, trail=None, parts={}, output="", cost=None)
    return replace(told, message=message)
