"""Checks of `mask_functions`: each rule, how rules combine, tables and text, by flex attention itself."""

import pytest
import torch
from torch.nn.attention.flex_attention import and_masks, or_masks

from grader.kit import assert_close, assert_equal, assert_inputs_unchanged, assert_true
from grader.kit.families.flex import create_mask, looked_up
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device, assert_on_default_device

pytestmark = pytest.mark.forbid("mask_functions")

SIZES = 2, 3, 7, 7
KEEP = torch.tensor([[1, 1, 0, 1, 0, 0, 1], [0, 1, 1, 1, 1, 1, 0]]).bool()
LARGE = torch.tensor(
    [
        [2**24, 2**24, 2**24 + 1, 2**24 + 1, 2**24 + 2, 2**24, 3],
        [2**53 + 1, 2**53, -(2**53), 5, 5 + 2**32, 4, 5],
    ]
)  # in float32, neighbours are near ties, or the same
TEXTS = torch.tensor([[3, 3, 1, 1, 1, 3, 0], [-1, 5, 5, -2, 9, 9, -100]])


def workload(submission, rng):
    return submission.materialize.measure(submission.sliding_window(16), 2, 4, 64, 64)


def indices(batch=2, heads=3, q_len=7, kv_len=7):
    """Four index tensors that broadcast to a table."""
    sizes = enumerate((batch, heads, q_len, kv_len))
    return [torch.arange(size).view([-1 if k == place else 1 for k in range(4)]) for place, size in sizes]


def table_of(fn, *sizes):
    """What a mask function of the answer gives for a whole table; it may be smaller than the table."""
    came = fn(*indices(*(sizes or SIZES)))
    kind = str(came.dtype) if isinstance(came, torch.Tensor) else type(came).__name__
    # For diagnosis the kind alone: how much smaller than the table it is may differ.
    assert_true(kind == "torch.bool", "a mask function should return a boolean tensor", seen=kind)
    return torch.broadcast_to(came, sizes or SIZES)


def of_its_own(answer, number):
    """In the worker: mask functions of somebody else."""
    heads = torch.tensor([2, 0, 1])
    return [
        lambda b, h, q, kv: (b + 2 * h + q * kv) % 3 == 0,
        lambda b, h, q, kv: (q + kv) % 2 == 0,
        lambda b, h, q, kv: (b + h) % 2 == 1,
        lambda b, h, q, kv: heads[h] + b < q,
        lambda b, h, q, kv: kv > 2,
    ][number]


HEADS = torch.tensor([2, 0, 1])
OWN = [
    lambda b, h, q, kv: (b + 2 * h + q * kv) % 3 == 0,
    lambda b, h, q, kv: (q + kv) % 2 == 0,
    lambda b, h, q, kv: (b + h) % 2 == 1,
    lambda b, h, q, kv: looked_up(HEADS, h) + b < q,
    lambda b, h, q, kv: kv > 2,
]
"""The same functions here."""


def window_of(window):
    return lambda b, h, q, kv: (q >= kv) & (q < kv + window)


def chunks_of(size):
    return lambda b, h, q, kv: (q - q % size <= kv) & (kv < q - q % size + size)


def test_causal(submission):
    """causal keeps q >= kv"""
    assert_close(table_of(submission.causal), create_mask(lambda b, h, q, kv: q >= kv, *SIZES))


def test_sliding_window(submission):
    """sliding_window keeps 0 <= q - kv < window, also for windows longer than the text"""
    fns = {window: submission.sliding_window(window) for window in (3, 1, 11)}
    for window, fn in fns.items():
        assert_close(table_of(fn), create_mask(window_of(window), *SIZES), what=f"window {window}")


def test_chunked(submission):
    """chunked keeps the whole of a query's own chunk, and nothing else"""
    fns = {size: submission.chunked(size) for size in (3, 1, 11)}
    for size, fn in fns.items():
        assert_close(table_of(fn), create_mask(chunks_of(size), *SIZES), what=f"chunk_size {size}")


def test_any_sizes(submission, rng):
    """whatever a window, a chunk_size and an offset are, the rules hold"""
    places = 1, 1, 17, 17
    for name, rule in (("sliding_window", window_of), ("chunked", chunks_of)):
        sizes = (rng.permutation(14)[:6] + 1).tolist()
        came = {f"{name}({size})": table_of(getattr(submission, name)(size), *places) for size in sizes}
        expected = {f"{name}({size})": create_mask(rule(size), *places) for size in sizes}
        assert_close(came, expected)
    q_offset, kv_offset = rng.integers(-30, 30, 2).tolist()
    fn = submission.offset(submission.run(of_its_own, 0), q_offset, kv_offset)
    expected = create_mask(lambda b, h, q, kv: OWN[0](b, h, q + q_offset, kv + kv_offset), *places)
    assert_close(table_of(fn, *places), expected, what=f"offset({q_offset}, {kv_offset})")


def test_padding(submission):
    """padding keeps the keys where keep[batch, kv] is True"""
    fn = submission.padding(KEEP.T.contiguous().T if is_second_round() else KEEP)
    assert_close(table_of(fn), create_mask(lambda b, h, q, kv: looked_up(KEEP, b, kv), *SIZES))


@pytest.mark.parametrize("texts", [TEXTS, LARGE])
def test_packed(submission, texts):
    """packed keeps the keys whose id is the query's own, and nothing else"""
    fn = submission.packed(texts.T.contiguous().T if is_second_round() else texts)

    def same(b, h, q, kv):
        return looked_up(texts, b, q) == looked_up(texts, b, kv)

    assert_close(table_of(fn), create_mask(same, *SIZES))


def test_far_places(submission):
    """places may be any numbers: the rules hold behind the first thousands, too"""
    far = 10**9 if is_second_round() else 0  # where float32 has no odd numbers
    q, kv = far + 70_001 + torch.arange(5)[:, None], far + 69_997 + torch.arange(9)
    at = torch.tensor(0), torch.tensor(0), q, kv
    rules = {
        "causal": (submission.causal, q >= kv),
        "sliding_window": (submission.sliding_window(3), window_of(3)(*at)),
        "chunked": (submission.chunked(3), chunks_of(3)(*at)),
        "offset": (
            submission.offset(submission.sliding_window(3), 70_000, 69_999),
            window_of(3)(*at[:2], q, kv - 1),
        ),
    }
    came = {name: torch.broadcast_to(fn(*at), (5, 9)) for name, (fn, _) in rules.items()}
    assert_close(came, {name: expected for name, (_, expected) in rules.items()})


@pytest.mark.parametrize("numbers", [(), (0, 1, 2), (3, 4)])
def test_and_masks(submission, numbers):
    """and_masks keeps what all functions keep: everything if there are none"""
    fn = submission.and_masks(*(submission.run(of_its_own, number) for number in numbers))
    expected = create_mask(and_masks(*(OWN[number] for number in numbers)), *SIZES)
    assert_close(table_of(fn), expected)


@pytest.mark.parametrize("numbers", [(), (0, 1, 2), (4, 3)])
def test_or_masks(submission, numbers):
    """or_masks keeps what at least one of the functions keeps: nothing if there are none"""
    fn = submission.or_masks(*(submission.run(of_its_own, number) for number in numbers))
    expected = create_mask(or_masks(*(OWN[number] for number in numbers)), *SIZES)
    assert_close(table_of(fn), expected)


def tables_afterwards(answer, name, indices, first, second):
    """Two functions that keep their tables are combined, and asked twice."""
    tables = first.clone(), second.clone()
    fn = getattr(answer, name)(lambda *at: tables[0], lambda *at: tables[1])
    return [fn(*indices), fn(*indices), *tables]


@pytest.mark.parametrize("name", ["and_masks", "or_masks"])
def test_tables_of_others_are_not_modified(submission, rng, name):
    """and_masks and or_masks do not write to what a function returns, which may be a table that it keeps"""
    tables = rng.mask(*SIZES), rng.mask(*SIZES)
    together = tables[0] & tables[1] if name == "and_masks" else tables[0] | tables[1]
    came = submission.run(tables_afterwards, name, indices(), *tables)
    assert_close(came, [together, together, *tables], what="two calls, and the tables afterwards")


@pytest.mark.parametrize("q_offset, kv_offset", [(1, 0), (0, 4), (-1, 5), (2, 2)])
def test_offset(submission, q_offset, kv_offset):
    """offset adds to q and kv before the function sees them, also where both offsets are the same"""
    fn = submission.offset(submission.run(of_its_own, 0), q_offset, kv_offset)
    expected = create_mask(lambda b, h, q, kv: OWN[0](b, h, q + q_offset, kv + kv_offset), *SIZES)
    assert_close(table_of(fn), expected)


def test_functions_nest(submission):
    """what and_masks, or_masks and offset make can be combined again"""
    one, two, three = (submission.run(of_its_own, number) for number in (0, 1, 2))
    either = submission.or_masks(submission.and_masks(one, two), submission.offset(three, 1, 0))
    expected = or_masks(and_masks(OWN[0], OWN[1]), OWN[2])
    assert_close(table_of(either), create_mask(expected, *SIZES))


@pytest.mark.parametrize("number", [0, 3, 4])
def test_materialize(submission, number):
    """materialize gives the whole table of any mask function, also of one that depends on few indices"""
    sizes = {0: (1, 2, 131, 3), 3: (2, 3, 5, 7), 4: (1, 1, 5, 137)}[number]
    came = submission.materialize(submission.run(of_its_own, number), *sizes)
    assert_close(came, create_mask(OWN[number], *sizes))


def of_fewer_dimensions(answer, number):
    """In the worker: a mask function that leaves leading dimensions out along which nothing differs."""
    rules = [lambda h, q, kv: (h + q * kv) % 3 == 0, lambda h, q, kv: q < kv + 2, lambda h, q, kv: kv != 1]

    def fn(b, h, q, kv):
        result = rules[number](h, q, kv) | (b < 0)
        is_whole = result.dim() == 4
        while is_whole and result.dim() > 3 - number and (result == result[:1]).all():
            result = result[0]
        return result

    return fn


@pytest.mark.parametrize("number", [0, 1, 2])
def test_materialize_of_fewer_dimensions(submission, number):
    """materialize gives the whole table of a function whose result lacks leading dimensions"""
    fn, rules = (
        submission.run(of_fewer_dimensions, number),
        [
            lambda b, h, q, kv: (h + q * kv) % 3 == 0,
            lambda b, h, q, kv: q < kv + 2,
            lambda b, h, q, kv: kv != 1,
        ],
    )
    for sizes in ((3, 3, 5, 7), (1, 2, 5, 5)):
        assert_close(submission.materialize(fn, *sizes), create_mask(rules[number], *sizes))


def test_materialize_what_the_others_make(submission):
    """materialize gives the tables of functions that and_masks and padding make"""
    # Not a window of 3: with one of those, queries moved by kv_len - q_len are queries and keys swapped.
    both = submission.and_masks(submission.padding(KEEP), submission.sliding_window(4))
    expected = and_masks(lambda b, h, q, kv: looked_up(KEEP, b, kv), window_of(4))
    assert_close(submission.materialize(both, 2, 1, 5, 7), create_mask(expected, 2, 1, 5, 7))
    nothing = submission.materialize(submission.or_masks(), 1, 1, 1, 1)
    assert_close(nothing, create_mask(or_masks(), 1, 1, 1, 1))


def test_other_shapes_of_indices(submission):
    """mask functions take indices without dimensions, in a row, and tables that are written out"""
    fn = submission.packed(TEXTS)
    whole = [index.expand(SIZES) for index in indices()]
    expected = (TEXTS[:, None, :, None] == TEXTS[:, None, None, :]).expand(SIZES)
    assert_close(fn(*whole), expected, what="a table")
    row = [index[1, 2, :, 3] for index in whole]
    assert_close(fn(*row), expected[1, 2, :, 3], what="a row")
    assert_close(fn(*(index[1, 2, 4, 3] for index in whole)), expected[1, 2, 4, 3], what="one pair")
    kept = KEEP[1, 3].expand(7)
    assert_close(submission.padding(KEEP)(*row), kept, what="padding, a row")
    window = submission.sliding_window(2)
    came = [window(*(torch.tensor(index) for index in (0, 0, 5, kv))) for kv in (3, 4, 5, 6)]
    assert_close(came, [torch.tensor(kept) for kept in (False, True, True, False)], what="sliding_window(2)")
    if is_second_round():
        of_nothing = [fn()(*[torch.tensor(0)] * 4) for fn in (submission.and_masks, submission.or_masks)]
        assert_close(of_nothing, [torch.tensor(True), torch.tensor(False)], what="of no functions, one pair")


@pytest.mark.parametrize(
    "mask", [torch.tensor([[1, 0, 0], [0, 1, 1]]).bool(), KEEP.T, torch.zeros(1, 1).bool()]
)
def test_render(submission, mask):
    """render draws ■ and ⬚ with single spaces between, a line for each query"""
    rows = (" ".join({True: "■", False: "⬚"}[kept] for kept in row) for row in mask.tolist())
    assert_equal(submission.render(mask), "\n".join(rows))


def test_render_of_a_large_mask(submission):
    """render draws all of a mask of any size"""
    mask = torch.arange(37)[:, None] % 5 < torch.arange(41) % 7
    rows = (" ".join({True: "■", False: "⬚"}[kept] for kept in row) for row in mask.tolist())
    expected, came = "\n".join(rows), submission.render(mask)
    # For diagnosis not what is left of it.
    is_short = isinstance(came, str) and ("..." in came or "…" in came)
    message = "it shortens the text of a mask of 37 x 41" if is_short else "the text of a mask of 37 x 41"
    assert_true(came == expected, message, seen="shortened" if is_short else came == expected)


@pytest.mark.parametrize("name, made_with", [("padding", (KEEP,)), ("and_masks", ()), ("or_masks", ())])
def test_device_of_the_indices(submission, name, made_with):
    """a mask function's result is on the device of its indices, whatever the default device is"""
    assert_keeps_device(submission, name, *indices(), factory=made_with)


def test_default_device(submission):
    """materialize makes its table on the default device"""
    fn = submission.run(of_its_own, 0)
    assert_on_default_device(submission, "materialize", fn, 2, 3, 5, 7)


def test_inputs_are_not_modified(submission):
    """no argument is modified"""
    assert_inputs_unchanged(submission.causal, *indices())
    assert_inputs_unchanged(submission.render, KEEP)
    fn = submission.offset(submission.run(of_its_own, 0), 1, 2)
    assert_inputs_unchanged(fn, *indices())
