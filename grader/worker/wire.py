"""Values as bytes: what the judge and the worker say to each other over their one pipe.

A message is msgpack with raw array buffers, never pickle: reading one cannot run code. Types travel as they
are. What has no plain form (a Tensor subclass, an object that equals everything) becomes a `Ref`, which names
its type and stays where it lives. Reading is a matter of its own (`grader.worker.unpacking`). Torch is used
where it is loaded already and never imported here, because the workers of NumPy topics must not have it.
"""

import math
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import msgpack
import numpy as np

MAX_MESSAGE = 256 * 2**20
"""Bytes that one message may have: a submission cannot make the judge hold more."""

HEADER = struct.Struct("<Q")
"""Every message is preceded by its length."""


@dataclass(frozen=True)
class Ref:
    """An object that stays in the worker: its number there and the name of its type."""

    number: int
    type_name: str


@dataclass(frozen=True)
class Callback:
    """A function that stays with the judge; the worker calls it over the pipe."""

    number: int


@dataclass(frozen=True)
class Seeded:
    """A random generator, sent as its seed. `kind` is `"torch"` or `"numpy"`."""

    kind: str
    seed: int


class TooLarge(Exception):
    """The value does not fit into one message; the message says what it is."""


_WIDTHS = {"int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (16, 32, 64), "complex": (64, 128)}
DTYPES = {"bool", "bfloat16", *(f"{kind}{bits}" for kind, widths in _WIDTHS.items() for bits in widths)}
"""Names of the dtypes that travel; what has another one is a `Ref`."""
ARRAY_DTYPES = {np.dtype(name).str: np.dtype(name) for name in DTYPES - {"bfloat16"}}
"""Those of arrays, in this machine's order of bytes."""

_TENSOR, _ARRAY, _TUPLE, _INTEGER, _SCALAR, _DTYPE, _SEEDED, _REF, _CALLBACK, _COMPLEX = range(1, 11)


def encode(value: Any, keep: Callable[[Any], Ref] | None = None) -> bytes:
    """The bytes of a value. `keep` gives the `Ref` for what has no plain form; without it that is a
    TypeError.
    """

    def plain(item: Any) -> Any:
        form = _plain_form(item, nested)
        if form is not None:
            return form
        if keep is None:
            raise TypeError(f"a {type(item).__name__} cannot be sent")
        return _ref_form(keep(item))

    def nested(item: Any) -> bytes:
        data: bytes = msgpack.packb(item, default=plain, strict_types=True, unicode_errors="backslashreplace")
        return data

    data = nested(value)
    if len(data) > MAX_MESSAGE:
        raise TooLarge(f"{len(data)} bytes are more than {MAX_MESSAGE}")
    return data


def _plain_form(item: Any, nested: Callable[[Any], bytes]) -> Any:
    """The msgpack form of what msgpack does not know, None when it has none."""
    kind = type(item)
    if (torch := sys.modules.get("torch")) is not None and kind is torch.Tensor:
        return _tensor_form(item, nested)  # most of what is asked for
    if kind is Ref:
        return _ref_form(item)
    if kind is Callback:
        return msgpack.ExtType(_CALLBACK, HEADER.pack(item.number))
    if kind is Seeded:
        return msgpack.ExtType(_SEEDED, nested([item.kind, item.seed]))
    if isinstance(item, np.generic):
        return _scalar_form(item, nested)
    if kind is np.ndarray:
        return _array_form(item, nested)
    if issubclass(kind, bool | int):
        return (
            msgpack.ExtType(_INTEGER, str(int.__add__(item, 0)).encode())
            if kind is int
            else int.__add__(item, 0)
        )
    if issubclass(kind, float):
        return float.__add__(item, 0.0)
    if issubclass(kind, complex):
        return msgpack.ExtType(_COMPLEX, struct.pack("<dd", item.real, item.imag))
    # Containers of a subclass (a NamedTuple, a defaultdict) travel as what they contain.
    if issubclass(kind, tuple):
        return msgpack.ExtType(_TUPLE, nested(list(tuple.__iter__(item))))
    if issubclass(kind, list):
        return list(list.__iter__(item))
    if issubclass(kind, dict):
        return dict(dict.items(item))
    if issubclass(kind, str):
        return str.__str__(item)
    return _torch_form(item, nested)


def _ref_form(ref: Ref) -> msgpack.ExtType:
    return msgpack.ExtType(_REF, HEADER.pack(ref.number) + ref.type_name.encode("utf-8", "backslashreplace"))


def _scalar_form(item: np.generic, nested: Callable[[Any], bytes]) -> Any:
    if item.dtype.str not in ARRAY_DTYPES:
        return None
    return msgpack.ExtType(_SCALAR, nested([item.dtype.str, item.tobytes()]))


def _array_form(item: np.ndarray, nested: Callable[[Any], bytes]) -> Any:
    if item.dtype.str not in ARRAY_DTYPES:
        return None
    if item.nbytes > MAX_MESSAGE:
        raise TooLarge(f"an array of {item.nbytes} bytes")
    # A transposed array arrives transposed: answers have to cope with it.
    order: Literal["C", "F"] = "F" if item.flags.f_contiguous and not item.flags.c_contiguous else "C"
    return msgpack.ExtType(_ARRAY, nested([item.dtype.str, list(item.shape), order, item.tobytes(order)]))


def _torch_form(item: Any, nested: Callable[[Any], bytes]) -> Any:
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    if type(item) is torch.dtype:
        return msgpack.ExtType(_DTYPE, str(item).removeprefix("torch.").encode())
    if type(item) is torch.Size:
        return msgpack.ExtType(_TUPLE, nested(list(item)))
    return _tensor_form(item, nested) if type(item) is torch.nn.Parameter else None


def _tensor_form(item: Any, nested: Callable[[Any], bytes]) -> Any:
    torch = sys.modules["torch"]
    name = str(item.dtype).removeprefix("torch.")
    if item.layout is not torch.strided or item.device.type != "cpu" or name not in DTYPES:
        return None
    tensor = item.detach().resolve_conj().resolve_neg()
    shape = list(tensor.shape)
    count = math.prod(shape)
    if count == 0:
        return msgpack.ExtType(_TENSOR, nested([name, shape, None, b""]))
    strides = None if tensor.is_contiguous() else list(tensor.stride())
    # The memory between the first and the last element, with the strides: what was not contiguous stays so.
    extent = count if strides is None else 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    if max(extent, count) * tensor.element_size() > MAX_MESSAGE:
        raise TooLarge(f"a tensor of shape {tuple(shape)}")
    if strides is None and name != "bfloat16":  # most that come; NumPy has no bfloat16
        raw = tensor.numpy().tobytes()
    else:
        raw = torch.as_strided(tensor, (extent,), (1,)).view(torch.uint8).numpy().tobytes()
    return msgpack.ExtType(_TENSOR, nested([name, shape, strides, raw]))
