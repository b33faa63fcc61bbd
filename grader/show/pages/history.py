"""Attempts as a table."""

from collections.abc import Collection, Sequence

from rich.text import Text

from grader.judge.verdict import Outcome, in_words
from grader.practice.record.attempts import Attempt
from grader.show.moments import minutes_text, time_text
from grader.show.terminal.wrapping import wrapped_words

_NONE = "-"
HEADINGS: tuple[str, ...] = ("attempt", "when", "topic", "mode", "outcome", "checks", "time", "")


def history_text(attempts: Sequence[Attempt], width: int, secret: Collection[int | None] = ()) -> Text:
    """A line for each attempt, oldest first; more where `width` columns are too few for that. Of those in a
    mock interview that goes on (its session is `secret`), only the outcome is told.
    """
    rows = [HEADINGS, *(attempt_row(attempt, attempt.session in secret) for attempt in attempts)]
    behind = _in_columns([row[:-1] for row in rows])
    if max(map(len, behind)) <= width:
        lines = [_with_remarks(line, row[-1], width) for line, row in zip(behind, rows, strict=True)]
    else:
        firsts = _in_columns([(*row[:3], row[4]) for row in rows])
        others = _in_columns([("", row[3], *row[5:-1]) for row in rows])
        lines = [
            f"{first}\n{_with_remarks(other, row[-1], width)}"
            for first, other, row in zip(firsts, others, rows, strict=True)
        ]
    text = Text(lines[0], style="bold")
    for attempt, line in zip(attempts, lines[1:], strict=True):
        style = "green" if attempt.outcome is Outcome.PASSED else ""
        text.append("\n").append(line, style=f"not bold {style}".rstrip())
    return text


def _with_remarks(line: str, remarks: str, width: int) -> str:
    """Behind the line if they fit there, else below it."""
    if len(line) + 2 + len(remarks) <= width:
        return f"{line}  {remarks}".rstrip()
    return f"{line}\n{wrapped_words(remarks, width, '    ')}"


def _in_columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def attempt_row(attempt: Attempt, secret: bool) -> tuple[str, ...]:
    """What the columns say of an attempt; if it is `secret`, nothing of what was found."""
    checks = f"{attempt.passed}/{attempt.checks}" if attempt.checks and not secret else _NONE
    return (
        str(attempt.id),
        time_text(attempt.started),
        attempt.topic,
        attempt.mode,
        _outcome(attempt, secret),
        checks,
        _NONE if attempt.seconds is None else minutes_text(attempt.seconds),
        "" if secret else ", ".join(_remarks(attempt)),
    )


def _outcome(attempt: Attempt, secret: bool) -> str:
    if attempt.outcome is None:
        return "not graded"
    if secret and attempt.outcome is not Outcome.PASSED:
        return "not yet"
    return attempt.outcome.value.replace("_", " ")


def _remarks(attempt: Attempt) -> list[str]:
    remarks = [f"mistake: {in_words(attempt.mistake)}"] if attempt.mistake else []
    if attempt.hints:
        remarks.append(f"{attempt.hints} hint{'s' * (attempt.hints > 1)}")
    return [*remarks, "solution seen"] if attempt.solution_seen else remarks
