"""Checks of `min_p`: the kept tokens against loops, the draws against the exact distribution."""

import math
from dataclasses import replace

import pytest
import torch

from grader.kit import assert_inputs_unchanged, assert_raises, assert_same_gradients, assert_true
from grader.kit.families.leading_dimensions import of_many_dimensions
from grader.kit.families.sampling.checks import (
    assert_filtered,
    assert_follows,
    assert_follows_far_from_zero,
    assert_generator_moves_on,
    assert_global_generator_is_used,
    assert_large_vocabulary,
    assert_logits_stay,
    assert_most_probable,
    assert_near_ties_told_apart,
    assert_rare_tokens_are_drawn,
    assert_repeatable,
    assert_rows_independent,
    assert_zeros_are_drawn_like_others,
    far_apart,
    logits_of,
    row_by_row,
    token_ids,
)
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.turns import Player, assert_by_turns

DRAWS = 5000  # few enough for an answer that draws row by row


def workload(submission, rng):
    measured = submission.sample_min_p.measure(rng.normal(16, 1000), 0.1)
    return replace(measured, value=None)  # what is drawn is each answer's own


LADDER = [(1, 3, 0.5), (1, 4, 0.1), (2, 4, 0.03), (2, 5, 0.01)]


def smallest(submission, rng, rows, vocab, min_p):
    """small whole numbers give what the formula gives"""
    logits = torch.stack([rng.permutation(vocab) for _ in range(rows)]).double()
    assert_filtered(submission.min_p_filter(logits, min_p), filtered(logits, min_p))


def relative(row, min_p):
    """The oracle for one row: a token's odds against the most probable one decide."""
    values = row.tolist()
    odds = [math.exp(value - max(values)) for value in values]
    return row.masked_fill(torch.tensor([share < min_p for share in odds]), -math.inf)


def filtered(logits, min_p):
    return row_by_row(relative, logits, min_p)


def drawn(rng, logits):
    """A min_p of any size, near no token's odds."""
    odds, min_p = (logits - logits.amax(-1, keepdim=True)).double().exp(), 0.0
    while ((odds - min_p).abs() < 1e-4 * odds).any() or not min_p:
        min_p = rng.option(0.3, 1e-3, 0.999)
    return min_p


def distribution(row, min_p, temperature=1.0):
    return relative(row.double() / temperature, min_p).softmax(-1)


@pytest.mark.parametrize("shape, min_p", [((13,), 0.3), ((5, 11), 0.1), ((2, 3, 7), 0.001), ((5, 11), 0.6)])
def test_keeps_what_is_probable_enough(submission, rng, shape, min_p):
    """keeps the tokens with min_p of their row's largest probability or more; the others are -inf"""
    logits = rng.normal(*of_many_dimensions(rng, shape), scale=1.5 if min_p > 0.01 else 5.0)
    logits[..., -1] -= 1000  # its probability rounds to 0
    assert_filtered(submission.min_p_filter(logits, min_p), filtered(logits, min_p))
    for other in [drawn(rng, logits) for _ in range(3)] if is_second_round() else ():
        assert_filtered(submission.min_p_filter(logits, other), filtered(logits, other))


@pytest.mark.parametrize("min_p, kept", [(0.7, 1), (0.55, 2), (0.2, 3), (0.06, 4)])
def test_the_threshold_is_relative(submission, min_p, kept):
    """of the probabilities 0.5, 0.3, 0.15, 0.05 those stay that are at least min_p * 0.5"""
    logits = logits_of(0.15, 0.5, 0.05, 0.3)
    allowed = torch.tensor([3, 1, 4, 2]) <= kept  # by rank
    assert_filtered(submission.min_p_filter(logits, min_p), logits.masked_fill(~allowed, -math.inf))


def test_min_p_of_one_keeps_the_most_probable(submission, rng):
    """min_p = 1 keeps the most probable token of each row and no other"""
    logits = rng.normal(5, 7)
    assert_filtered(submission.min_p_filter(logits, 1.0), filtered(logits, 1.0))
    assert_filtered(submission.min_p_filter(logits, 1), filtered(logits, 1.0))


@pytest.mark.parametrize("dtype, far", [(torch.float32, -150.0), (torch.float64, -1000.0)])
def test_min_p_of_zero_keeps_all(submission, rng, dtype, far):
    """min_p = 0 keeps all tokens, also those whose probability underflows to 0"""
    logits = torch.cat([rng.normal(3, 5, dtype=dtype), rng.normal(3, 2, dtype=dtype) + far], dim=-1)
    assert_filtered(submission.min_p_filter(logits, 0.0), logits, tolerance=0.0)
    assert_filtered(submission.min_p_filter(logits, 0), logits, tolerance=0.0)


@pytest.mark.parametrize("min_p", [-0.1, 1.01, 5.0])
def test_min_p_outside_raises(submission, rng, min_p):
    """min_p outside [0, 1] raises a ValueError"""
    assert_raises(submission.min_p_filter, rng.normal(2, 7), min_p)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("min_p", [-0.1, 1.01])
def test_min_p_outside_raises_in_the_sampler(submission, rng, min_p, temperature):
    """min_p outside [0, 1] raises a ValueError when drawing too, at temperature 0 as well"""
    assert_raises(submission.sample_min_p, rng.normal(2, 7), min_p, temperature=temperature)


def test_rows_are_filtered_on_their_own(submission, rng):
    """a sharp row keeps few tokens and a flat one many, in one call"""
    logits = rng.normal(1, 11) * torch.tensor([[0.2], [8.0], [1.0], [-1.0], [3.0]])
    assert_filtered(submission.min_p_filter(logits, 0.2), filtered(logits, 0.2))


def test_flat_rows(submission, rng):
    """in a row where no token has the probability min_p, those near the largest one stay"""
    logits = rng.normal(3, 53, scale=0.3)
    assert_filtered(submission.min_p_filter(logits, 0.4), filtered(logits, 0.4))


def test_float32_stays(submission, rng):
    """float32 logits give float32 logits"""
    logits = rng.normal(2, 3, 11, dtype=torch.float32)
    for min_p in (0.3, 0.0, *([drawn(rng, logits)] if is_second_round() else ())):
        assert_filtered(submission.min_p_filter(logits, min_p), filtered(logits, min_p))


def test_large_logits(submission, rng):
    """logits around 1e4 and -1e4 are filtered like any others"""
    logits = rng.normal(3, 11) + torch.tensor([[1e4], [-1e4], [1e3]])
    assert_filtered(submission.min_p_filter(logits, 0.3), filtered(logits, 0.3), tolerance=1e-9)


def half_way(logits, kept):
    """The min_p between the last token that is kept and the next, from the most probable down."""
    return float((logits[kept - 1 : kept + 1].mean() - logits[0]).exp())


def test_large_vocabularies(submission, rng):
    """of some thousand tokens exactly the right ones are kept"""
    assert_large_vocabulary(submission.min_p_filter, half_way, rng)


def test_other_layouts(submission, rng):
    """transposed logits and a vocabulary of one token are right"""
    logits = rng.normal(11, 5).T
    assert_filtered(submission.min_p_filter(logits, 0.3), filtered(logits, 0.3))
    assert_filtered(submission.min_p_filter(logits[:, :1], 0.3), logits[:, :1])


@pytest.mark.parametrize("min_p", [0.3, 0.0])
def test_zeros_are_logits_like_others(submission, min_p):
    """a logit of exactly 0 is kept or removed like any other, and drawn like any other"""
    logits = torch.tensor([[-2.0, 0.0, 1.0, -1.0], [0.0, -1.0, -2.0, -3.0], [3.0, 2.0, 1.0, 0.0]])
    assert_filtered(submission.min_p_filter(logits, min_p), filtered(logits, min_p))
    assert_zeros_are_drawn_like_others(submission.sample_min_p, min_p)


@pytest.mark.parametrize("min_p", [0.2, 0.0, 1.0])
def test_gradients(submission, rng, min_p):
    """the gradient of a kept logit is 1, that of another one 0"""
    logits = rng.normal(3, 7)
    removed = filtered(logits, min_p).isneginf()
    oracle = lambda logits, min_p: logits.masked_fill(removed, -math.inf)  # noqa: E731
    assert_same_gradients(submission.min_p_filter, oracle, logits, min_p)


def test_stays_on_the_device(submission, rng):
    """with another default device the result is where the logits are"""
    for min_p in (0.3, 0.0)[: 1 + is_second_round()]:
        assert_keeps_device(submission, "min_p_filter", rng.normal(2, 5), min_p)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the logits of the calls before it"""
    calls = [(rng.normal(5, 11), min_p) for min_p in (0.3, 0.3, 0.0, 0.0)]
    assert_by_turns(Player(submission.min_p_filter, filtered, calls))


def test_filter_does_not_modify_logits(submission, rng):
    """min_p_filter does not modify logits"""
    assert_inputs_unchanged(submission.min_p_filter, rng.normal(3, 7), 0.3)


@pytest.mark.parametrize("shape, min_p", [((7,), 0.0), ((2, 3, 7), 0.0), ((1, 2, 1, 5), 1.0)])
def test_one_token_for_each_row(submission, rng, shape, min_p):
    """draws one token for each row, from the row's own tokens, in the shape of the leading dimensions"""
    logits = far_apart(rng, *of_many_dimensions(rng, shape))
    # What is drawn where nothing is kept is each answer's own matter, and so no evidence.
    assert_filtered(submission.min_p_filter(logits, min_p), filtered(logits, min_p))
    assert_most_probable(submission.sample_min_p, logits, min_p, what="one has nearly all")


@pytest.mark.parametrize("min_p", [0.35, 0.0])
def test_draws_follow_the_distribution(submission, rng, min_p):
    """tokens are drawn with the probabilities that are left after the filter, also of large logits"""
    row = logits_of(0.1, 0.4, 0.05, 0.3, 0.15)
    expected = distribution(row, min_p)
    assert_follows(submission.sample_min_p, row, min_p, expected, draws=DRAWS, generator=rng.as_generator())
    assert_follows_far_from_zero(submission.sample_min_p, row, min_p, expected, rng)


@pytest.mark.parametrize("min_p", [0.3, 0.0])
def test_temperature_comes_before_the_filter(submission, rng, min_p):
    """a temperature of 2 flattens the distribution before the filter, also of one that keeps all"""
    row = logits_of(0.04, 0.7, 0.06, 0.12, 0.08)
    # With two digits, at none of which a token is at the threshold.
    for at in [2.0, *(round(rng.option(2.0, 0.5, most), 2) for most in (1.6, 5.0) if is_second_round())]:
        expected = distribution(row, min_p, at)
        assert_follows(submission.sample_min_p, row, min_p, expected, draws=DRAWS, temperature=at)


@pytest.mark.parametrize("temperature", [0.5, 0.01, 1e-6])
def test_low_temperature_sharpens(submission, rng, temperature):
    """a low temperature makes probable tokens more probable, in float32 too, and above 0 tokens are drawn"""
    others = rng.option(temperature, 1e-6, 20.0), rng.option(temperature, 1e-14, 2e-11)
    for at in (temperature, *others)[: 3 if is_second_round() else 1]:
        # Logits so near to each other that there is something to draw.
        row = 2 * at * logits_of(0.07, 0.4, 0.03, 0.3, 0.2, dtype=torch.float32)
        expected = distribution(row, 0.1, at)
        assert_follows(submission.sample_min_p, row, 0.1, expected, draws=DRAWS, temperature=at)


def test_rare_tokens_are_drawn(submission, rng):
    """tokens of a small probability are drawn, too"""
    assert_rare_tokens_are_drawn(submission.sample_min_p, 0.0, rng.as_generator())


def test_all_kept_tokens_are_drawn(submission, rng):
    """of thousands of tokens that are nearly as probable as each other all are drawn from"""
    ranks = rng.permutation(4099)
    row = ranks.float() * -1e-4
    came = token_ids(submission.sample_min_p(row.repeat(211, 1), 0.5, generator=rng.as_generator()), 211)
    counts = torch.bincount(ranks[came] // 1025, minlength=4)
    # Of the least probable fourth some 43 are expected; 5 and fewer come less than once in a billion times.
    seen = (counts > 5).tolist()
    said = "of the tokens that are kept, the fourths from the most probable down are drawn"
    assert_true(all(seen), f"{said} {counts.tolist()} times in 211 draws, some 50 each should be", seen=seen)


def test_rows_are_drawn_independently(submission, rng):
    """rows are drawn independently of each other, each from its own distribution, also beside a sure one"""
    rows = [logits_of(0.1, 0.2, 0.3, 0.4), logits_of(0.45, 0.1, 0.25, 0.2)]
    batch = torch.stack([logits_of(0.1, 0.7, 0.15, 0.05), *rows]).repeat(DRAWS, 1, 1)
    came = token_ids(submission.sample_min_p(batch, 0.35, generator=rng.as_generator()), DRAWS, 3)
    assert_rows_independent(came[:, 1:], *(distribution(row, 0.35) for row in rows))
    sure = bool((came[:, 0] == 1).all())
    assert_true(sure, "other tokens come than the only one that is left in its row", seen=sure)


@pytest.mark.parametrize("shape, min_p", [((7,), 0.1), ((2, 3, 7), 0.0)])
def test_temperature_zero_is_argmax(submission, rng, shape, min_p):
    """temperature 0 gives the most probable token"""
    assert_most_probable(submission.sample_min_p, rng.normal(*shape), min_p, temperature=0.0)


def test_temperature_zero_tells_near_ties_apart(submission, rng):
    """temperature 0 gives the most probable token, even if another is nearly as probable"""
    assert_near_ties_told_apart(submission.sample_min_p, 0.1, rng.as_generator(), draws=DRAWS)


def test_negative_temperature_raises(submission, rng):
    """a temperature below 0 raises a ValueError"""
    assert_raises(submission.sample_min_p, rng.normal(2, 7), 0.1, temperature=-0.5)


def test_generator_makes_draws_repeatable(submission, rng):
    """a generator in the same state gives the same tokens, also where all are kept"""
    assert_repeatable(submission.sample_min_p, rng.normal(61, 11), 0.1, 0.0, generator=rng.as_generator())


def test_drawing_moves_the_generator_on(submission, rng):
    """a second draw with the same generator gives other tokens"""
    logits, generator = rng.normal(61, 11), rng.as_generator()
    assert_generator_moves_on(submission, "sample_min_p", logits, 0.1, generator)


def test_global_generator_without_another(submission, rng):
    """without a generator PyTorch's global one is used: torch.manual_seed makes draws repeatable"""
    assert_global_generator_is_used(submission, "sample_min_p", rng.normal(61, 11), 0.1)


@pytest.mark.parametrize("temperature", [0.0, 2.0])
def test_sampler_does_not_modify_logits(submission, rng, temperature):
    """sample_min_p does not modify logits"""
    assert_inputs_unchanged(submission.sample_min_p, rng.normal(3, 7), 0.3, temperature=temperature)
    assert_logits_stay(submission.sample_min_p, 0.3, rng)
