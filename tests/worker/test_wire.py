"""Values come out of the pipe as they went in, and nothing else gets through."""

import collections
import contextlib
import functools
import math
import time

import msgpack
import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader.worker import wire
from grader.worker.unpacking import Bounds, decode

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5), inner, max_size=4)
        | st.tuples(inner, inner)
    ),
    max_leaves=12,
)
DTYPES = [
    torch.float64,
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.uint8,
    torch.bool,
]


def through(value, **options):
    return decode(wire.encode(value, **options))


@settings(max_examples=200, deadline=None)
@given(PLAIN)
def test_plain_values(value):
    assert through(value) == value
    assert type(through(value)) is type(value)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 1, 3)])
def test_tensors(dtype, shape):
    tensor = (torch.randn(shape) * 3).to(dtype)
    came = through(tensor)
    assert came.dtype == dtype and came.shape == tensor.shape
    assert torch.equal(came, tensor)


@pytest.mark.parametrize(
    "view",
    [
        lambda t: t.T,
        lambda t: t[:, ::2],
        lambda t: t[1:],
        lambda t: t[:1].expand(7, 6),
        lambda t: t[..., None],
    ],
    ids=["transposed", "strided", "offset", "expanded", "unsqueezed"],
)
def test_layout_is_kept(view):
    tensor = view(torch.randn(4, 6))
    came = through(tensor)
    assert torch.equal(came, tensor)
    assert came.is_contiguous() == tensor.is_contiguous()


def test_odd_tensors():
    assert torch.equal(through(torch.nn.Parameter(torch.ones(2))), torch.ones(2))
    conjugate = torch.tensor([1 + 2j]).conj()
    assert torch.equal(through(conjugate), conjugate.resolve_conj())
    assert math.isnan(through(torch.tensor(float("nan"))).item())


@pytest.mark.parametrize(
    "array", [np.ones((2, 3)), np.arange(6).reshape(2, 3).T, np.zeros((0, 2)), np.array(1.5)]
)
def test_arrays(array):
    came = through(array)
    assert type(came) is np.ndarray and came.dtype == array.dtype and came.shape == array.shape
    assert np.array_equal(came, array)
    came[...] = 0  # it can be written to


def test_scalars_and_containers_of_subclasses():
    assert type(through(np.float32(1.5))) is np.float32
    point = collections.namedtuple("point", "x y")
    assert through(point(1, 2)) == (1, 2)
    assert through(collections.Counter("aab")) == {"a": 2, "b": 1}
    assert through(2**100) == 2**100 and through(-(2**100)) == -(2**100)
    assert through(torch.float16) is torch.float16
    assert through(torch.Size([2, 3])) == (2, 3)


def test_generators_arrive_fresh():
    seeded = wire.Seeded("torch", 7)
    assert torch.equal(torch.rand(3, generator=through(seeded)), torch.rand(3, generator=through(seeded)))
    assert through(wire.Seeded("numpy", 7)).random() == np.random.default_rng(7).random()


class Sub(torch.Tensor):
    pass


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1, 2},
        torch.ones(2).as_subclass(Sub),
        torch.ones(2).to_sparse(),
        torch.ones(2, device="meta"),
    ],
    ids=["object", "set", "subclass", "sparse", "meta"],
)
def test_what_has_no_plain_form_stays(value):
    kept = []

    def keep(item):
        kept.append(item)
        return wire.Ref(5, "its type")

    assert through([value], keep=keep) == [wire.Ref(5, "its type")]
    assert kept[0] is value
    with pytest.raises(TypeError):
        wire.encode(value)


def test_size_is_bounded():
    with pytest.raises(wire.TooLarge):
        wire.encode(torch.ones(1).expand(2**40))
    with pytest.raises(wire.TooLarge):
        wire.encode(np.broadcast_to(np.ones(1), (2**40,)))


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_do_more_than_a_value_error(data):
    with contextlib.suppress(ValueError):
        decode(data)


_PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary()
_NESTED = st.recursive(_PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 12), st.binary(max_size=20) | _NESTED.map(msgpack.packb))
@example(8, b"\0")  # shorter than a number
def test_no_extension_does_more_than_a_value_error(code, payload):
    with contextlib.suppress(ValueError):
        decode(msgpack.packb(msgpack.ExtType(code, payload)))


@pytest.mark.parametrize("dtype", ["no_such_dtype", "nn", "load"])
def test_a_false_dtype_is_no_message(dtype):
    header = msgpack.packb([dtype, [1], None, b"12345678"])
    with pytest.raises(ValueError):
        decode(msgpack.packb(msgpack.ExtType(1, header)))


def test_what_takes_much_room_and_few_bytes_is_no_message():
    """Whatever it claims beforehand; and it is refused at once."""
    lists = wire.encode([[[]] * 1000] * 1000)
    claims = b"\xdd\x00\x0f\xff\xff" * 400 + b"\xc0"
    views = wire.encode([torch.zeros(1, dtype=torch.uint8).expand(2**27)] * 3)
    shape = msgpack.packb(["float32", [2**20, 2**20], [0, 0], b"1234"])
    deep = functools.reduce(lambda value, _: [value], range(100), 0)
    tuples = functools.reduce(lambda value, _: (value,), range(100), 0)
    keys = {(2**61 - 1) * i: 0 for i in range(9, 2000)}
    for data in (lists, claims, views, msgpack.packb(msgpack.ExtType(1, shape)), wire.encode(deep)):
        begun = time.monotonic()
        with pytest.raises(ValueError):
            decode(data)
        assert time.monotonic() - begun < 5.0
    for value in (tuples, keys):
        with pytest.raises(ValueError):
            through(value)


def test_bounds_are_those_of_the_reader():
    value = [torch.ones(100), [1, 2]]
    assert decode(wire.encode(value), bounds=Bounds(13, 2, 400))[1] == [1, 2]
    for bounds in (Bounds(12, 2, 400), Bounds(13, 1, 400), Bounds(13, 2, 399)):
        with pytest.raises(ValueError):
            decode(wire.encode(value), bounds=bounds)


def test_large_tensors_pass():
    tensor = torch.ones(wire.MAX_MESSAGE // 8 - 100, dtype=torch.float64)
    assert torch.equal(through(tensor), tensor)


def test_booleans_are_zero_or_one():
    raw = msgpack.packb(["bool", [3], None, b"\x00\x02\xff"])
    assert decode(msgpack.packb(msgpack.ExtType(1, raw))).tolist() == [False, True, True]
    raw = msgpack.packb(["|b1", [3], "C", b"\x00\x02\xff"])
    assert decode(msgpack.packb(msgpack.ExtType(2, raw))).view(np.uint8).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "value",
    [np.ones(2, np.longdouble), np.ones(2, ">f8"), np.array([None]), torch.ones(2).to(torch.float8_e5m2)],
)
def test_dtypes_that_do_not_travel_stay(value):
    assert through(value, keep=lambda item: wire.Ref(1, "odd")) == wire.Ref(1, "odd")
