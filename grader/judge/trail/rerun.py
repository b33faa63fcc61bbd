"""Running the case that fails once more, with notes on what is made on the way."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor

from grader.judge.checks.reading import Case, CheckFunction
from grader.judge.checks.running import run_case
from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.notes import Notes, read_notes
from grader.judge.workers.client import Worker
from grader.worker import wire


@dataclass(frozen=True)
class Call:
    """One request of the case, and the value that came (None where none came)."""

    request: dict[str, Any]
    value: Any = None
    inputs: tuple[Note, ...] = ()  # the arrays that were given, as if they had been noted
    names: tuple[str, ...] = ()  # what the arguments are called
    mark: int | None = None  # its place in the notes' marks, None where no notes were taken


@dataclass(frozen=True)
class Rerun:
    """A case, run with notes: what ended it (None when it passed), its requests, and the notes (also as the
    worker's `report`).
    """

    error: Exception | None
    calls: tuple[Call, ...]
    notes: Notes
    report: Any = None


def rerun(check: CheckFunction, case: Case, worker: Worker) -> Rerun:
    """Run one case with notes. Raises what `Worker.request` raises, and NotNotes."""
    noting = _Noting(worker)
    error, _ = run_case(check, case, noting)
    report = worker.request({"do": "trace"}).get("value")
    return Rerun(error, tuple(noting.calls), read_notes(report), report)


class _Noting:
    """Looks like a worker to the kit, and asks it to take notes. What is measured is not traced as well."""

    def __init__(self, worker: Worker) -> None:
        self.calls: list[Call] = []
        self.deadline = worker.deadline
        self._worker = worker

    def begin(self, seed: int) -> None:
        self._worker.begin(seed)

    def bounded(self, memory: int) -> AbstractContextManager[None]:
        return self._worker.bounded(memory)

    def callback(self, function: Callable[..., Any]) -> wire.Callback:
        return self._worker.callback(function)

    def request(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply of the worker."""
        is_traced = not request.get("measure")
        mark = sum(call.mark is not None for call in self.calls) if is_traced else None
        # Now: a check may write to what it has given.
        given = tuple(_inputs([request.get(key) for key in ("args", "kwargs", "values")]))
        self.calls.append(Call(request, None, given, (), mark))
        reply = self._worker.request({**request, "trace": is_traced})
        self.calls[-1] = Call(request, reply.get("value"), given, tuple(reply.get("names", ())), mark)
        return reply


def _inputs(given: Any) -> Iterator[Note]:
    for value in _arrays(given):
        kind = str(value.dtype).removeprefix("torch.")
        array = value.detach().double().numpy() if isinstance(value, Tensor) else value
        if array.dtype.kind in "biuf":
            yield Note(0, None, tuple(value.shape), kind, array.astype(np.float64).reshape(-1), (), False)


def _arrays(value: Any) -> Iterator[Any]:
    if isinstance(value, Tensor | np.ndarray):
        yield value
    elif isinstance(value, dict | tuple | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _arrays(item)
