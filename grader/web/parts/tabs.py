"""Tabs as a screen reader and a keyboard expect them; a panel may be filled when it is first opened."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from nicegui import background_tasks, ui


class Tabs:
    """A row of tabs, of which the first is open."""

    def __init__(self) -> None:
        self._row = ui.element("div").classes("tabs").props('role="tablist"')
        self._tabs: dict[str, ui.button] = {}
        self._panels: dict[str, ui.element] = {}
        self._openings: dict[str, Callable[[], Awaitable[None] | None]] = {}

    @contextmanager
    def panel(self, name: str) -> Iterator[ui.element]:
        """One more, with what is built in the context."""
        panel = ui.element("div").props(f'role="tabpanel" aria-label="{name}" tabindex="0"')
        with self._row:
            tab = ui.button(name, on_click=lambda: self.open(name), color=None).props("no-caps flat")
            tab.props(f'role="tab" aria-controls="{panel.html_id}"')
            tab.on("keydown.left", lambda: self._step(-1)).on("keydown.right", lambda: self._step(1))
        self._tabs[name], self._panels[name] = tab, panel
        with panel:
            yield panel
        self._show(next(iter(self._tabs)))

    def when_opened(self, name: str, fill: Callable[[], Awaitable[None] | None]) -> None:
        """Fill a panel each time that it is opened."""
        self._openings[name] = fill

    def open(self, name: str) -> None:
        """Show a panel in the place of the others."""
        self._show(name)
        if name in self._openings and (filling := self._openings[name]()) is not None:
            background_tasks.create(filling)

    def _show(self, name: str) -> None:
        self._open_one = name
        for each, tab in self._tabs.items():
            is_open = each == name
            tab.props(f'aria-selected="{str(is_open).lower()}" tabindex="{0 if is_open else -1}"')
            self._panels[each].set_visibility(is_open)

    def _step(self, by: int) -> None:
        names = list(self._tabs)
        name = names[(names.index(self._open_one) + by) % len(names)]
        self.open(name)
        tab = self._tabs[name]
        tab.client.run_javascript(f"getHtmlElement({tab.id}).focus()")
