"""Taking progress elsewhere: `export` and `import`."""

import itertools
import shutil
import sys
import tempfile
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from grader.commands.usage import fail, say, tell
from grader.curriculum.catalog import load_catalog
from grader.practice.command_line import typed


def export(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Without one: a new file; in a pipe, standard output."),
    ] = None,
) -> None:
    """Write all of your progress as JSON Lines."""
    from grader.practice.record.progress import open_progress
    from grader.practice.transfer.exporting import ExportFailed, export_to, write_export

    database = open_progress().database
    if file is None and sys.stdout.isatty():
        file = _new_file()
    try:
        if file is not None:
            counts = export_to(database, file)
        else:
            with tempfile.TemporaryFile() as draft:  # whole before any of it is seen
                counts = write_export(database, draft)
                draft.seek(0)
                shutil.copyfileobj(draft, sys.stdout.buffer)
                sys.stdout.flush()
    except ExportFailed as failure:
        fail(str(failure))
    (tell if file is None else say)(f"Exported {_counts(counts)}{f' to {file}' if file else ''}.")


def _new_file() -> Path:
    """A file of today that is not there yet, in the current folder."""
    name = f"byheart-{date.today().isoformat()}"
    path = Path(f"{name}.jsonl")
    for number in itertools.count(2):
        if not path.exists():
            break
        path = Path(f"{name}-{number}.jsonl")
    return path


def import_progress(file: Annotated[Path, typer.Argument(metavar="FILE", help="What export wrote.")]) -> None:
    """Merge exported progress into yours; what is there already changes nothing."""
    from grader.practice.record.progress import open_progress
    from grader.practice.record.renaming import former_names
    from grader.practice.transfer.importing import ImportRefused, import_from

    try:
        imported = import_from(open_progress().database, file, former_names(load_catalog()))
    except ImportRefused as refusal:
        fail(str(refusal))
    say(f"Imported {_counts(imported.new)}. Already there: {_counts(imported.known)}.")
    if imported.renumbered:
        say(f"Attempts are numbered anew, in order of time: {typed('history')}")


def _counts(counts: Counter[str]) -> str:
    """Such as "3 attempts, 1 review"."""
    return ", ".join(_count(counts[kind], name) for kind, name in _NAMES.items() if counts[kind]) or "nothing"


def _count(count: int, name: str) -> str:
    return f"{count} {name}{'s' * (count != 1)}"


_NAMES = {"attempt": "attempt", "review": "review", "session": "session", "help": "hint"}
