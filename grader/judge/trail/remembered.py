"""What the solution gives in a case that is run with notes. It is the same for every answer, so it is
remembered: in memory while a judge lives, and on the disk beside the evidence of the topic's mistakes.
"""

from collections import OrderedDict
from pathlib import Path

import numpy as np

from grader.judge.checks.reading import Case, CheckFunction
from grader.judge.diagnosis.memory import Memory
from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.notes import NotNotes, read_notes
from grader.judge.trail.rerun import Call, Rerun
from grader.worker import wire
from grader.worker.unpacking import decode

MAX_LIVING_BYTES = 64 * 2**20
"""Of numbers that are kept in memory, of all topics together."""
MAX_KEPT_BYTES = 2**21
"""Of one case on the disk."""


class _Living:
    """Those used last, by the file of their topic and their name in it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Path, str], tuple[Rerun, int]] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: tuple[Path, str]) -> Rerun | None:
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def put(self, key: tuple[Path, str], again: Rerun) -> None:
        self._forget(key)
        self._kept[key] = again, _size(again)
        self._bytes += _size(again)
        while len(self._kept) > 1 and self._bytes > MAX_LIVING_BYTES:
            self._forget(next(iter(self._kept)))

    def _forget(self, key: tuple[Path, str]) -> None:
        if key in self._kept:
            self._bytes -= self._kept.pop(key)[1]


_living = _Living()


def recall(memory: Memory, check: CheckFunction, case: Case) -> Rerun | None:
    """The solution's, or None where it is not known."""
    key = _key(check, case)
    found = _living.get((memory.path, key))
    if found is None and (data := memory.note(key)) is not None:
        found = _unpacked(data)
        if found is not None:
            _living.put((memory.path, key), found)
    return found


def remember(memory: Memory, check: CheckFunction, case: Case, again: Rerun) -> None:
    """Keep the solution's; it is written to the disk with the next evidence."""
    if again.error is not None:
        return
    key = _key(check, case)
    _living.put((memory.path, key), again)
    if _size(again) <= MAX_KEPT_BYTES and (data := _packed(again)) is not None:
        memory.put_note(key, data)


def _key(check: CheckFunction, case: Case) -> str:
    return f"{check.name} {case.seed}"


def _size(again: Rerun) -> int:
    return sum(0 if note.values is None else note.values.nbytes for note in again.notes.notes)


def _packed(again: Rerun) -> bytes | None:
    """As bytes; None for what has no plain form, or is too large."""
    calls = [
        [
            *(call.request, call.value, list(call.names), call.mark),
            [[note.values, list(note.shape), note.kind] for note in call.inputs],
        ]
        for call in again.calls
    ]
    try:
        data = wire.encode([calls, again.report])
    except (TypeError, wire.TooLarge):
        return None
    return data if len(data) <= MAX_KEPT_BYTES else None


def _unpacked(data: bytes) -> Rerun | None:
    try:
        packed, report = decode(data)
        calls = tuple(
            Call(request, value, tuple(_input(*each) for each in inputs), tuple(names), mark)
            for request, value, names, mark, inputs in packed
        )
        return Rerun(None, calls, read_notes(report), report)
    except (ValueError, TypeError, NotNotes):  # of another making
        return None


def _input(values: np.ndarray, shape: list[int], kind: str) -> Note:
    return Note(0, None, tuple(shape), kind, values, (), False)
