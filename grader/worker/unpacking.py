"""Messages back to values, within bounds: whoever wrote them may mean harm.

A few bytes can stand for much: a million empty lists, a tensor of three million rows that are all the same.
So what a message holds is counted while it is read, whatever it claims beforehand.
"""

import math
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgpack
import numpy as np

from grader.worker.wire import ARRAY_DTYPES, DTYPES, HEADER, MAX_MESSAGE, Callback, Ref

Resolve = Callable[[Ref | Callback], Any]


@dataclass(frozen=True)
class Bounds:
    """What a message may hold: values in lists and dicts, lists in each other, bytes of its tensors with
    every element written out.
    """

    items: int = 300_000
    depth: int = 64
    size: int = MAX_MESSAGE


MESSAGE = Bounds()
MAX_TEXT = 2**22
MAX_NAME = 200
"""Characters of a type's name."""
MAX_ODD_KEYS = 1000
"""Keys that are not plain may be made so that all of them meet in one place of a dict: quadratic time."""
_PLAIN_KEYS = frozenset((str, bytes, bool, float, type(None)))


def decode(data: bytes, resolve: Resolve = lambda ref: ref, bounds: Bounds = MESSAGE) -> Any:
    """The value of the bytes. `resolve` replaces references by what they stand for.

    Raises ValueError (or a subclass) when the bytes are not a message, or hold more than they may.
    """
    try:
        return _Reader(resolve, bounds).read(data)
    except (TypeError, RuntimeError, OverflowError, LookupError, AttributeError, struct.error) as problem:
        raise ValueError(f"not a message: {problem}") from problem


class _Reader:
    """Reads one message, and counts what it holds."""

    def __init__(self, resolve: Resolve, bounds: Bounds) -> None:
        self._resolve = resolve
        self._bounds = bounds
        self._items = self._size = self._nesting = 0

    def read(self, data: bytes) -> Any:
        value = self._unpacked(data)
        self._check_depth(value)
        return value

    def _unpacked(self, data: bytes) -> Any:
        return msgpack.unpackb(
            data,
            ext_hook=self._extension,
            list_hook=self._list,
            object_pairs_hook=self._dict,
            strict_map_key=False,
            max_str_len=MAX_TEXT,
            max_array_len=self._bounds.items,
            max_map_len=self._bounds.items,
        )

    def _list(self, items: list[Any]) -> list[Any]:
        self._count(len(items))
        return items

    def _dict(self, pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
        self._count(2 * len(pairs))
        if len(pairs) > MAX_ODD_KEYS and not all(map(_is_plain_key, pairs)):
            raise ValueError("a dict has too many keys that are not plain")
        return dict(pairs)

    def _count(self, items: int) -> None:
        self._items += 1 + items
        if self._items > self._bounds.items:
            raise ValueError(f"it holds more than {self._bounds.items} values")

    def _check_depth(self, value: Any) -> None:
        left = [value]
        for _ in range(self._bounds.depth):
            left = [inner for item in left for inner in _inside(item)]
            if not left:
                return
        raise ValueError(f"lists stand in each other more than {self._bounds.depth} deep")

    def _extension(self, code: int, payload: bytes) -> Any:
        self._nesting += 1
        if self._nesting > self._bounds.depth:
            raise ValueError(f"tuples stand in each other more than {self._bounds.depth} deep")
        try:
            return self._extended(code, payload)
        finally:
            self._nesting -= 1

    def _extended(self, code: int, payload: bytes) -> Any:
        match code:
            case 1:
                return self._tensor(*self._unpacked(payload))
            case 2:
                return self._array(*self._unpacked(payload))
            case 3:
                return tuple(self._unpacked(payload))
            case 4:
                return int(payload)
            case 5:
                dtype, raw = self._unpacked(payload)
                return np.frombuffer(raw, ARRAY_DTYPES[dtype])[0]
            case 6:
                return _dtype(payload.decode())
            case 7:
                return _generator(*self._unpacked(payload))
            case 8:
                (number,) = HEADER.unpack(payload[: HEADER.size])
                return self._resolve(
                    Ref(number, payload[HEADER.size :].decode("utf-8", "replace")[:MAX_NAME])
                )
            case 9:
                return self._resolve(Callback(*HEADER.unpack(payload)))
            case 10:
                return complex(*struct.unpack("<dd", payload))
        raise ValueError(f"unknown extension {code}")

    def _tensor(self, dtype: str, shape: list[int], strides: list[int] | None, raw: bytes) -> Any:
        torch = sys.modules["torch"]
        element = _dtype(dtype)
        if self._elements(shape, element.itemsize) == 0:
            return torch.empty(shape, dtype=element)
        # Other bytes than 0 and 1 are no booleans: comparing them may say anything.
        is_bool = element is torch.bool
        flat = torch.frombuffer(bytearray(raw), dtype=torch.uint8 if is_bool else element)
        flat = flat != 0 if is_bool else flat
        return flat.reshape(shape) if strides is None else flat.as_strided(shape, strides)

    def _array(self, dtype: str, shape: list[int], order: Any, raw: bytes) -> Any:
        element = ARRAY_DTYPES[dtype]
        self._elements(shape, element.itemsize)
        flat = np.frombuffer(bytearray(raw), np.uint8)
        flat = flat != 0 if element == np.bool_ else flat.view(element)
        return flat.reshape(shape, order=order)

    def _elements(self, shape: list[int], itemsize: int) -> int:
        """How many a tensor of that shape has; they are counted."""
        if not all(type(length) is int and length >= 0 for length in shape):
            raise ValueError("a shape that is none")
        number = math.prod(shape)
        self._size += number * itemsize
        if self._size > self._bounds.size:
            raise ValueError(f"its tensors take more than {self._bounds.size} bytes")
        return number


def _is_plain_key(pair: tuple[Any, Any]) -> bool:
    kind = type(pair[0])
    return kind in _PLAIN_KEYS or (kind is int and -(2**63) <= pair[0] < 2**64)


def _inside(value: Any) -> Any:
    """What a list, tuple or dict holds that may hold something in turn."""
    kind = type(value)
    items = (*value, *value.values()) if kind is dict else value if kind is list or kind is tuple else ()
    return [item for item in items if type(item) in (list, tuple, dict)]


def _dtype(name: str) -> Any:
    if name not in DTYPES:
        raise ValueError(f"{name!r:.40} is no dtype that travels")
    return getattr(sys.modules["torch"], name)


def _generator(kind: str, seed: int) -> Any:
    if kind == "numpy":
        return np.random.default_rng(seed)
    return sys.modules["torch"].Generator().manual_seed(seed)
