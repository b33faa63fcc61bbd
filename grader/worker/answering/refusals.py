"""What was refused to the submission, told to the judge at once and past its reach.

A reply can be forged and an exception caught. A report over a descriptor that the judge opened before there
was a submission stays: it is written before the submission's code runs on. So what writes it looks nothing up
that could be replaced by then, neither in a module nor in an object.
"""

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from grader.worker.answering.failures import Refusal

END = "\0"
"""Stands behind each part of a report: what was refused, the words, the line's number and its text."""
MAX_TEXT, MAX_LINE = 600, 200
"""So short that a report is written in one piece, however many threads write."""


def refuser(
    descriptor: int | None, position: Callable[[FrameType], list[Any] | None]
) -> Callable[[str, str], Refusal]:
    """What gives the exception to raise where the submission reaches for `what`, and tells the judge of it
    over the descriptor (None: nobody). `position` gives [line, text] of the submission.

    A worker that cannot tell ends.
    """
    write, identity, leave, frame = os.write, os.fstat, os._exit, sys._getframe
    end, most, longest, refusal = END, MAX_TEXT, MAX_LINE, Refusal
    same = None if descriptor is None else identity(descriptor).st_ino
    if descriptor is not None:
        os.set_blocking(descriptor, False)

    def refuse(what: str, text: str) -> Refusal:
        if descriptor is None:
            return refusal(text)
        line = quoted = ""
        try:
            number, quoted = position(frame(1)) or ("", "")
            line = f"{number}"
        except BaseException:  # somebody has tampered with it: the report goes without a line
            line = quoted = ""
        try:
            parts = what, text[:most], line, quoted[:longest]
            data = "".join([part + end for part in parts]).encode("utf-8", "replace")
            if identity(descriptor).st_ino != same:
                leave(1)
            write(descriptor, data)
        except BlockingIOError:
            pass  # there is no room: the judge has other reports
        except BaseException:
            leave(1)
        return refusal(text)

    return refuse
