"""A sign of life while a verdict is waited for."""

from nicegui import ui


class Waiting:
    """Beside buttons, in a place that is kept for it: nothing moves when it comes and goes.

    The style sheet shows it only after a moment. What is graded sooner would make it flicker at every save.
    """

    def __init__(self) -> None:
        self._label = ui.label().classes("waiting quiet").props('role="status"')

    def show(self, seconds: float | None) -> None:
        """For so many seconds; None: nothing is waited for."""
        is_waited_for = seconds is not None
        self._label.text = f"grading … {int(seconds or 0) or ''}".rstrip() if is_waited_for else ""
        self._label.classes(add="on" if is_waited_for else "", remove="" if is_waited_for else "on")
