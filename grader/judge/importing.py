"""Importing a submission in its worker: what is wrong with the file as a whole."""

import contextlib
import time
from functools import lru_cache
from typing import Any

from grader.curriculum.parsing import parsed
from grader.judge.findings import wording
from grader.judge.source import NOTHING_WRITTEN
from grader.judge.suspicions import suspicions_of
from grader.judge.verdict import Outcome
from grader.judge.workers.client import Worker
from grader.kit.outcomes import Crashed, Forbidden, Raised, TimedOut
from grader.worker.walls.builtins.private import private_parts, said_of

MOST_MEANWHILE = 2**16
"""Characters of a text that the judge reads in some hundredths of a second."""


def imported(worker: Worker, text: str, seconds: float) -> tuple[Outcome, str | None]:
    """What is wrong with the file that the worker has as its program, PASSED when nothing is."""
    worker.deadline = time.monotonic() + seconds
    try:
        reply = worker.load(meanwhile=lambda: _look(text))
    except Raised as error:
        return Outcome.ERROR, f"The file cannot be imported.\n{wording.raised(error)}"
    except TimedOut as error:
        return Outcome.TIMEOUT, wording.timed_out("Importing the file takes more than", seconds, error)
    except Crashed as error:
        return Outcome.CRASHED, f"While the file was imported: {wording.clean(str(error))}"
    except Forbidden as error:
        return Outcome.FORBIDDEN, wording.forbidden(error)
    if "syntax" in reply:
        return Outcome.UNREADABLE, wording.syntax(reply["syntax"])
    if reply.get("empty"):
        return Outcome.NOT_STARTED, NOTHING_WRITTEN
    if reply.get("problems"):
        return Outcome.ERROR, _problems(reply["problems"], text)
    return _private(text)


def _problems(faults: list[dict[str, Any]], text: str) -> str:
    """What there is to say of them; of the first one with its line, where to begin."""
    from grader.judge.trail.text.statements import definitions

    first, *others = faults
    lines = definitions(text).get(str(first["name"]))
    position = None if lines is None else [lines.start, text.split("\n")[lines.start - 1].strip()]
    return "\n".join([wording.problem(first, position), *map(wording.problem, others)])


def _look(text: str) -> None:
    """Find out what is to be said of the text, while the worker reads it as well. Of a long one it is found
    out afterwards: meanwhile the clock runs.
    """
    if len(text) > MOST_MEANWHILE:
        return
    suspicions_of(text)
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        _private(text)


@lru_cache(maxsize=1)
def _private(text: str) -> tuple[Outcome, str | None]:
    """Whether the text reaches for private parts of torch, by its words."""
    for line, name in private_parts(parsed(text)):
        position = [line, text.split("\n")[line - 1].strip()]
        refused = {"what": "private", "text": said_of(name), "position": position}
        return Outcome.FORBIDDEN, wording.forbidden(Forbidden(refused))
    return Outcome.PASSED, None
