"""The judge's findings as sentences for the learner, free of control characters from the submission."""

import difflib
import json
import re
import sys
from typing import Any

from grader.judge.findings.usual_causes import usual_cause
from grader.kit.outcomes import Forbidden, Raised, TimedOut

OUTPUT_LINES = 40
LINE_WIDTH = 200
# Of a verdict's JSON, which stays below 200 kB: that a check says, that the file as a whole does, its output,
# and that of all checks.
CHECK_BYTES, FILE_BYTES, OUTPUT_BYTES, OUTPUTS_BYTES = 3_000, 8_000, 24_000, 60_000

_OVERLOADS = re.compile(r",? but expected one of:|\n\n")
"""Where torch begins to list all forms of a function."""
_ESCAPES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|.)?", re.DOTALL)


def clean(text: str) -> str:
    """Text without terminal escapes and control characters; line breaks and tabs stay."""
    text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    return "".join(c if c in "\n\t" or c.isprintable() else "\ufffd" for c in text)


def bounded(text: str, size: int) -> str:
    """The text, cut where it would take more than `size` bytes in JSON."""
    taken = 0
    for place, character in enumerate(text):
        taken += len(json.dumps(character)) - 2
        if taken > size:
            return text[:place] + "…"
    return text


def shared(outputs: list[str]) -> list[str]:
    """What the checks have printed; from each fewer lines where all together would take too much."""
    if sum(len(json.dumps(output)) for output in outputs) <= OUTPUTS_BYTES:
        return outputs
    return [last_lines(output, OUTPUTS_BYTES // len(outputs)) for output in outputs]


def last_lines(text: str, size: int = OUTPUT_BYTES) -> str:
    """The last lines of what was printed, each cut to a sane width; of those with odd characters fewer, so
    that they take no more than `size` bytes in JSON.
    """
    lines = clean(text).rstrip("\n").split("\n")[-OUTPUT_LINES:]
    lines = [line if len(line) <= LINE_WIDTH else line[:LINE_WIDTH] + "…" for line in lines]
    while len(json.dumps(lines)) > size:
        del lines[0]
    return "\n".join(lines)


def raised(error: Raised) -> str:
    """An exception, with the submission's own frames, and what it usually comes from."""
    kind = error.types[0]
    if kind == "SystemExit":
        head = f"It ends the program: sys.exit({error.message})"
    elif kind == "RecursionError":
        head = f"RecursionError: {error.message}"
    else:
        # The first lines say what is wrong.
        message = "\n".join(_OVERLOADS.split(error.message)[0].splitlines()[:3])
        head = f"{kind}: {message}" if message else kind
    frames = [f"  line {number}, in {name}:  {text}" for number, name, text in error.frames]
    cause = usual_cause(error.message)
    return clean("\n".join([head, *frames, *([cause] if cause else [])]))


def forbidden(error: Forbidden) -> str:
    """A use of what is forbidden, with the submission's line."""
    return _at(f"{error}", error.position)


def timed_out(took: str, seconds: float, error: TimedOut) -> str:
    """That it took longer than so many seconds, with the submission's line at that time."""
    return _at(f"{took} {round(seconds, 1):g} s: an endless loop?", error.position)


def _at(text: str, position: list[Any] | None) -> str:
    if position is None:
        return clean(text)
    number, line = position
    return clean(f"{text}\n  line {number}:  {line}")


def syntax(fault: dict[str, Any]) -> str:
    """A syntax error: line, text and caret, once."""
    text = str(fault["text"])
    indent = len(text) - len(text.lstrip())
    caret = " " * max(int(fault["column"]) - 1 - indent, 0) + "^"
    # Plain "invalid syntax" may be that of a newer Python.
    version = "Python {}.{}".format(*sys.version_info) if fault["message"] == "invalid syntax" else "Python"
    head = f"The file is not {version}: {fault['message']}, line {fault['line']}."
    return clean(f"{head}\n    {text.strip()}\n    {caret}")


def problem(fault: dict[str, Any], position: list[Any] | None = None) -> str:
    """A required name that is missing, or cannot be called as the stub says, and its line."""
    name = fault["name"]
    if fault["kind"] == "not_callable":
        return clean(f"{name} cannot be called: it is {fault['type']}.")
    if fault["kind"] == "signature":
        return _at(f"{name} cannot be called as in the stub: {fault['problem']}.", position)
    defined = sorted(fault["defined"], key=lambda other: -difflib.SequenceMatcher(None, name, other).ratio())
    listed = f"The file defines {', '.join(defined[:12])}." if defined else "The file defines nothing."
    return clean(f"{name} is missing. {listed}")
