"""What arrays were made from, read off the source where no operation was seen: NumPy's."""

from collections.abc import Iterable
from dataclasses import replace

from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.notes import Name
from grader.judge.trail.text.statements import reads_by_line


def linked(notes: Iterable[Note], names: Iterable[Name], source: str) -> tuple[Note, ...]:
    """The notes, where those without parents get the latest values of the names that their line reads."""
    reads = reads_by_line(source)
    found = list(notes)
    latest: dict[str, int] = {}
    pending: list[tuple[str, int]] = []
    line = 0
    for name in names:
        if name.line != line:  # what a line binds, it does not read
            latest.update(pending)
            pending, line = [], name.line
        note = found[name.note]
        if not note.parents:
            parents = {latest[read] for read in reads.get(name.line, ()) if read in latest}
            own = tuple(sorted(parent for parent in parents if parent < note.number))
            found[name.note] = replace(note, parents=own, drawn=any(found[p].drawn for p in own))
        pending.append((plain(name.name), name.note))
    return tuple(found)


def plain(name: str) -> str:
    """A name without the function and the item that it is of."""
    return name.rpartition(": ")[2].partition("[")[0]
