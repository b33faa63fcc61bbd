"""Ways to the inside of the interpreter, where the judge's own objects could be found: the frames of others,
all objects, traces of what runs. No answer needs them; libraries do, and may.
"""

import builtins
import sys
import sysconfig
from _thread import get_ident
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from grader.worker.walls.view import View

globals()["__builtins__"] = dict(vars(builtins))  # see `grader.worker.walls.paths`

_SEARCHING = frozenset(("gc.get_objects", "gc.get_referrers", "gc.get_referents"))
_FRAMES = frozenset(("sys._getframe", "sys._current_frames", "sys._current_exceptions"))
_NAMED = {event: event.partition(".")[2] for event in _SEARCHING | {"sys._getframe"}}
"""What the code of a library that asks by itself names."""
_TRACING = frozenset(
    ("sys.settrace", "sys.setprofile", "sys.monitoring.register_callback", "sys.addaudithook")
)
_ATTRIBUTES = frozenset(("tb_frame", "gi_frame", "cr_frame", "ag_frame"))
EVENTS = _SEARCHING | _FRAMES | _TRACING | frozenset(("object.__getattr__", "object.__setattr__"))

_PASSING_ON = frozenset(
    (
        *("currentframe", "stack", "walk_tb", "walk_stack", "getinnerframes", "getouterframes"),
        *("get_stack", "_task_get_stack", "gi_frame", "getmembers", "_getmembers"),
    )
)
"""Functions of the standard library that give frames to whoever asks."""


def what_is_reached(view: View) -> Callable[[str, tuple[Any, ...]], str | None]:
    """A function that says of an audit event what the submission reaches for with it; None if it is not the
    submission, or harmless.
    """
    frame_of, standard = sys._getframe, sysconfig.get_path("stdlib") + "/"
    ours = tuple(
        f"{view.own[1]}/{part}.py" for part in ("walls/guard", "walls/interpreter", "measuring/threads")
    )
    own = tuple(f"{path}/" for path in view.own)
    libraries = tuple(f"{path}/" for path in (*view.readable, *view.named))
    package = view.own[0].rpartition("/")[0] + "/"
    tracing, attributes, passing_on, profiler = _TRACING, _ATTRIBUTES, _PASSING_ON, f"{standard}cProfile.py"
    thread, busy, named = get_ident, set[int](), dict(_NAMED)

    def is_foreign(name: str) -> bool:
        """Whether the file of this name is one of the submission's, or none at all."""
        is_installed = name.startswith(libraries) and not name.startswith(package)
        return not (is_installed or name.startswith(own) or name.startswith("<frozen "))

    def asker() -> FrameType | None:
        frame: FrameType | None = frame_of(1)
        while frame is not None and frame.f_code.co_filename in ours:
            frame = frame.f_back
        return frame

    def is_for_submission(frame: FrameType | None) -> bool:
        """Whether the submission asks itself, or is handed what a function of the standard library asks."""
        while frame is not None:
            code = frame.f_code
            if is_foreign(code.co_filename):
                return True
            if code.co_name not in passing_on or not code.co_filename.startswith(standard):
                return False
            inner, frame = code, frame.f_back
            if frame is not None and frame.f_code.co_filename == inner.co_filename:
                if frame.f_code.co_name not in passing_on:
                    return False
            elif inner.co_name.startswith("walk_"):
                return True  # an iterator: it may be handed on by anybody
        return False

    def is_past_submission(frame: FrameType | None, shown: FrameType) -> bool:
        """Whether a library that the submission calls is shown a frame of ours, above the submission's."""
        if not shown.f_code.co_filename.startswith(own):
            return False
        while frame is not None and frame is not shown:
            if is_foreign(frame.f_code.co_filename):
                return True
            frame = frame.f_back
        return False

    def is_exchanged(old: CodeType, new: CodeType) -> bool:
        """Whether somebody else takes the code of one of ours, or the submission that of a library: it would
        ask in their names."""
        frame = asker()
        by = "" if frame is None else frame.f_code.co_filename
        if by.startswith(own):
            return False
        of_own = any(code.co_filename.startswith(own) for code in (old, new))
        return of_own or (is_foreign(by) and not is_foreign(new.co_filename))

    def reached(event: str, args: tuple[Any, ...]) -> str | None:
        if (event == "object.__getattr__" and args[1] not in attributes) or thread() in busy:
            return None
        busy.add(thread())  # to look at frames is an event as well
        try:
            return found(event, args)
        finally:
            busy.discard(thread())

    def found(event: str, args: tuple[Any, ...]) -> str | None:
        if event == "object.__setattr__":
            return "__code__" if args[1] == "__code__" and is_exchanged(args[0].__code__, args[2]) else None
        frame = asker()
        if frame is None:  # a thread that runs a function in C
            return event
        if event in tracing:
            name = frame.f_code.co_filename
            return None if name.startswith(own) or name == profiler else event
        if event == "object.__getattr__":
            return str(args[1]) if is_for_submission(frame) else None
        if frame.f_code.co_filename.startswith(own):
            return None
        if event in named and named[event] not in frame.f_code.co_names:
            return event  # a library calls what it was handed
        if event == "sys._getframe" and is_past_submission(frame, args[0]):
            return event
        return event if is_for_submission(frame) else None

    return reached
