"""Checks of `nf4`: value by value in loops; bytes that are really saved; no table of distances."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch

from grader.kit import (
    assert_close,
    assert_equal,
    assert_fits,
    assert_inputs_unchanged,
    assert_true,
)
from grader.kit.measured import anywhere
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device, assert_scenario_keeps_device
from grader.kit.rules.turns import Player, assert_by_turns

LEVELS = [
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635),
    *(-0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725),
    *(0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941),
    *(0.7229568362236023, 1.0),
]
SIZES = [((48,), 16), ((3, 7), 4), ((2, 3, 5), 7), ((5,), 8), ((1, 1), 3), ((), 2), ((9,), 1)]
SIZES += [((5, 139), 5)]  # of 139 blocks
LADDER = [(2, 2), (4, 2), (5, 2), (7, 3)]

sizes = pytest.mark.parametrize("shape, block_size", SIZES)


def workload(submission, rng):
    return submission.quantize_nf4.measure(rng.normal(64, 256))


def smallest(submission, rng, count, block_size):
    """small whole numbers give their codes, and come back as levels"""
    weight = rng.integers(-3, 4, count).double()
    assert_quantized(submission.quantize_nf4(weight, block_size), weight, block_size)
    packed, absmax = quantized(weight, block_size)
    came = submission.dequantize_nf4(packed, absmax, (count,), block_size)
    assert_close(came, dequantized(weight, block_size))


# What is compared with


def coded(weight, block_size):
    """(codes, absmax): lists, value by value."""
    values, codes, largest = weight.reshape(-1).tolist(), [], []
    for start in range(0, len(values), block_size):
        block = values[start : start + block_size]
        largest.append(max(map(abs, block)))
        ratios = [value / (largest[-1] or 1.0) for value in block]
        codes += np.abs(np.subtract.outer(ratios, LEVELS)).argmin(axis=1).tolist()
    return codes, largest


def quantized(weight, block_size=64, spare=0):
    """(packed, absmax); `spare` is what the free bits of an odd last byte hold."""
    codes, largest = coded(weight, block_size)
    codes += [spare] * (len(codes) % 2)
    packed = [16 * high + low for high, low in zip(codes[::2], codes[1::2], strict=True)]
    return torch.tensor(packed, dtype=torch.uint8), torch.tensor(largest, dtype=weight.dtype)


def dequantized(weight, block_size=64):
    """What comes back."""
    codes, largest = coded(weight, block_size)
    values = [LEVELS[code] * largest[place // block_size] for place, code in enumerate(codes)]
    return torch.tensor(values, dtype=weight.dtype).reshape(weight.shape)


def draw(rng, *shape, block_size=64, dtype=torch.float64):
    """Normal values, in blocks of different sizes, moved where rounding decides nothing."""
    flat = rng.normal(math.prod(shape), dtype=dtype)
    for block in flat.split(block_size):
        block *= rng.uniform(1, low=0.2, high=5.0, dtype=dtype)
    return clear(flat, block_size).reshape(shape)


def clear(flat, block_size):
    """The same, a hundredth further from 0 where a value is near to the middle between two levels."""
    levels, flat = torch.tensor(LEVELS, dtype=flat.dtype), flat.clone()
    middles = (levels[1:] + levels[:-1]) / 2
    for block in flat.split(block_size):
        near = ((block / block.abs().max())[:, None] - middles).abs().amin(dim=1) < 2e-3
        block += 0.01 * block.abs().max() * near
    return flat


def assert_quantized(came, weight, block_size=64):
    """The free bits of an odd last byte count as 0."""
    is_pair = isinstance(came, tuple | list)
    if weight.numel() % 2 and is_pair and getattr(came[0], "dtype", None) == torch.uint8:
        packed = came[0].clone()
        packed[-1:] &= 240
        came = (packed, came[1])
    assert_close(came, quantized(weight, block_size))


def any_sizes(rng, *given):
    """Those given, and in the second round some more: a shape and a block_size."""
    yield given
    if is_second_round():
        for block_size in (rng.option(8, 1, 40), rng.option(128, 32, 600)):
            yield (3, rng.option(50, 1, 400)), block_size


# quantize_nf4


@sizes
def test_quantize(submission, rng, shape, block_size):
    """values in row-major order have the nearest level's number, the first of two in the high bits"""
    for whole, size in any_sizes(rng, shape, block_size):
        weight = draw(rng, *whole, block_size=size)
        assert_quantized(submission.quantize_nf4(weight, size), weight, size)


def test_all_levels(submission):
    """each of the 16 levels has its own code, and what lies on either side of a middle the nearer one's"""
    middles = [(one + other) / 2 for one, other in pairwise(LEVELS)]
    values = sorted([*LEVELS, *(middle - 2e-4 for middle in middles), *(middle + 2e-4 for middle in middles)])
    weight = 3.0 * torch.tensor(values, dtype=torch.float64)
    assert_quantized(submission.quantize_nf4(weight), weight)


def test_default_of_block_size(submission, rng):
    """block_size is 64 by default, in both directions"""
    weight = draw(rng, 3, 50)
    assert_quantized(submission.quantize_nf4(weight), weight)
    assert_close(submission.dequantize_nf4(*quantized(weight), (3, 50)), dequantized(weight))


def test_sign_of_the_largest(submission, rng):
    """absmax counts without sign: a block whose largest value is negative has it at code 0"""
    weight = torch.cat([rng.uniform(3, 10, low=-0.6, high=0.5), torch.full((3, 1), -1.0).double()], dim=1)
    weight = clear(weight.flatten(), 11)
    assert_quantized(submission.quantize_nf4(weight, 11), weight, 11)


def test_blocks_of_zeros(submission, rng):
    """a block of zeros has absmax 0 and the code 7, also beside others, and comes back as zeros"""
    weight = draw(rng, 4, 6, block_size=6)
    weight[1::2] = 0.0
    assert_quantized(submission.quantize_nf4(weight, 6), weight, 6)
    assert_close(submission.dequantize_nf4(*quantized(weight, 6), (4, 6), 6), dequantized(weight, 6))


@pytest.mark.parametrize(
    "size, dtype",
    [(1e-9, torch.float64), (1e-30, torch.float64), (1e-310, torch.float64), (1e-40, torch.float32)],
)
def test_small_values(submission, rng, size, dtype):
    """blocks of small values are as fine as others: nothing is added to absmax, and it has no least value"""
    weight = size * draw(rng, 5, 6, block_size=6, dtype=dtype)
    packed, absmax = submission.quantize_nf4(weight, 6)
    expected = quantized(weight, 6)
    assert_equal(packed, expected[0], what="packed")
    assert_close(absmax / expected[1], torch.ones(5, dtype=dtype), what="absmax / expected absmax")


def test_row_major_order(submission, rng):
    """the order is that of the indices, whatever the strides are"""
    weight = draw(rng, 3, 4, 5, block_size=7)
    other = weight.permute(2, 0, 1).contiguous().permute(1, 2, 0)
    assert_quantized(submission.quantize_nf4(other, 7), weight, 7)
    row = draw(rng, 6, block_size=6)
    assert_quantized(submission.quantize_nf4(row.expand(3, 6), 6), row.repeat(3, 1), 6)


def test_float32_is_kept(submission, rng):
    """float32 gives a float32 absmax and a float32 weight"""
    size, columns = rng.option(4, 1, 300), rng.option(7, 1, 300)
    weight = draw(rng, 3, columns, block_size=size, dtype=torch.float32)
    assert_quantized(submission.quantize_nf4(weight, size), weight, size)
    came = submission.dequantize_nf4(*quantized(weight, size), (3, columns), size)
    assert_close(came, dequantized(weight, size))


def test_bytes(submission, rng):
    """packed has memory for ceil(n / 2) bytes, not a view of more"""
    for n, block_size in ((1999, 64), (1026, 1024)):
        came, codes = submission.run(stored, draw(rng, n, block_size=block_size), block_size), (n + 1) // 2
        few = came <= codes + 64
        assert_true(few, f"packed keeps {came} bytes in memory, where {codes} hold all codes", seen=few)


def stored(answer, weight, block_size):
    return answer.quantize_nf4(weight, block_size)[0].untyped_storage().nbytes()


def test_no_table_of_distances(submission, rng):
    """no operation of quantize_nf4 makes a tensor of more than 2 n elements"""
    cause = "Usual causes are the distances of each value to all 16 levels, or a comparison with all middles"
    several = [((8, 64), 64), ((512,), 512)]  # of the latter one block is everything
    for shape, block_size in several + [((8, 64), 4)] * is_second_round():
        weight = draw(rng, *shape, block_size=block_size)
        with anywhere():
            measured = submission.quantize_nf4.measure(weight, block_size)
        assert_quantized(measured.value, weight, block_size)
        few = measured.largest_tensor <= 2 * weight.numel()
        message = f"a tensor of {measured.largest_tensor:,} elements is made for a weight of {weight.numel()}"
        assert_true(few, f"{message}: at most {2 * weight.numel():,} are allowed. {cause}", seen=few)
    block = draw(rng, 64, dtype=torch.float32)
    args, memory = (block, 2**13), 60 * 2**20
    assert_fits(submission, of_many, *args, expected=lambda: expected_of_many(*args), memory=memory)


def of_many(answer, block, count):
    packed, absmax = answer.quantize_nf4(block.repeat(count))
    return packed[:32].clone(), packed[-32:].clone(), absmax[-3:].clone(), len(packed)


def expected_of_many(block, count):
    packed, absmax = quantized(block)
    return packed, packed, absmax.repeat(3), 32 * count


# dequantize_nf4


@sizes
def test_dequantize(submission, rng, shape, block_size):
    """each code gives its level times its block's absmax, in the shape asked for"""
    for whole, size in any_sizes(rng, shape, block_size):
        weight = draw(rng, *whole, block_size=size)
        came = submission.dequantize_nf4(*quantized(weight, size, spare=11), whole, size)
        assert_close(came, dequantized(weight, size))


# Whoever cuts each row of (3, 7) into blocks has as many as there are, and comes to values first.
@pytest.mark.parametrize("shape", [[3, 7], [3, 5], torch.Size([5, 3])])
def test_kinds_of_shapes(submission, rng, shape):
    """shape may be a list or a torch.Size as well as a tuple"""
    weight = draw(rng, *shape, block_size=4)
    came = submission.run(as_given, *quantized(weight, 4), list(shape), isinstance(shape, list))
    assert_close(came, dequantized(weight, 4))


def as_given(answer, packed, absmax, shape, is_list):
    return answer.dequantize_nf4(packed, absmax, shape if is_list else torch.Size(shape), 4)


def test_largest_comes_back(submission, rng):
    """quantized and back, the largest value of a block is what it was, with its sign"""
    weight = draw(rng, 5, 16, block_size=16)
    weight[::2] *= -1
    weight = clear(weight.flatten(), 16)
    came = submission.dequantize_nf4(*submission.quantize_nf4(weight, 16), (5, 16), 16)
    places = weight.view(5, 16).abs().argmax(dim=1, keepdim=True)
    assert_equal(came.gather(1, places), weight.view(5, 16).gather(1, places))


def test_quantized_again(submission, rng):
    """what comes back has the same codes and absmax when it is quantized again"""
    weight = draw(rng, 3, 17, block_size=6)
    first = submission.quantize_nf4(weight, 6)
    came = submission.quantize_nf4(submission.dequantize_nf4(*first, (3, 17), 6), 6)
    assert_quantized(came, weight, 6)


# Both


def test_calls_are_independent(submission, rng):
    """a call depends on nothing of a call before: other sizes, other dtypes"""
    weights = [draw(rng, 3, 8, block_size=4, dtype=dtype) for dtype in (torch.float64, torch.float32)]
    back = [(*quantized(weight, 4), (3, 8), 4) for weight in weights]
    assert_by_turns(
        Player(submission.quantize_nf4, quantized, [(weight, 4) for weight in weights]),
        Player(
            submission.dequantize_nf4,
            lambda *args: dequantized(weights[args[1].dtype.itemsize == 4], 4),
            back,
        ),
    )


def test_inputs_are_not_modified(submission, rng):
    """weight, packed and absmax are not modified"""
    weight = draw(rng, 4, 8, block_size=8)
    weight[1] = 0.0
    assert_inputs_unchanged(submission.quantize_nf4, weight, 8)
    assert_inputs_unchanged(submission.dequantize_nf4, *quantized(weight, 8), (4, 8), 8)


def test_device(submission, rng):
    """results are on the device of the arguments where the default device is another one"""
    weight = draw(rng, 3, 7, block_size=4)
    assert_scenario_keeps_device(submission, both, weight)
    assert_keeps_device(submission, "dequantize_nf4", *quantized(weight, 4), (3, 7), 4)


def both(answer, weight):
    return list(answer.quantize_nf4(weight, 4))
