"""An exception of the submission as plain data: its type, its words, and the submission's own frames."""

import builtins
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

from grader.worker.answering.placeholders import is_placeholder

MAX_TEXT = 2000
MAX_FRAMES = 4
_BUILT_IN = {name: kind for name, kind in vars(builtins).items() if isinstance(kind, type)}


class Refusal(RuntimeError):
    """Raised in the submission where it reaches for what it may not have."""


class Source:
    """The text of the submission, by line, to quote from: files cannot be read any more when it fails."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = text.split("\n")

    def line(self, number: int) -> str:
        """Line `number` (from 1) without its indentation, empty when there is none."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""

    def position(self, frame: FrameType | None) -> list[Any] | None:
        """[line, text] of the innermost frame of the submission, from `frame` outwards."""
        while frame is not None:
            if frame.f_code.co_filename == self.path:
                number = frame.f_lineno or 0
                return [number, self.line(number)]
            frame = frame.f_back
        return None


def describe(error: BaseException, source: Source) -> dict[str, Any]:
    """What the judge is told of an exception: `types` (names, most derived first), `message`, `frames`
    ([line, function, text], outermost first, the submission's only), `unwritten` (it stands where code is
    still to be written) and `memory` (the memory limit was hit)."""
    frames = list(_frames(error.__traceback__, source.path))
    own = _innermost(error.__traceback__) == source.path
    number = frames[-1][0] or 0 if frames else 0
    missing = own and NotImplementedError in type(error).__mro__ and is_placeholder(source.lines, number)
    return {
        "types": [_name(kind) for kind in type(error).__mro__],
        "message": text_of(error),
        "frames": [[number or 0, name, source.line(number or 0)] for number, name in frames[-MAX_FRAMES:]],
        "unwritten": missing,
        "memory": _is_memory_limit(error),
    }


def is_by_autograd(error: RuntimeError) -> bool:
    """Whether torch's autograd raised it: where gradients are off it has nothing to go through."""
    return type(error) is RuntimeError and "/torch/autograd/" in (_innermost(error.__traceback__) or "")


def text_of(value: object) -> str:
    """`str(value)`, whatever its `__str__` does, cut to a sane length."""
    try:
        return str.__str__(str(value))[:MAX_TEXT]
    except BaseException as problem:
        return f"(its message cannot be shown: {type(problem).__name__})"


def _name(kind: type) -> str:
    """Its name; that of a built-in is only the built-in's."""
    name = kind.__name__
    return name if _BUILT_IN.get(name, kind) is kind else f"{kind.__module__}.{name}"


def _frames(trace: TracebackType | None, path: str) -> Iterator[tuple[int, str]]:
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            yield trace.tb_lineno, trace.tb_frame.f_code.co_name
        trace = trace.tb_next


def _innermost(trace: TracebackType | None) -> str | None:
    name = None
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        trace = trace.tb_next
    return name


def _is_memory_limit(error: BaseException) -> bool:
    return MemoryError in type(error).__mro__ or "can't allocate memory" in text_of(error)
