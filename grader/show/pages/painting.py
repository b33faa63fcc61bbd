"""What a drill and a mock interview show, painted where it has changed."""

from collections.abc import Sequence

from rich.text import Text

from grader.curriculum.catalog import Catalog
from grader.practice.timed.drill import Drill
from grader.practice.timed.mock import Mock, Result
from grader.show.pages import drill as drill_pages
from grader.show.pages import mock as mock_pages
from grader.show.terminal.screen import Screen


class _Pages:
    """Paints a page only when it is another one; else the line under it."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._painted: Text | None = None

    def repaint(self) -> None:
        """The terminal has another size, or something else was on it."""
        self._painted = None

    def _paint(self, body: Text, status: Text, notes: Sequence[str]) -> None:
        page = Text("\n\n  ").join([body, *map(Text, notes)])
        if page == self._painted:
            self._screen.status(status)
        else:
            self._screen.show(page, status)
            self._painted = page


class DrillPages(_Pages):
    """See `grader.practice.timed.drill_loop.View`."""

    def __init__(self, screen: Screen, catalog: Catalog, has_keys: bool, remarks: Sequence[str] = ()) -> None:
        """`remarks` are made at the beginning."""
        super().__init__(screen)
        self._catalog = catalog
        self._has_keys = has_keys
        self._remarks = remarks

    def show(self, drill: Drill, seconds: float, is_grading: bool, notes: Sequence[str]) -> None:
        body = drill_pages.body_text(drill, self._catalog, self._screen.width, self._has_keys, self._remarks)
        self._paint(body, drill_pages.status_text(drill, seconds, is_grading, self._has_keys), notes)


class MockPages(_Pages):
    """See `grader.practice.timed.mock_loop.View`."""

    def __init__(self, screen: Screen, has_keys: bool, remarks: Sequence[str] = ()) -> None:
        """`remarks` are made until something is new."""
        super().__init__(screen)
        self._has_keys = has_keys
        self._remarks = remarks
        self._first: tuple[Result, ...] | None = None

    def show(self, mock: Mock, seconds: float, notes: Sequence[str]) -> None:
        self._first = self._first or mock.results
        is_beginning = mock.results == self._first
        body = mock_pages.body_text(mock, self._screen.width, self._remarks if is_beginning else ())
        self._paint(body, mock_pages.status_text(mock, seconds, self._has_keys), notes)
