"""Every tensor that the lines of one file make, noted while torch runs them."""

import sys
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from grader.worker.measuring.meter import Meter, here, paused
from grader.worker.tracing.notes import MAX_ELEMENTS, Notes


class Operations(Meter):
    """While it is entered: notes the outputs of every operation that a line of the file runs, views too."""

    def __init__(self, notes: Notes, path: str) -> None:
        super().__init__()
        self._notes = notes
        self._path = path
        self._known: dict[int, tuple[weakref.ref[Any], int, int]] = {}  # by id: itself, version, note
        self._written: dict[int, int] = {}  # the last note of what was written to a storage, by its address

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        line = self._line() if here.counting else None
        if line is None:
            if func._schema.is_mutable:
                self._forget(args)
            return func(*args, **kwargs)
        inputs = [self._note_of(tensor) for tensor in _tensors([args, kwargs])]
        result = func(*args, **kwargs)
        drawn = torch.Tag.nondeterministic_seeded in func.tags and not _is_certain(func, args, kwargs)
        parents = [note for note in inputs if note is not None]
        for tensor in _tensors(result):
            note = self._add(tensor, line, parents, drawn, func.overloadpacket.__name__)
            if note is not None and func._schema.is_mutable:
                self._written[_storage(tensor)] = note
        return result

    def _note_of(self, tensor: Any) -> int | None:
        """The note of a tensor as it is now, None where no line of the file has made it."""
        known = self._known.get(id(tensor))
        if known is None or id(known[0]()) != id(tensor):
            return None
        reference, version, note = known
        if version == tensor._version:
            return note
        before, now = self._notes.values[note], _numbers(tensor)
        if now is None or (before is not None and np.array_equal(before, now, equal_nan=True)):
            self._known[id(tensor)] = (reference, tensor._version, note)
            return note
        # Written to through a view, or by something outside the file.
        writer = self._written.get(_storage(tensor))
        parents = [note] if writer is None else [note, writer]
        line = None if writer is None else self._notes.line_of(writer)
        return self._add(tensor, line, parents)

    def note_bound(self, tensor: Any, line: int) -> int | None:
        """The note of a tensor that a name is bound to in this line. One that came from elsewhere is noted
        now.
        """
        with paused():
            note = self._note_of(tensor)
            return self._add(tensor, line, []) if note is None else note

    def _forget(self, args: Any) -> None:
        """What is written from outside the file (weights, say) is an input from then on."""
        for tensor in _tensors(args):
            self._known.pop(id(tensor), None)

    def _add(
        self, tensor: Any, line: int | None, parents: list[int], drawn: bool = False, made_by: str = ""
    ) -> int | None:
        kind = str(tensor.dtype).removeprefix("torch.")
        values = None if "empty" in made_by else _numbers(tensor)  # there is anything in it
        note = self._notes.add(values, tensor.shape, kind, line, parents, drawn, made_by)
        if note is not None:
            self._known[id(tensor)] = (weakref.ref(tensor), tensor._version, note)
        return note

    def _line(self) -> int | None:
        frame = sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename == self._path:
                return frame.f_lineno
            frame = frame.f_back  # type: ignore[assignment]
        return None


def _tensors(value: Any) -> Iterator[Any]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)


def _numbers(tensor: Any) -> np.ndarray | None:
    """Its numbers in the order of its indices; complex ones as pairs."""
    if tensor.numel() > MAX_ELEMENTS or tensor.layout is not torch.strided or tensor.device.type != "cpu":
        return None
    plain = tensor.detach().resolve_conj().resolve_neg()
    if plain.is_complex():
        plain = torch.view_as_real(plain)
    array: np.ndarray = plain.to(torch.float64).reshape(-1).numpy()
    return array.copy()


def _storage(tensor: Any) -> int:
    address: int = tensor.untyped_storage().data_ptr()
    return address


def _is_certain(func: Any, args: Any, kwargs: Any) -> bool:
    """Whether nothing is drawn after all: attention and dropout with a probability of zero."""
    arguments = func._schema.arguments
    given = {argument.name: argument.default_value for argument in arguments}
    given |= dict(zip(given, args, strict=False)) | kwargs
    return bool(given.get("dropout_p", 1.0) == 0.0)
