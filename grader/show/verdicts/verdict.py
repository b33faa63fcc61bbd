"""A verdict as text: what was found, the mistake, what to do next."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from grader.curriculum.catalog import Catalog, Topic
from grader.judge.verdict import Check, Outcome, Verdict
from grader.show.verdicts.next_step import Step, next_step, printable
from grader.show.verdicts.one_screen import ROWS, Block, blocks
from grader.show.verdicts.outcomes import (
    WORDS,
    indented,
    labelled,
    message_lines,
    output_lines,
    style,
    word,
)
from grader.show.verdicts.prints import prints_of
from grader.show.verdicts.sentences import footer, mistakes_paragraph, parts_sentence
from grader.show.verdicts.trail import trail_text

SEARCHING = "Looking for the mistake"
"""What is done while a verdict lacks only that."""
TRYING = "All checks pass. Trying other inputs"
"""What is done while one that passes lacks only that."""


def verdict_text(
    verdict: Verdict,
    catalog: Catalog,
    width: int,
    step: Step | None = None,
    is_searching: bool = False,
    verbose: bool = False,
) -> Text:
    """The verdict on one answer, laid out for `width` columns, and for the 24 rows of a terminal if it can
    be; `verbose`: all of it, however long.

    `step` is what to do next, where it is not what `next_step` says of the command line; `is_searching`:
    whether the mistake is still looked for, or a second round goes on.
    """
    topic = catalog[verdict.topic]
    if is_searching and verdict.passed:
        return _joined([*_found(verdict, topic, width, ROWS, verbose), [Text(f"  {TRYING} …", style="dim")]])
    last = footer(verdict, step or next_step(verdict, topic), width)
    if is_searching:
        last = [Text(f"  {SEARCHING} …", style="dim"), Text(), *last]
    elif verdict.trail is not None:
        last = [*indented(message_lines(trail_text(verdict.trail), width - 2), 2), Text(), *last]
    return _joined([*_found(verdict, topic, width, ROWS - len(last) - 1, verbose), last])


def checks_text(verdict: Verdict, catalog: Catalog, width: int, verbose: bool = False) -> Text:
    """What was found in the file so far, while the mistake is looked for."""
    return _joined(_found(verdict, catalog[verdict.topic], width, ROWS - 2, verbose))


def brief_text(verdict: Verdict, catalog: Catalog) -> Text:
    """One line on an answer, where there are many."""
    line = Text("  ").append(WORDS[verdict.outcome], style=style(WORDS[verdict.outcome]))
    return line.append(f"  {verdict.topic}", style="bold").append(f"  {catalog[verdict.topic].title}")


def _found(verdict: Verdict, topic: Topic, width: int, rows: int, verbose: bool) -> list[Block]:
    header = _header(verdict, topic, width)
    if verdict.message is not None:
        return [header, _whole_file(verdict.outcome, verdict.message, width), *_output(verdict, width)]
    unusual = [block] if (block := _suspicions(verdict, width)) else []
    if not verbose:
        room = rows - len(header) - sum(len(block) + 1 for block in unusual)
        return [header, *unusual, *blocks(verdict, width, room)]
    mistakes = [] if verdict.diagnosis is None else [mistakes_paragraph(verdict.diagnosis, width)]
    parts = indented(message_lines(parts_sentence(verdict.parts), width - 2), 2)
    every = [
        header,
        *unusual,
        _every_check(verdict.checks, width),
        *_output(verdict, width),
        *mistakes,
        parts,
    ]
    return [block for block in every if block]


def _header(verdict: Verdict, topic: Topic, width: int) -> Block:
    file = printable(verdict.file)
    header = Text(topic.id, style="bold").append(f"  {topic.title}", style="not bold")
    gap = width - header.cell_len - cell_len(file)
    if gap < 2:
        return [header, Text(file, style="dim")]
    return [header.append(" " * gap).append(file, style="not bold dim")]


def _every_check(checks: Sequence[Check], width: int) -> Block:
    """All checks with what was found in each; the same frames only once."""
    column = max(map(len, map(word, checks)), default=0)
    lines: Block = []
    said: set[str] = set()
    for check in checks:
        title = message_lines(check.title, width - column - 4)
        message = indented(message_lines(_unsaid(check, said), width - column - 6), 2)
        lines += labelled(word(check), column, [*title, *message])
    return lines


def _unsaid(check: Check, said: set[str]) -> str:
    """The part of a check's message that no check before it has said: one exception may end many of them."""
    first, _, frames = check.message.partition("\n")
    if check.outcome is Outcome.NOT_RUN and check.message in said:
        return ""
    message = first if frames in said else check.message
    said |= {check.message, frames}
    return message


def _whole_file(outcome: Outcome, message: str, width: int) -> Block:
    word = WORDS[outcome]
    return labelled(word, len(word), message_lines(message, width - len(word) - 4))


def _output(verdict: Verdict, width: int) -> list[Block]:
    heading, output = prints_of(verdict)
    if not output:
        return []
    title = indented(message_lines(heading, width - 2), 2)
    for line in title:
        line.stylize("bold")
    return [[*title, *output_lines(output, width)]]


def _suspicions(verdict: Verdict, width: int) -> Block:
    """What somebody who grades the answer of another should look at."""
    rows = "\n".join(f"Unusual, line {item.line}: {printable(item.what)}" for item in verdict.suspicions)
    return indented(message_lines(rows, width - 2), 2)


def _joined(blocks: Sequence[Block]) -> Text:
    return Text("\n\n").join(Text("\n").join(block) for block in blocks)
