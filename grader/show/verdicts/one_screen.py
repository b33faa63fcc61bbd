"""A verdict's checks on one screen: what helps most stands last, nearest to the prompt."""

from collections.abc import Sequence

from rich.text import Text

from grader.judge.verdict import Check, Outcome, Verdict
from grader.show.verdicts.groups import Group
from grader.show.verdicts.outcomes import indented, labelled, message_lines, output_lines, unwritten, word
from grader.show.verdicts.prints import prints_of
from grader.show.verdicts.selection import Selection, selected
from grader.show.verdicts.sentences import mistakes_paragraph, parts_sentence

ROWS = 22
"""Of a terminal's 24: one is the prompt's, one that of the command."""
FEWEST = 3
"""Rows of a list, and of what was printed, however little room there is."""

Block = list[Text]
"""Lines that stand together."""


def blocks(verdict: Verdict, width: int, rows: int) -> list[Block]:
    """What to show of the checks, in so many rows if it can be.

    Those that the named mistakes explain get a line each, and the mistakes stand below. Of the others the
    first is shown with what was found. What passes is counted elsewhere.
    """
    selection = selected(verdict)
    column = max((len(word(check)) for check in _shown(selection)), default=0)
    main = _in_full(selection.main, column, width) if selection.main else []
    others = [_group_row(group, column, width) for group in (*selection.others, *selection.waiting)]
    explained = [_row(check, check.title, column, width) for check in selection.explained]
    mistakes, heading = [], []
    if verdict.diagnosis is not None:
        is_all = not others and not main
        mistakes = mistakes_paragraph(verdict.diagnosis, width, None if is_all else len(explained))
        heading = [] if is_all else [Text("  Not explained by what is said below:", style="bold")]
    title, output = prints_of(verdict)
    printed, above_printed = output_lines(output, width), message_lines(title, width - 2)
    parts = message_lines(parts_sentence(verdict.parts), width - 2)

    def arranged(room: Sequence[int]) -> list[Block]:
        listed, output, above = (
            _first(others, room[0]),
            _last(printed, above_printed, room[1]),
            _first(explained, room[2]),
        )
        if verdict.diagnosis is None:
            found = [listed, output, main]
        else:
            found = [[*heading, *listed], main, output, [*above, Text(), *mistakes]]
        return [block for block in (*found, indented(parts, 2)) if block]

    sizes = [len(others), len(printed), len(explained)]
    fixed = _height(arranged([min(size, FEWEST) for size in sizes]))
    return arranged(_shared(rows - fixed, sizes))


def _height(blocks: Sequence[Block]) -> int:
    """Rows of blocks with an empty one before each."""
    return sum(len(block) + 1 for block in blocks)


def _shared(spare: int, sizes: Sequence[int]) -> list[int]:
    """Rows for each of some lists: the fewest, and a fair part of those that are spare."""
    rooms = [min(size, FEWEST) for size in sizes]
    while spare > 0 and rooms != list(sizes):
        for number, size in enumerate(sizes):
            if rooms[number] < size and spare > 0:
                rooms[number] += 1
                spare -= 1
    return rooms


def _first(lines: Block, room: int) -> Block:
    if len(lines) <= room:
        return lines
    return [*lines[: room - 1], Text(f"  and {len(lines) - room + 1} more like these", style="dim")]


def _last(lines: Block, heading: Block, room: int) -> Block:
    """The end of what was printed, under its heading."""
    return [*(Text(f"  {line}", style="bold") for line in heading), *lines[-room:]] if lines else []


def _shown(selection: Selection) -> list[Check]:
    main = [] if selection.main is None else [selection.main]
    groups = [*main, *selection.others, *selection.waiting]
    return [*selection.explained, *(group.first for group in groups)]


def _in_full(group: Group, column: int, width: int) -> Block:
    """A check with what was found; how many more came to the same."""
    check, room = group.first, width - column - 4
    lines = message_lines(check.title, room)
    lines += indented(message_lines(check.message, room - 2), 2)
    lines += indented(message_lines(group.repetition, room - 2), 2)
    return labelled(word(check), column, lines)


def _group_row(group: Group, column: int, width: int) -> Text:
    check, count = group.first, len(group.others) + 1
    checks = f"{count} check{'s' * (count != 1)}"
    if name := unwritten(check):
        return _row(check, f"{name} is not written: {checks} wait{'s' * (count == 1)} for it", column, width)
    if check.outcome is Outcome.NOT_RUN:
        return _row(check, f"{checks} {'was' if count == 1 else 'were'} {check.message}", column, width)
    behind = f" ({group.repetition})" if group.others else ""
    return _row(check, check.title, column, width, behind)


def _row(check: Check, title: str, column: int, width: int, behind: str = "") -> Text:
    """One line, shortened at a word where it is too long."""
    room = width - column - 4 - len(behind)
    line = Text(title)
    if line.cell_len > room:
        line = Text(title[: room - 1].rpartition(" ")[0] + " …")
    return labelled(word(check), column, [line.append(behind, style="dim")])[0]
