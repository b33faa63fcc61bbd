"""A drill or a mock interview from where it stands to its last page."""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from grader.curriculum.catalog import Catalog, Topic
from grader.practice.live.background_judge import BackgroundJudge
from grader.practice.live.terminal_events import TerminalEvents
from grader.practice.record import clock
from grader.practice.record.progress import Progress
from grader.practice.record.sessions import Session
from grader.practice.timed.drill import End
from grader.practice.timed.drill_loop import Drilling
from grader.practice.timed.ending import ended_drill, ended_mock
from grader.practice.timed.mock_loop import Interviewing
from grader.practice.timed.resuming import resumed_drill, resumed_mock
from grader.practice.timed.timed_work import TimedWork
from grader.show.pages import drill as drill_text
from grader.show.pages import mock as mock_text
from grader.show.pages.painting import DrillPages, MockPages
from grader.show.terminal.screen import Screen

_NO_KEYS = "There are no keys without a terminal. Ctrl-C stops; what you wrote stays."


@dataclass(frozen=True)
class _Desk:
    events: TerminalEvents
    judge: BackgroundJudge
    screen: Screen


def led_drill(
    session: Session,
    is_new: bool,
    catalog: Catalog,
    progress: Progress,
    notes: list[str],
    script: Path | None,
) -> bool:
    """Whether it was passed. `notes` is where the progress puts what it has to say; what stands there already
    is said at the beginning.
    """
    summary = progress.attempts.summaries().get(session.topics[0])
    drill = resumed_drill(session, catalog, summary.best_seconds if summary else None)
    has_keys, remarks = _has_keys(script), _remarks(is_new, notes, script)
    work = TimedWork(progress, session, notes)
    with _desk([drill.topic], script, in_two_steps=True) as desk:
        pages = DrillPages(desk.screen, catalog, has_keys, remarks)
        drilling = Drilling(drill, work, desk.events, desk.judge, pages)
        with _until_interrupted() as interruptions:
            drilling.run(not is_new, has_keys)
        drill = drilling.drill
        if drill.end is None:
            last = drill_text.unfinished_text(drill, work.seconds)
        else:
            last = drill_text.last_text(drill, ended_drill(drill, work), desk.screen.width, clock.now())
        _show_last(desk.screen, last, notes)
    _raise_again(interruptions)
    return drill.end is End.PASSED


def led_mock(
    session: Session,
    is_new: bool,
    catalog: Catalog,
    progress: Progress,
    notes: list[str],
    script: Path | None,
) -> bool:
    """Whether all topics were passed; `notes` as for a drill."""
    mock = resumed_mock(session, catalog)
    has_keys, remarks = _has_keys(script), _remarks(is_new, notes, script)
    work = TimedWork(progress, session, notes)
    with _desk(mock.topics, script, in_two_steps=False) as desk:
        pages = MockPages(desk.screen, has_keys, remarks)
        interviewing = Interviewing(mock, work, desk.events, desk.judge, pages)
        with _until_interrupted() as interruptions:
            interviewing.run(not is_new, has_keys)
        mock = interviewing.mock
        if mock.end is None:
            last = mock_text.unfinished_text(session.topics, work.seconds, mock.budget)
        else:
            last = mock_text.last_text(mock, ended_mock(mock, work), desk.screen.width, clock.now())
        _show_last(desk.screen, last, notes)
    _raise_again(interruptions)
    return all(result.has_passed for result in mock.results)


@contextlib.contextmanager
def _desk(topics: Sequence[Topic], script: Path | None, in_two_steps: bool) -> Iterator[_Desk]:
    """`in_two_steps`: whether checks are of use before their mistake is found."""
    files = [topic.exercise for topic in topics]
    with (
        TerminalEvents(files, script) as events,
        Screen() as screen,
        BackgroundJudge(events.post, in_two_steps=in_two_steps and screen.paints) as judge,
    ):
        yield _Desk(events, judge, screen)


@contextlib.contextmanager
def _until_interrupted() -> Iterator[list[KeyboardInterrupt]]:
    """Ctrl-C ends the work, but what has come of it is still kept and shown."""
    interruptions: list[KeyboardInterrupt] = []
    try:
        yield interruptions
    except KeyboardInterrupt as interruption:
        interruptions.append(interruption)


def _raise_again(interruptions: list[KeyboardInterrupt]) -> None:
    for interruption in interruptions:
        raise interruption


def _show_last(screen: Screen, page: Text, notes: list[str]) -> None:
    screen.show(Text("\n\n  ").join([page, *map(Text, notes)]), Text())


def _has_keys(script: Path | None) -> bool:
    return script is not None or sys.stdin.isatty()


def _remarks(is_new: bool, notes: list[str], script: Path | None) -> list[str]:
    remarks = [*([] if is_new else ["You go on where you were."]), *notes]
    notes.clear()
    return remarks if _has_keys(script) else [*remarks, _NO_KEYS]
