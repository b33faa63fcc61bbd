"""How the outcome of a check is called, and its message in lines."""

from rich.cells import cell_len
from rich.text import Text

from grader.judge.verdict import Check, Outcome
from grader.show.terminal.wrapping import wrapped_words

WORDS = {
    Outcome.PASSED: "pass",
    Outcome.NOT_RUN: "-",
    Outcome.NOT_STARTED: "todo",
    Outcome.FAILED: "FAIL",
    Outcome.ERROR: "ERROR",
    Outcome.TIMEOUT: "TIME",
    Outcome.CRASHED: "CRASH",
    Outcome.FORBIDDEN: "FORBID",
    Outcome.UNREADABLE: "ERROR",
}
"""How an outcome is called in front of a check; colours only support it."""

_STYLES = {"pass": "green", "-": "dim", "todo": "yellow"}
_FAILED = "bold red"


def word(check: Check) -> str:
    """What is not written yet and what there was no time for both have not run."""
    return WORDS[Outcome.NOT_STARTED] if unwritten(check) else WORDS[check.outcome]


def unwritten(check: Check) -> str:
    """The function that a check waits for, because it is not written; empty if it is no such thing."""
    if check.outcome is not Outcome.NOT_RUN:
        return ""
    return check.message.partition("not started: ")[2].partition(" still raises ")[0]


def labelled(word: str, column: int, lines: list[Text]) -> list[Text]:
    """Lines behind a word, which takes `column` columns."""
    label = Text("  ").append(f"{word:<{column}}", style=style(word)).append("  ", style="default")
    indent = " " * (column + 4)
    return [label.append_text(lines[0]), *(Text(indent).append_text(line) for line in lines[1:])]


def style(word: str) -> str:
    """The colours of a word."""
    return _STYLES.get(word, _FAILED)


def message_lines(message: str, width: int) -> list[Text]:
    """The lines of a message, broken between words. Lines that are indented quote code: what is broken of
    them goes on further right, and a caret that would point nowhere is left out.
    """
    lines: list[str] = []
    is_broken = False
    for line in message.split("\n") if message else []:
        quoted = line.startswith(" ")
        if is_broken and line.strip() == "^":
            continue
        is_broken = quoted and cell_len(line) > width
        first, *others = wrapped_words(line, max(width - 2 * quoted, 20)).split("\n")
        lines += [first, *(f"  {other}" if quoted else other for other in others)]
    return [Text(line) for line in lines]


def output_lines(output: str, width: int) -> list[Text]:
    """What the learner printed, further right."""
    return indented(message_lines(output, width - 4), 4)


def indented(lines: list[Text], columns: int) -> list[Text]:
    """The lines, moved to the right."""
    return [Text(" " * columns).append_text(line) for line in lines]
