"""How far a batch is: a line that is painted anew on a terminal, one now and then in a pipe."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from grader.batch.running.batch import Tally
from grader.show.moments import minutes_text

SECONDS = 15.0
"""Between two lines in a pipe."""


class Shown:
    """Told of every row; shows what is worth showing. In a pipe, `now` is the clock."""

    def __init__(self, console: Console, progress: Progress) -> None:
        self._console = console
        self._progress = progress
        self._task = progress.add_task("Grading", total=None, about="")
        self._begun = self._told = time.monotonic()

    def __call__(self, tally: Tally) -> None:
        about = _about(tally)
        self._progress.update(self._task, total=tally.total, completed=tally.done, about=about)
        now = time.monotonic()
        if not self._console.is_terminal and now - self._told >= SECONDS and tally.done:
            self._told = now
            left = (now - self._begun) / tally.done * (tally.total - tally.done)
            line = f"{tally.done} of {tally.total}, about {minutes_text(left)} left; {about}"
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def shown_progress() -> Iterator[Shown]:
    """On standard error: standard output is for what came of it."""
    console = Console(stderr=True)
    with Progress(*columns(), console=console, transient=True, disable=not console.is_terminal) as progress:
        yield Shown(console, progress)


def columns() -> list[ProgressColumn]:
    """Where there is little room, the bar and what there is to tell become shorter, and no number does."""
    return [
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        TimeRemainingColumn(table_column=Column(no_wrap=True)),
        _About(),
    ]


class _About(ProgressColumn):
    """What there is to tell, in one line."""

    def render(self, task: Task) -> Text:
        return Text(task.fields["about"], no_wrap=True, overflow="ellipsis")


def _about(tally: Tally) -> str:
    parts = [f"{tally.passed} passed, {tally.not_passed} not"]
    if tally.faults:
        parts.append(f"{tally.faults} not graded")
    seconds, whose = tally.slowest
    if whose:
        parts.append(f"slowest {seconds:.1f} s ({whose})")
    return ", ".join(parts)
