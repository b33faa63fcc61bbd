"""Answering requests while notes are taken of all that the submission's lines make."""

import sys
from collections.abc import Callable
from contextlib import nullcontext
from types import FrameType
from typing import TYPE_CHECKING, Any

from grader.worker.tracing import RESULT
from grader.worker.tracing.bindings import Bindings, arrays
from grader.worker.tracing.notes import Notes, plain_array
from grader.worker.walls.own_modules import part

if TYPE_CHECKING:
    from grader.worker.tracing.operations import Operations


class Trace:
    """What the lines of the file at `path` make in the requests of one case."""

    def __init__(self, path: str) -> None:
        self.notes = Notes()
        self._operations: Operations | None = None
        self._path = path
        self._named: set[tuple[str, int]] = set()

    def run(self, do: Callable[[dict[str, Any]], dict[str, Any]], request: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request, while notes are taken."""
        if self._operations is None and "torch" in sys.modules:
            self._operations = part("grader.worker.tracing.operations").Operations(self.notes, self._path)
        bindings = Bindings(self._path, self._bound, self._returned, True, self._counted)
        try:
            with self._operations or nullcontext(), bindings:
                return do(request)
        finally:
            self.notes.mark()

    def _bound(self, frame: FrameType, name: str, value: Any, line: int | None) -> None:
        """A name in the file got a value."""
        if line is None:
            return  # an argument: it was made elsewhere
        own = "" if _is_outermost(frame) else f"{frame.f_code.co_name}: "
        self._name(own + name, value, line)

    def _counted(self, frame: FrameType, name: str, value: Any, line: int | None) -> None:
        """A name in the file got a plain number."""
        if line is not None:
            self.notes.scalar(name, value, line)

    def _returned(self, frame: FrameType, value: Any) -> None:
        """A function of the file returns."""
        name = RESULT if _is_outermost(frame) else f"{frame.f_code.co_name}()"
        for full, array in arrays(name, value):
            self._name(full, array, frame.f_lineno)

    def _name(self, name: str, value: Any, line: int) -> None:
        note = self._note(value, line)
        if note is None or (name, note) not in self._named:
            self.notes.name(name, note, line)
        if note is not None:
            self._named.add((name, note))

    def _note(self, value: Any, line: int) -> int | None:
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor):
            assert self._operations is not None
            return self._operations.note_bound(value, line)
        return self.notes.add(plain_array(value), value.shape, str(value.dtype), line)


def _is_outermost(frame: FrameType) -> bool:
    """Whether no other function of the same file has called this one."""
    outer = frame.f_back
    while outer is not None:
        if outer.f_code.co_filename == frame.f_code.co_filename:
            return False
        outer = outer.f_back
    return True
