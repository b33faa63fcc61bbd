"""A button that asks before it does something."""

from collections.abc import Callable

from nicegui import ui

from grader.web.parts.frame import button

Answer = tuple[str, Callable[[], None]]
"""What a button says, and what it does."""


def asking_button(text: str, question: str, do: Callable[[], None]) -> None:
    """The question comes in its place, with a Yes and a No."""
    place = ui.element("div").classes("row").props('aria-live="polite"')

    def fill(said: str, *answers: Answer) -> None:
        place.clear()
        with place:
            if said:
                ui.label(said)
            for name, act in answers:
                button(name, act)

    def turn(said: str, *answers: Answer) -> None:
        """The button that was pressed is gone: the first of the new ones has the focus."""
        fill(said, *answers)
        place.client.run_javascript(f"byheart.focus(getHtmlElement({place.id})?.querySelector('button'))")

    def ask() -> None:
        turn(question, ("Yes", agree), ("No", lambda: turn("", (text, ask))))

    def agree() -> None:
        do()
        turn("", (text, ask))

    fill("", (text, ask))
