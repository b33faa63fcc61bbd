"""What was refused to the submission, told to the judge at once, past all that the submission can reach.

A reply can be forged and an exception caught. A report over this descriptor, which the judge opened before
there was a submission, stays: it is written before the submission's code runs on.
"""

import contextlib
import os
from typing import Any

from grader.worker import wire

MAX_TEXT, MAX_LINE = 600, 200
"""So short that a report is written in one piece, however many threads write."""


class Refusals:
    """Reports to the judge over a descriptor, or to nobody where nothing is forbidden."""

    def __init__(self, descriptor: int | None = None) -> None:
        self._descriptor = descriptor
        if descriptor is not None:
            os.set_blocking(descriptor, False)

    def report(self, what: str, text: str, position: list[Any] | None) -> None:
        """Tell what was refused, and where ([line, its text]). A worker that cannot tell ends here."""
        if self._descriptor is None:
            return
        if position is not None:
            position = [position[0], position[1][:MAX_LINE]]
        data = wire.encode({"what": what, "text": text[:MAX_TEXT], "position": position})
        try:
            # That there is no room for a report means that the judge has others.
            with contextlib.suppress(BlockingIOError):
                os.write(self._descriptor, wire.HEADER.pack(len(data)) + data)
        except OSError:
            os._exit(1)
