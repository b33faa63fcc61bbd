"""Checks of `yarn`: linear, NTK-aware and YaRN frequencies with both ramps, the temperature, the tables."""

import math
from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from grader.kit import assert_close, assert_inputs_unchanged, assert_numbers, assert_raises, assert_true
from grader.kit.comparison import difference
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device, assert_moves, assert_on_default_device
from grader.kit.rules.devices import with_float64_as_default as under_float64
from grader.kit.rules.turns import Player, assert_by_turns

EACH = 1e-5  # of each frequency, of a table's entry at positions below 64
LARGE = 1e-2  # float32 angles of some ten thousand


class Tables(NamedTuple):
    cos: Tensor
    sin: Tensor


def workload(submission, rng):
    return submission.yarn_cos_sin.measure(torch.arange(64), 32, 4.0, 4096)


LADDER = [(1, 4, 2.0), (2, 4, 2.0), (2, 4, 4.0), (2, 6, 4.0)]


def smallest(submission, rng, seq, head_dim, factor):
    """short tables and few pairs give what the formulas give"""
    assert_frequencies(submission.linear_frequencies(head_dim, factor), linear(head_dim, factor))
    assert_frequencies(submission.ntk_frequencies(head_dim, factor), ntk(head_dim, factor))
    for ramp in ("index", "rotations"):
        came = submission.yarn_frequencies(head_dim, factor, 4096, ramp=ramp)
        assert_frequencies(came, yarn(head_dim, factor, 4096, ramp=ramp))
    assert_numbers({"factor": submission.attention_factor(factor)}, {"factor": 1 + 0.1 * math.log(factor)})
    positions = torch.arange(seq)
    came = submission.yarn_cos_sin(positions, head_dim, factor, 4096)
    assert_close(came, tables(positions, head_dim, factor, 4096), absolute=EACH)


def theta(head_dim, base=10000.0):
    return [math.exp(-2 * i / head_dim * math.log(base)) for i in range(head_dim // 2)]


def linear(head_dim, factor, base=10000.0):
    return torch.tensor([each / factor for each in theta(head_dim, base)], dtype=torch.float64)


def ntk(head_dim, factor, base=10000.0):
    """theta_i divided by a power of factor that grows from 0 for the first pair to 1 for the last."""
    last = head_dim // 2 - 1
    slower = [each / factor ** (i / last) for i, each in enumerate(theta(head_dim, base))]
    return torch.tensor(slower, dtype=torch.float64)


def yarn(head_dim, factor, original_len, base=10000.0, beta_fast=32.0, beta_slow=1.0, ramp="index"):
    """Pair by pair, in Python's numbers."""
    mixed = []
    for i, each in enumerate(theta(head_dim, base)):
        if ramp == "rotations":
            stretched = 1 - (original_len * each / math.tau - beta_slow) / (beta_fast - beta_slow)
        else:
            low = math.floor(head_dim / 2 * math.log(original_len / math.tau / beta_fast, base))
            high = math.ceil(head_dim / 2 * math.log(original_len / math.tau / beta_slow, base))
            stretched = (i - low) / (high - low)
        stretched = min(max(stretched, 0.0), 1.0)
        mixed.append(each - stretched * (each - each / factor))
    return torch.tensor(mixed, dtype=torch.float64)


def tables(positions, head_dim, factor, original_len, base=10000.0, ramp="index"):
    frequencies = yarn(head_dim, factor, original_len, base, ramp=ramp)
    length = 1 + 0.1 * math.log(factor) if factor > 1 else 1.0
    angles = positions.double().outer(frequencies)
    turns = torch.polar(torch.full_like(angles, length), angles).repeat(1, 2)
    return Tables(turns.real.float(), turns.imag.float())


def assert_frequencies(came, expected):
    """The slowest count like the fastest: each is compared with itself."""
    assert_close(came, expected.float(), tolerance=EACH)
    # Only whether they are right is recorded: rounding tells two answers with the same mistake apart here.
    ratios = came.double() / expected
    wrong = difference(ratios, torch.ones_like(ratios), absolute=EACH)
    assert_true(wrong is None, f"each divided by what it should be: {wrong}")


def drawn(rng, count):
    """In the second round so many settings (head_dim, factor, original_len, base) that are asked."""
    settings = []  # with (original_len / 2 pi)^(head_dim / 2) below e^690, a float
    while is_second_round() and len(settings) < count:
        head_dims = (64, 80, 96, 128, 192, 256, *(2 * rng.option(7, 2, 128) for _ in range(6)))
        factors = (2.0, 6, 8.0, 12.0, 24, 32.0, *(rng.option(4.0, 1.1, 64.0) for _ in range(6)))
        head_dim, factor = (each[int(rng.integers(0, 12, 1))] for each in (head_dims, factors))
        length, base = rng.option(4096, 300, 131072), rng.option(1e4, 100.0, 1e6)
        ends = [head_dim / 2 * math.log(length / math.tau / beta, base) for beta in (32, 1)]
        if all(0 < x < min(head_dim - 1, 690 / math.log(base)) and 1e-4 < x % 1 < 0.9999 for x in ends):
            settings.append((head_dim, factor, length, base))
    return settings


@pytest.mark.parametrize("head_dim, factor, base", [(4, 2.5, 10000.0), (14, 4, 500000.0), (128, 32.0, 100.0)])
def test_linear_frequencies(submission, rng, head_dim, factor, base):
    """linear_frequencies gives theta_i / factor, in float32"""
    for given in ((head_dim, factor, base), *((*size, base) for *size, _, base in drawn(rng, 3))):
        assert_frequencies(submission.linear_frequencies(*given), linear(*given))


@pytest.mark.parametrize("head_dim, factor, base", [(4, 2.5, 10000.0), (14, 4, 500000.0), (128, 32.0, 100.0)])
def test_ntk_frequencies(submission, rng, head_dim, factor, base):
    """ntk_frequencies is plain RoPE with the base times factor^(head_dim / (head_dim - 2)), in float32"""
    for given in ((head_dim, factor, base), *((*size, base) for *size, _, base in drawn(rng, 3))):
        assert_frequencies(submission.ntk_frequencies(*given), ntk(*given))


SETTINGS = [
    (128, 4.0, 4096, 10000.0),
    (64, 40, 8192, 500000.0),
    (14, 2.5, 1024, 3000.0),
    (6, 8.0, 300, 10000.0),
    (16, 3.0, 32768, 100.0),  # `high` is 15, beyond the last pair
    (4, 16.0, 131072, 1000000.0),
    (16, 3.0, 4096, 100.0),  # `low` is 5, `high` 12: the last pair is in the middle of the ramp
]
RAMPS = pytest.mark.parametrize("ramp", ["index", "rotations"])


@pytest.mark.parametrize("head_dim, factor, original_len, base", SETTINGS)
def test_ramp_over_the_index(submission, rng, head_dim, factor, original_len, base):
    """ramp "index" mixes theta_i and theta_i / factor by the pair's place between low and high"""
    for given in ((head_dim, factor, original_len, base), *drawn(rng, 4)):
        setting = *given, 32.0, 1.0, "index"
        assert_frequencies(submission.yarn_frequencies(*setting), yarn(*setting))


@pytest.mark.parametrize("head_dim, factor, original_len, base", SETTINGS[::2])
def test_ramp_over_the_rotations(submission, rng, head_dim, factor, original_len, base):
    """ramp "rotations" mixes theta_i and theta_i / factor by the pair's turns over the original length"""
    for given in ((head_dim, factor, original_len, base), *drawn(rng, 4)):
        setting = *given, 32.0, 1.0, "rotations"
        assert_frequencies(submission.yarn_frequencies(*setting), yarn(*setting))


@pytest.mark.parametrize(
    "beta_fast, beta_slow, ramp", [(4.0, 1.0, "rotations"), (64, 3, "rotations"), (20.0, 0.5, "index")]
)
def test_betas(submission, rng, beta_fast, beta_slow, ramp):
    """beta_fast and beta_slow bound the ramp"""
    others = [(rng.option(32.0, 12.0, 128.0), rng.option(1.0, 0.1, 3.0)) for _ in range(3)]
    for betas in [(beta_fast, beta_slow)] + others * is_second_round():
        setting = 34, 8.0, 8192, 500000.0, *betas, ramp
        assert_frequencies(submission.yarn_frequencies(*setting), yarn(*setting))


def test_defaults(submission):
    """base is 10000, beta_fast 32, beta_slow 1 and ramp "index" by default"""
    assert_frequencies(submission.linear_frequencies(10, 2.0), linear(10, 2.0))
    assert_frequencies(submission.ntk_frequencies(10, 2.0), ntk(10, 2.0))
    assert_frequencies(submission.yarn_frequencies(34, 2.0, 2048), yarn(34, 2.0, 2048))
    positions = torch.arange(7)
    came = submission.yarn_cos_sin(positions, 34, 2.0, 2048)
    assert_close(came, tables(positions, 34, 2.0, 2048), absolute=EACH)


def test_factor_one_is_plain_rope(submission):
    """a factor of 1 leaves plain RoPE: frequencies and tables"""
    plain, positions = linear(14, 1.0, 500.0), torch.arange(11)
    assert_frequencies(submission.ntk_frequencies(14, 1.0, 500.0), plain)
    for ramp in ("index", "rotations"):
        assert_frequencies(submission.yarn_frequencies(14, 1, 1024, 500.0, ramp=ramp), plain)
    came = submission.yarn_cos_sin(positions, 14, 1, 1024, 500.0)
    assert_close(came, tables(positions, 14, 1, 1024, 500.0), absolute=EACH)


@pytest.mark.parametrize("factor, ramp", [(2.0, "linear"), (1.0, "linear"), (2.0, "Index")])
def test_another_ramp_raises(submission, factor, ramp):
    """another ramp raises ValueError, in yarn_frequencies and in yarn_cos_sin, for any factor"""
    assert_raises(submission.yarn_frequencies, 34, factor, 2048, ramp=ramp)
    for other in ["", *["rotation", "rotations ", "indexed", "in"] * is_second_round()]:
        assert_raises(submission.yarn_frequencies, 34, factor, 2048, ramp=other)
    assert_raises(submission.yarn_cos_sin, torch.arange(3), 34, factor, 2048, ramp=ramp)


def test_attention_factor(submission, rng):
    """attention_factor is 0.1 ln(factor) + 1"""
    factors = [rng.option(4, 2, 1000), rng.option(40.0, 1.001, 1000.0)]
    came = {f"attention_factor({each})": submission.attention_factor(each) for each in factors}
    expected = [1 + math.log10(each) / math.log10(math.e) / 10 for each in factors]
    assert_true(are_numbers(came), "attention_factor has to give a Python number", seen=are_numbers(came))
    assert_numbers(came, dict(zip(came, expected, strict=True)))


def test_attention_factor_of_at_most_one(submission, rng):
    """attention_factor is 1 for a factor of at most 1"""
    factors = [1, rng.option(0.5, 0.001, 1.0)]
    came = {f"attention_factor({each})": submission.attention_factor(each) for each in factors}
    assert_true(are_numbers(came), "attention_factor has to give a Python number", seen=are_numbers(came))
    assert_numbers(came, dict.fromkeys(came, 1.0))


def are_numbers(came):
    return all(isinstance(each, int | float) for each in came.values())


@pytest.mark.parametrize(
    "head_dim, factor, original_len, base, ramp",
    [
        (*SETTINGS[1], "index"),
        (*SETTINGS[2], "rotations"),
        (*SETTINGS[3], "index"),
        (*SETTINGS[5], "rotations"),
    ],
)
def test_tables(submission, rng, head_dim, factor, original_len, base, ramp):
    """cos and sin are those of YaRN's angles, twice side by side, each times attention_factor, in float32"""
    positions = rng.permutation(64)[:9]
    others = [(positions // 3, *setting, ramp) for setting in drawn(rng, 3)]
    for case in ((positions, head_dim, factor, original_len, base, ramp), *others):
        assert_close(submission.yarn_cos_sin(*case), tables(*case), absolute=EACH)


def test_positions_in_any_order(submission):
    """positions may be single, shuffled, repeated, with gaps and not contiguous"""
    for positions in ([13], [5, 3, 5, 0, 17, 3, 4, 63, 18, 1, 1]):
        positions = torch.tensor(positions).repeat_interleave(2)[::2]
        came = submission.yarn_cos_sin(positions, 34, 4.0, 2048)
        assert_close(came, tables(positions, 34, 4.0, 2048), absolute=EACH)


@pytest.mark.parametrize("factor, original_len", [(8.0, 4096), (2.5, 300), (1, 32768)])
def test_large_positions(submission, rng, factor, original_len):
    """positions up to 32767 are told apart, beyond factor * original_len too"""
    positions = torch.cat([torch.tensor([32767, 257, 2049]), rng.integers(256, 32768, 61)])
    came = submission.yarn_cos_sin(positions, 34, factor, original_len)
    # As in assert_frequencies, only whether they are right is recorded.
    wrong = difference(came, tables(positions, 34, factor, original_len), absolute=LARGE)
    assert_true(wrong is None, f"{wrong}")


def test_default_dtype_does_not_matter(submission):
    """frequencies and tables are float32 under another default dtype too"""
    for base in (3000.0,) if is_second_round() else (10000.0,):
        came = [under_float64(submission, f"{name}_frequencies", 14, 2.0, base) for name in ("linear", "ntk")]
        assert_frequencies(came[0], linear(14, 2.0, base))
        assert_frequencies(came[1], ntk(14, 2.0, base))
    for given in ((34, 2.0, 2048), (34, 2.0, 2048, 3000.0, 20.0, 0.5, "rotations")):
        assert_frequencies(under_float64(submission, "yarn_frequencies", *given), yarn(*given))
    for given in ((34, 2.0, 2048), (34, 2.0, 2048, 3000.0, "rotations"))[: 2 if is_second_round() else 1]:
        came = under_float64(submission, "yarn_cos_sin", torch.arange(5), *given)
        assert_close(came, tables(torch.arange(5), *given), absolute=EACH)


@RAMPS
def test_device(submission, ramp):
    """the tables are on the device of positions, whatever the default one is"""
    positions = torch.arange(5)
    assert_keeps_device(submission, "yarn_cos_sin", positions, 34, 2.0, 2048, 10000.0, ramp)
    assert_moves(submission, "yarn_cos_sin", positions, 34, 2.0, 2048, 10000.0, ramp)


def test_default_device(submission):
    """frequencies are on the default device"""
    more = [3000.0, 20.0, 0.5, "rotations"] if is_second_round() else []
    assert_on_default_device(submission, "yarn_frequencies", 34, 2.0, 2048, *more)
    for name in ("linear_frequencies", "ntk_frequencies"):
        assert_on_default_device(submission, name, 14, 2.0, 3000.0 if is_second_round() else 10000.0)


def test_positions_are_not_modified(submission, rng):
    """yarn_cos_sin does not modify positions"""
    more = [3000.0, "rotations"] if is_second_round() else []
    assert_inputs_unchanged(submission.yarn_cos_sin, rng.permutation(7), 34, 2.0, 2048, *more)


def test_calls_are_independent(submission, rng):
    """a call takes its own arguments, not those of a call before"""
    of_yarn = [
        (14, 2.0, 1024, 10000.0, 32.0, 1.0, "index"),
        (14, 2.0, 1024, 10000.0, 32.0, 1.0, "rotations"),
        (14, 4.0, 8192, 10000.0, 32.0, 1.0, "rotations"),
        (14, 4.0, 8192, 10000.0, 20.0, 1.0, "rotations"),
        (14, 4.0, 8192, 10000.0, 20.0, 0.5, "rotations"),
    ]
    of_tables = [
        (rng.permutation(64)[:5], *setting) for setting in ((14, 2.0, 1024), (14, 4.0, 1024), (14, 4.0, 8192))
    ]
    of_both = [(22, 2.0, 500.0), (22, 4.0, 500.0)]
    assert_by_turns(
        Player(submission.linear_frequencies, lambda *given: linear(*given).float(), of_both),
        Player(submission.ntk_frequencies, lambda *given: ntk(*given).float(), of_both),
        Player(submission.yarn_frequencies, lambda *given: yarn(*given).float(), of_yarn),
        Player(submission.yarn_cos_sin, tables, of_tables),
        tolerance=EACH,
    )
