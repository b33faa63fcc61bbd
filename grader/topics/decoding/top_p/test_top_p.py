"""Checks of `top_p`: the nucleus against loops, the draws against the exact distribution."""

from dataclasses import replace

import pytest
import torch

from grader.kit import assert_arguments_unchanged, assert_raises
from grader.kit.families.leading_dimensions import of_many_dimensions
from grader.kit.families.sampling.checks import (
    assert_drawn_from_large_vocabulary,
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
from grader.kit.rules.turns import Player, assert_by_turns

INF = float("inf")
DRAWS = 5000  # few enough for an answer that draws row by row


def workload(submission, rng):
    measured = submission.sample_top_p.measure(rng.normal(16, 1000), 0.9)
    return replace(measured, value=None)  # what is drawn is each answer's own


LADDER = [(1, 3, 0.5), (1, 4, 0.8), (2, 4, 0.95), (2, 5, 0.98)]


def smallest(submission, rng, rows, vocab, p):
    """small whole numbers give what the formula gives"""
    logits = torch.stack([rng.permutation(vocab) for _ in range(rows)]).double()
    assert_filtered(submission.top_p_filter(logits, p), filtered(logits, p))


def nucleus(row, p):
    """The oracle for one row: walks down the sorted probabilities and keeps tokens until they reach p."""
    probabilities = row.double().softmax(-1)
    kept, reached = torch.full_like(row, -INF), 0.0
    for token in row.argsort(descending=True).tolist():
        if reached < p or p == 1:
            kept[token] = row[token]
        reached += float(probabilities[token])
    return kept


def filtered(logits, p):
    return row_by_row(nucleus, logits, p)


def drawn(rng, logits):
    """A p of any size, or any size below 1, that no sum of probabilities is near."""
    sums, p = logits.double().softmax(-1).sort(-1, descending=True).values.cumsum(-1), 1.0
    while ((sums - p).abs() < 1e-5).any():
        p = rng.option(0.8, 0.01, 0.99)
        p = p if rng.integers(0, 2, 1) else 1 - p
    return p


def distribution(row, p, temperature=1.0):
    return nucleus(row.double() / temperature, p).softmax(-1)


@pytest.mark.parametrize("shape, p", [((13,), 0.8), ((5, 11), 0.5), ((2, 3, 7), 0.9)])
def test_keeps_the_most_probable_tokens(submission, rng, shape, p):
    """keeps the fewest most probable tokens that reach p, in every row, also of transposed logits; the others
    are -inf
    """
    shape = of_many_dimensions(rng, shape)
    logits = rng.normal(*shape, scale=1.5)
    if len(shape) == 2:
        logits = logits.T.contiguous().T
    assert_filtered(submission.top_p_filter(logits, p), filtered(logits, p))
    for other in [drawn(rng, logits) for _ in range(3)] if is_second_round() else ():
        assert_filtered(submission.top_p_filter(logits, other), filtered(logits, other))


@pytest.mark.parametrize("p, kept", [(0.4, 1), (0.6, 2), (0.9, 3), (0.97, 4)])
def test_the_crossing_token_is_kept(submission, p, kept):
    """of the probabilities 0.5, 0.3, 0.15, 0.05 the one that crosses p is kept"""
    logits = logits_of(0.15, 0.5, 0.05, 0.3)
    allowed = torch.tensor([3, 1, 4, 2]) <= kept  # by rank
    assert_filtered(submission.top_p_filter(logits, p), logits.masked_fill(~allowed, -INF))


@pytest.mark.parametrize("rest", [1e-2, 1e-4])
def test_p_near_one(submission, rest):
    """a p just below 1 still removes the tokens behind the one that crosses it"""
    logits = logits_of(0.12 * rest, 0.7, 0.08 * rest, 0.3 - rest, 0.8 * rest)
    allowed = torch.tensor([False, True, False, True, True])
    assert_filtered(submission.top_p_filter(logits, 1 - rest / 2), logits.masked_fill(~allowed, -INF))


def test_one_token_at_least(submission, rng):
    """the most probable token of each row is kept, however small p is"""
    logits = rng.normal(5, 7)
    assert_filtered(submission.top_p_filter(logits, 1e-6), filtered(logits, 1e-6))
    logits = far_apart(rng, 5, 7)  # the first one's probability is 1, and so is 1 - p, rounded
    assert_filtered(submission.top_p_filter(logits, 1e-20), filtered(logits, 1e-20))


def test_p_of_one_keeps_all(submission, rng):
    """p = 1 keeps all tokens, also those that add nothing to a rounded sum"""
    # The first five probabilities add up to a little more than 1, in float32 and in float64.
    most = torch.tensor([72.0, 78.0, 96.0, 64.0, 26.0]).log()
    row = torch.cat([most, torch.tensor([-47.0, -40.0, -43.0]), torch.linspace(-60.0, -48.0, 23)])
    logits = torch.cat([row[None], rng.uniform(5, 31, low=-60.0, high=0.0, dtype=torch.float32)])
    assert_filtered(submission.top_p_filter(logits, 1.0), logits, tolerance=0.0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_p_of_one_keeps_what_underflows(submission, rng, dtype):
    """p = 1 keeps tokens whose probability underflows to 0"""
    # So far that it does in float64 as well, whatever dtype an answer computes in; and the first token has
    # exactly 1, in any order of summation.
    logits = rng.normal(3, 7, dtype=dtype) + torch.tensor([60.0, 0, 0, 0, 0, -1000.0, -1000.0], dtype=dtype)
    assert_filtered(submission.top_p_filter(logits, 1.0), logits, tolerance=0.0)


@pytest.mark.parametrize("p", [0.0, -0.1, 1.01])
def test_p_outside_raises(submission, rng, p):
    """p outside (0, 1] raises a ValueError"""
    assert_raises(submission.top_p_filter, rng.normal(2, 7), p)


def test_rows_are_filtered_on_their_own(submission, rng):
    """a sharp row keeps few tokens and a flat one many, in one call, one of near ties is kept, and logits
    around 1e4 and -1e4 are filtered like any others
    """
    logits = rng.normal(1, 11) * torch.tensor([[8.0], [0.2], [1.0], [-1.0], [3.0]])
    rest = [0.001 * each for each in range(1, 9)]
    large = rng.normal(3, 11) + torch.tensor([[1e4], [-1e4], [1e3]])
    logits = torch.cat([logits, logits_of(*rest, 0.22, 0.522, 0.22 * (1 - 1e-10))[None], large])
    assert_filtered(submission.top_p_filter(logits, 0.7), filtered(logits, 0.7), tolerance=1e-9)


def test_float32_stays(submission, rng):
    """float32 logits give float32 logits"""
    logits = rng.normal(2, 3, 11, dtype=torch.float32)
    for p in (0.8, *([drawn(rng, logits)] if is_second_round() else ())):
        assert_filtered(submission.top_p_filter(logits, p), filtered(logits, p))


def half_way(logits, kept):
    """The p between the sums of one token less and of so many, the most probable first."""
    return float(logits.softmax(-1).cumsum(0)[kept - 2 : kept].mean())


def test_large_vocabularies(submission, rng):
    """of some thousand tokens exactly the right ones are kept"""
    assert_large_vocabulary(submission.top_p_filter, half_way, rng)


def test_draws_from_large_vocabularies(submission, rng):
    """of hundreds of tokens each that is kept is drawn with its probability, and no other"""
    assert_drawn_from_large_vocabulary(submission.sample_top_p, half_way, rng)


def test_a_vocabulary_of_one_token(submission, rng):
    """a vocabulary of one token is kept, also as a column of others"""
    logits = rng.normal(11, 5).T
    assert_filtered(submission.top_p_filter(logits[:, :1], 0.8), logits[:, :1])


@pytest.mark.parametrize("p", [0.7, 1.0])
def test_zeros_are_logits_like_others(submission, p):
    """a logit of exactly 0 is kept or removed like any other, and drawn like any other"""
    logits = torch.tensor([[-2.0, 0.0, 1.0, -1.0], [0.0, -1.0, -2.0, -3.0], [3.0, 2.0, 1.0, 0.0]])
    assert_filtered(submission.top_p_filter(logits, p), filtered(logits, p))
    assert_zeros_are_drawn_like_others(submission.sample_top_p, p)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the logits of the calls before it"""
    calls = [(rng.normal(5, 11), p) for p in (0.7, 0.7, 1.0, 1.0)]
    assert_by_turns(Player(submission.top_p_filter, filtered, calls))


@pytest.mark.parametrize("p", [0.6, 1.0])
def test_filter_does_not_modify_logits(submission, rng, p):
    """top_p_filter does not modify logits"""
    assert_arguments_unchanged(submission.top_p_filter, rng.normal(3, 7), p)


@pytest.mark.parametrize(
    "shape, p", [((7,), 1.0), ((5, 11), 1e-6), ((2, 3, 7), 1.0), ((1, 7), 1e-6), ((2, 1, 5), 1e-6)]
)
def test_one_token_for_each_row(submission, rng, shape, p):
    """draws one token for each row, from the row's own tokens, in the shape of the leading dimensions"""
    logits = far_apart(rng, *of_many_dimensions(rng, shape))
    if len(shape) > 2:  # not contiguous
        logits = logits.transpose(0, 1).contiguous().transpose(0, 1)
    assert_most_probable(submission.sample_top_p, logits, p, what="one has nearly all")


@pytest.mark.parametrize("p", [0.8, 1.0])
def test_draws_follow_the_distribution(submission, rng, p):
    """tokens are drawn with the probabilities that are left after the filter, also of large logits"""
    row = logits_of(0.1, 0.4, 0.05, 0.3, 0.15)
    expected = distribution(row, p)
    assert_follows(submission.sample_top_p, row, p, expected, draws=DRAWS, generator=rng.as_generator())
    assert_follows_far_from_zero(submission.sample_top_p, row, p, expected, rng)


@pytest.mark.parametrize("p", [0.65, 1.0])
def test_temperature_comes_before_the_filter(submission, rng, p):
    """a temperature of 2 flattens the distribution before the filter, also of one that keeps all"""
    row = logits_of(0.04, 0.7, 0.06, 0.12, 0.08)
    expected = distribution(row, p, 2.0)
    assert_follows(submission.sample_top_p, row, p, expected, draws=DRAWS, temperature=2.0)
    for most in (1.6, 5.0) if is_second_round() else ():  # with two digits, at none of which a sum meets p
        other = {"temperature": round(rng.option(2.0, 0.5, most), 2)}
        expected = distribution(row, 0.65, **other)
        assert_follows(submission.sample_top_p, row, 0.65, expected, draws=DRAWS, **other)


@pytest.mark.parametrize("temperature", [0.5, 0.01])
def test_low_temperature_sharpens(submission, rng, temperature):
    """a low temperature makes probable tokens more probable, in float32 too, and above 0 tokens are drawn"""
    others = rng.option(temperature, 1e-6, 20.0), rng.option(temperature, 1e-14, 2e-11)
    for at in (temperature, *others)[: 3 if is_second_round() else 1]:
        # So that the division gives the same logits whatever the temperature is.
        row = 2 * at * logits_of(0.07, 0.4, 0.03, 0.3, 0.2, dtype=torch.float32)
        expected = distribution(row, 0.6, at)
        assert_follows(submission.sample_top_p, row, 0.6, expected, draws=DRAWS, temperature=at)


def test_rare_tokens_are_drawn(submission, rng):
    """tokens of a small probability are drawn, too"""
    assert_rare_tokens_are_drawn(submission.sample_top_p, 1.0, rng.as_generator())


def test_rows_are_drawn_independently(submission, rng):
    """rows are drawn independently of each other, each from its own distribution"""
    rows = torch.stack([logits_of(0.1, 0.2, 0.3, 0.4), logits_of(0.45, 0.1, 0.25, 0.2)])
    came = submission.sample_top_p(rows.repeat(DRAWS, 1, 1), 0.85, generator=rng.as_generator())
    assert_rows_independent(token_ids(came, DRAWS, 2), *(distribution(row, 0.85) for row in rows))


@pytest.mark.parametrize("shape, p", [((7,), 0.9), ((2, 3, 7), 1.0)])
def test_temperature_zero_is_argmax(submission, rng, shape, p):
    """temperature 0 gives the most probable token, however small its lead"""
    logits = rng.normal(*shape)
    if len(shape) > 1:  # a lead of 1e-20 over the next, which is 0: their probabilities are the same, rounded
        highest, next_to_it = logits.topk(2, dim=-1).indices.split(1, dim=-1)
        logits = (-logits.abs()).scatter(-1, next_to_it, 0.0).scatter(-1, highest, 1e-20)
    assert_most_probable(submission.sample_top_p, logits, p, temperature=0.0)


def test_temperature_zero_tells_near_ties_apart(submission, rng):
    """temperature 0 gives the most probable token, even if another is nearly as probable"""
    assert_near_ties_told_apart(submission.sample_top_p, 0.9, rng.as_generator(), draws=DRAWS)


def test_negative_temperature_raises(submission, rng):
    """a temperature below 0 raises a ValueError"""
    assert_raises(submission.sample_top_p, rng.normal(2, 7), 0.9, temperature=-0.5)


def test_generator_makes_draws_repeatable(submission, rng):
    """a generator in the same state gives the same tokens, also where all are kept"""
    assert_repeatable(submission.sample_top_p, rng.normal(61, 11), 0.9, 1.0, generator=rng.as_generator())


def test_drawing_moves_the_generator_on(submission, rng):
    """a second draw with the same generator gives other tokens"""
    logits, generator = rng.normal(61, 11), rng.as_generator()
    assert_generator_moves_on(submission, "sample_top_p", logits, 0.9, generator)


def test_global_generator_without_another(submission, rng):
    """without a generator PyTorch's global one is used: torch.manual_seed makes draws repeatable"""
    assert_global_generator_is_used(submission, "sample_top_p", rng.normal(61, 11), 0.9)


@pytest.mark.parametrize("p, temperature", [(0.6, 0.0), (0.6, 2.0), (1.0, 1.0)])
def test_sampler_does_not_modify_logits(submission, rng, p, temperature):
    """sample_top_p does not modify logits, also where there is nothing to divide or to filter"""
    assert_arguments_unchanged(submission.sample_top_p, rng.normal(3, 7), p, temperature=temperature)
    assert_logits_stay(submission.sample_top_p, 0.6, rng)
