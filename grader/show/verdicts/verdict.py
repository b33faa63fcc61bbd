"""A verdict as text: the checks one by one, what the learner printed, the mistake, what to do next."""

import textwrap
from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from grader.curriculum.catalog import Catalog, Topic
from grader.judge.verdict import Check, Cost, Diagnosis, Outcome, Verdict
from grader.practice.command_line import typed

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

SEARCHING = "  Looking for the mistake …"
"""Stands where the mistake will be named."""

_STYLES = {"pass": "green", "-": "dim", "todo": "yellow"}
_FAILED = "bold red"


def verdict_text(
    verdict: Verdict,
    catalog: Catalog,
    width: int,
    next_step: tuple[str, str] | None = None,
    is_searching: bool = False,
) -> Text:
    """The whole verdict on one answer, laid out for `width` columns; quoted code and commands stay whole.

    `next_step` is (advice, command) for where `make` is not the way to go on; `is_searching`: whether the
    mistake is still looked for.
    """
    parts = [checks_text(verdict, catalog, width)]
    if is_searching:
        parts.append(Text(SEARCHING, style="dim"))
    parts.append(conclusion_text(verdict, catalog, width, next_step))
    return Text("\n\n").join(parts)


def checks_text(verdict: Verdict, catalog: Catalog, width: int) -> Text:
    """The first part: what was found in the file, without the mistake that it comes from."""
    parts = [_header(verdict, catalog[verdict.topic], width)]
    if verdict.message is None:
        parts.append(_checks(verdict.checks, width))
    else:
        parts.append(_whole_file(verdict.outcome, verdict.message, width))
    if verdict.output:
        parts.append(_output(verdict.output))
    return Text("\n\n").join(parts)


def conclusion_text(
    verdict: Verdict, catalog: Catalog, width: int, next_step: tuple[str, str] | None = None
) -> Text:
    """The second part: the mistake, and what to do next."""
    topic = catalog[verdict.topic]
    footer = _footer(verdict, next_step or _next(verdict, topic, catalog), width)
    if verdict.diagnosis is None:
        return footer
    return Text("\n\n").join([_diagnosis(verdict.diagnosis, width), footer])


def brief_text(verdict: Verdict, catalog: Catalog) -> Text:
    """One line on an answer, where there are many."""
    word = WORDS[verdict.outcome]
    line = Text("  ").append(word, style=_STYLES.get(word, _FAILED))
    return line.append(f"  {verdict.topic}", style="bold").append(f"  {catalog[verdict.topic].title}")


def summary_text(verdicts: Sequence[Verdict]) -> Text:
    """How many answers passed, and which did not."""
    passed = sum(verdict.passed for verdict in verdicts)
    text = f"{passed} of {len(verdicts)} started topics passed."
    others = [verdict.topic for verdict in verdicts if not verdict.passed]
    return Text(f"{text} Not yet: {', '.join(others)}" if others else text, style="bold")


def _header(verdict: Verdict, topic: Topic, width: int) -> Text:
    file = _printable(verdict.file)
    header = Text(topic.id, style="bold").append(f"  {topic.title}", style="not bold")
    gap = width - header.cell_len - cell_len(file)
    return header.append(" " * max(gap, 2)).append(file, style="not bold dim")


def _checks(checks: Sequence[Check], width: int) -> Text:
    words = [_word(check) for check in checks]
    column = max(map(len, words), default=0)
    indent = " " * (column + 4)
    lines: list[Text] = []
    said: set[str] = set()
    for check, word in zip(checks, words, strict=True):
        title = _wrapped(check.title, indent, width)
        title[0] = _labelled(word, column).append_text(title[0][len(indent) :])
        lines += [*title, *_wrapped(_unsaid(check, said), indent + "  ", width)]
    return Text("\n").join(lines)


def _whole_file(outcome: Outcome, message: str, width: int) -> Text:
    word = WORDS[outcome]
    lines = _wrapped(message, " " * (len(word) + 4), width)
    lines[0] = _labelled(word, len(word)).append_text(lines[0][len(word) + 4 :])
    return Text("\n").join(lines)


def _labelled(word: str, column: int) -> Text:
    return Text("  ").append(f"{word:<{column}}", style=_STYLES.get(word, _FAILED)).append("  ")


def _word(check: Check) -> str:
    """What is not written yet and what there was no time for both have not run."""
    if check.outcome is Outcome.NOT_RUN and "not started: " in check.message:
        return WORDS[Outcome.NOT_STARTED]
    return WORDS[check.outcome]


def _unsaid(check: Check, said: set[str]) -> str:
    """The part of a check's message that no check before it has said: one exception may end many of them."""
    first, _, frames = check.message.partition("\n")
    if check.outcome is Outcome.NOT_RUN and check.message in said:
        return ""
    message = first if frames in said else check.message
    said |= {check.message, frames}
    return message


def _output(output: str) -> Text:
    heading = Text("  Your output (last lines):\n", style="bold")
    return heading.append("\n".join(f"    {line}" for line in output.split("\n")), style="not bold")


def _diagnosis(diagnosis: Diagnosis, width: int) -> Text:
    mistakes = diagnosis.message.split("\n\n")
    which = "this mistake" if len(mistakes) == 1 else "these two mistakes"
    heading = Text(f"  Your values are exactly those of {which}:", style="bold")
    return Text("\n").join([heading, *_wrapped("\n\n".join(mistakes), "    ", width)])


def _footer(verdict: Verdict, next_step: tuple[str, str], width: int) -> Text:
    advice, command = next_step
    tally = _tally(verdict)
    step = " ".join(part for part in ("Next:", advice, command) if part)
    if tally and len(tally) + 3 + len(step) <= width:
        return Text(f"{tally}   {step}")
    if len(step) + 2 > width and command:
        step = f"Next: {advice}\n        {command}"
    return Text("\n").join(Text(line) for line in (tally, f"  {step}") if line)


def _tally(verdict: Verdict) -> str:
    """How many checks passed, and at what cost; empty where none was run."""
    if verdict.message is not None:
        return ""
    passed = sum(check.outcome is Outcome.PASSED for check in verdict.checks)
    text = f"  {passed} of {len(verdict.checks)} checks passed, {verdict.seconds:.1f} s."
    return text if verdict.cost is None else f"{text} {_cost(verdict.cost)}".rstrip()


def _cost(cost: Cost) -> str:
    """The answer's cost as multiples of the reference's."""
    parts = [
        f"{name} {_ratio(own / reference)}x"
        for name, own, reference in (
            ("matmul FLOPs", cost.matmul_flops, cost.reference_matmul_flops),
            ("largest tensor", cost.largest_tensor, cost.reference_largest_tensor),
        )
        if reference
    ]
    return f"Cost: {', '.join(parts)} the reference." if parts else ""


def _ratio(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio >= 0.1 else f"{ratio:.1g}"


def _next(verdict: Verdict, topic: Topic, catalog: Catalog) -> tuple[str, str]:
    """What to do now, and the command for it (either may be empty)."""
    check = typed("check", topic=topic.id)
    if verdict.passed:
        later = catalog.topics[catalog.topics.index(topic) + 1 :]
        return (f"open {later[0].exercise_name}", "") if later else ("", typed("list"))
    if verdict.outcome is Outcome.NOT_STARTED:
        return f"open {_printable(verdict.file)}, replace raise NotImplementedError, then:", check
    if verdict.message is not None:
        return "correct the file and check it again. To start afresh:", typed("reset", topic=topic.id)
    return "", typed("hint", topic=topic.id)


def _printable(path: str) -> str:
    return "".join(char if char.isprintable() else "\ufffd" for char in path)


def _wrapped(message: str, indent: str, width: int) -> list[Text]:
    """The lines of a message, wrapped between words; lines that are indented quote code and stay whole."""
    lines: list[str] = []
    for line in message.split("\n") if message else []:
        quoted = line.startswith(" ")
        room = max(width - len(indent), 20)
        lines += (
            [line]
            if quoted or not line
            else textwrap.wrap(line, room, break_long_words=False, break_on_hyphens=False)
        )
    return [Text(f"{indent}{line}".rstrip()) for line in lines]
