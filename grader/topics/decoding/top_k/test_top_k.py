"""Checks of `top_k`: the kept logits against a sorted list, the draws against the exact distribution."""

from dataclasses import replace

import pytest
import torch

from grader.kit import assert_arguments_unchanged, assert_inputs_unchanged, assert_raises, assert_true
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

INF = float("inf")
DRAWS = 2000  # few enough for an answer that draws row by row


def workload(submission, rng):
    measured = submission.sample_top_k.measure(rng.normal(16, 1000), 50)
    return replace(measured, value=None)  # what is drawn is each answer's own


LADDER = [(1, 3, 1), (1, 4, 2), (2, 5, 3)]


def smallest(submission, rng, rows, vocab, k):
    """small whole numbers give what the formula gives"""
    logits = torch.stack([rng.permutation(vocab) for _ in range(rows)]).double()
    assert_filtered(submission.top_k_filter(logits, k), filtered(logits, k))


def largest(row, k):
    """The oracle for one row: keeps the first k of its sorted list."""
    values = row.tolist()
    kept = sorted(range(len(values)), key=values.__getitem__, reverse=True)[:k]
    places = torch.tensor([place in kept for place in range(len(values))])
    return row.masked_fill(~places, -INF)


def filtered(logits, k):
    return row_by_row(largest, logits, k)


def distribution(row, k, temperature=1.0):
    return (largest(row, k).double() / temperature).softmax(-1)


@pytest.mark.parametrize("shape, k", [((13,), 5), ((5, 11), 3), ((2, 3, 7), 2), ((1, 11), 3), ((2, 1, 7), 2)])
def test_keeps_the_largest(submission, rng, shape, k):
    """keeps the k largest logits of every row, also of transposed logits; the others are -inf"""
    shape = of_many_dimensions(rng, shape)
    logits = rng.normal(*shape, scale=1.5)
    if len(shape) == 2:
        logits = logits.T.contiguous().T
    assert_filtered(submission.top_k_filter(logits, k), filtered(logits, k))
    for dtype in (torch.float64, torch.float32) if is_second_round() else ():
        vocab = rng.option(11, 1, 300)
        logits, k = rng.normal(3, vocab, dtype=dtype), rng.option(k, 1, vocab)
        assert_filtered(submission.top_k_filter(logits, k), filtered(logits, k))


@pytest.mark.parametrize("k", [1, 6, 7, 8, 1000])
def test_extreme_k(submission, rng, k):
    """k = 1 keeps the largest logit, k of the vocabulary's size or more keeps all"""
    logits = rng.normal(5, 7)
    assert_filtered(submission.top_k_filter(logits, k), filtered(logits, k), tolerance=0.0)


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one_raises(submission, rng, k):
    """k below 1 raises a ValueError"""
    assert_raises(submission.top_k_filter, rng.normal(2, 7), k)


def test_vanishing_probabilities(submission):
    """exactly k are kept where the probabilities of some round to 0"""
    logits = torch.tensor([[-3.0, 900.0, -1.0, -7.0, -2.0], [4.0, -900.0, -950.0, -920.0, 0.0]])
    assert_filtered(submission.top_k_filter(logits, 3), filtered(logits, 3), tolerance=0.0)


def test_close_logits(submission, rng):
    """exactly k are kept where logits differ by one part in 10^13"""
    steps = torch.stack([rng.permutation(11) for _ in range(5)])
    # No number stands in two rows: which of them is kept by who takes k of all rows would be chance.
    logits = 3 + torch.arange(5).unsqueeze(1) / 8 + steps.double() * 3e-13
    assert_filtered(submission.top_k_filter(logits, 4), filtered(logits, 4), tolerance=0.0)


def test_rows_are_filtered_on_their_own(submission, rng):
    """rows of very different size are filtered on their own"""
    logits = rng.normal(5, 11) + torch.tensor([[1e4], [-1e4], [0.0], [3.0], [-50.0]])
    assert_filtered(submission.top_k_filter(logits, 4), filtered(logits, 4), tolerance=1e-12)


def test_float32_stays(submission, rng):
    """float32 logits give float32 logits"""
    logits = rng.normal(2, 3, 11, dtype=torch.float32)
    assert_filtered(submission.top_k_filter(logits, 5), filtered(logits, 5))
    assert_filtered(submission.top_k_filter(logits, 11), logits)


def test_large_vocabularies(submission, rng):
    """of some thousand tokens exactly the right ones are kept"""
    assert_large_vocabulary(submission.top_k_filter, lambda _, kept: kept, rng)


def test_draws_from_large_vocabularies(submission, rng):
    """of hundreds of tokens each that is kept is drawn with its probability, and no other"""
    assert_drawn_from_large_vocabulary(submission.sample_top_k, lambda _, kept: kept, rng)


def test_a_vocabulary_of_one_token(submission, rng):
    """a vocabulary of one token is kept, also as a column of others"""
    logits = rng.normal(11, 5).T
    assert_filtered(submission.top_k_filter(logits[:, :1], 1), logits[:, :1])


def test_zeros_are_logits_like_others(submission):
    """a logit of exactly 0 is kept or removed like any other, and drawn like any other"""
    logits = torch.tensor([[-2.0, 0.0, 1.0, -1.0], [0.0, -1.0, -2.0, -3.0], [3.0, 2.0, 1.0, 0.0]])
    assert_filtered(submission.top_k_filter(logits, 2), filtered(logits, 2))
    for k in (1, 3):
        assert_zeros_are_drawn_like_others(submission.sample_top_k, k)


@pytest.mark.parametrize("k", [2, 7])
def test_filter_does_not_modify_logits(submission, rng, k):
    """top_k_filter does not modify logits"""
    unchanged = assert_inputs_unchanged if k == 2 else assert_arguments_unchanged
    unchanged(submission.top_k_filter, rng.normal(3, 7), k)


@pytest.mark.parametrize(
    "shape, k", [((7,), 7), ((139, 11), 1), ((2, 3, 7), 7), ((2, 3, 7), 100), ((1, 7), 1), ((2, 1, 5), 1)]
)
def test_one_token_for_each_row(submission, rng, shape, k):
    """draws one token for each row, from the row's own tokens, in the shape of the leading dimensions"""
    logits = far_apart(rng, *of_many_dimensions(rng, shape))
    if len(shape) > 1:
        logits = logits.mT.contiguous().mT  # the same numbers, not contiguous
    assert_most_probable(submission.sample_top_k, logits, k, what="one has nearly all")


@pytest.mark.parametrize("k", [3, 5, 6])
def test_draws_follow_the_distribution(submission, rng, k):
    """tokens are drawn with the probabilities that are left after the filter, also with large k and logits"""
    row = logits_of(0.1, 0.4, 0.05, 0.3, 0.15)
    expected = distribution(row, k)
    assert_follows(submission.sample_top_k, row, k, expected, draws=DRAWS, generator=rng.as_generator())
    assert_follows_far_from_zero(submission.sample_top_k, row, k, expected, rng)


@pytest.mark.parametrize("k", [3, 5, 6])
def test_high_temperature_flattens(submission, rng, k):
    """a temperature of 2 flattens the distribution of the k kept tokens, also where k keeps all"""
    row = logits_of(0.04, 0.7, 0.06, 0.12, 0.08)
    expected = distribution(row, k, 2.0)
    assert_follows(submission.sample_top_k, row, k, expected, draws=DRAWS, temperature=2.0)
    for at in (rng.option(2.0, 0.5, 1.8), rng.option(2.0, 2.2, 20.0)) if is_second_round() else ():
        expected = distribution(row, k, at)
        assert_follows(submission.sample_top_k, row, k, expected, draws=DRAWS, temperature=at)


@pytest.mark.parametrize("temperature", [0.5, 1e-9])
def test_low_temperature_sharpens(submission, rng, temperature):
    """a low temperature makes probable tokens more probable, in float32 too, and above 0 tokens are drawn"""
    others = rng.option(temperature, 1e-9, 20.0), rng.option(temperature, 1e-14, 2e-11)
    for at in (temperature, *others)[: 3 if is_second_round() else 1]:
        # So that the division gives the same logits whatever the temperature is.
        row = 2 * at * logits_of(0.07, 0.4, 0.03, 0.3, 0.2, dtype=torch.float32)
        expected = distribution(row, 4, at)
        assert_follows(submission.sample_top_k, row, 4, expected, draws=DRAWS, temperature=at)


def test_rare_tokens_are_drawn(submission, rng):
    """tokens of a small probability are drawn, too"""
    assert_rare_tokens_are_drawn(submission.sample_top_k, 104, rng.as_generator())


def test_rows_are_drawn_independently(submission, rng):
    """rows are drawn independently of each other, each from its own distribution"""
    rows = torch.stack([logits_of(0.1, 0.2, 0.3, 0.4), logits_of(0.45, 0.1, 0.25, 0.2)])
    logits = rows.unsqueeze(1).repeat(1, DRAWS, 1)
    came = token_ids(submission.sample_top_k(logits, 3, generator=rng.as_generator()), 2, DRAWS)
    assert_rows_independent(came.mT, *(distribution(row, 3) for row in rows))


@pytest.mark.parametrize("shape, k", [((7,), 3), ((2, 3, 7), 100)])
def test_temperature_zero_is_argmax(submission, rng, shape, k):
    """temperature 0 gives the most probable token"""
    assert_most_probable(submission.sample_top_k, rng.normal(*shape), k, temperature=0.0)


def test_temperature_zero_tells_near_ties_apart(submission, rng):
    """temperature 0 gives the most probable token, even if another is nearly as probable"""
    assert_near_ties_told_apart(submission.sample_top_k, 3, rng.as_generator(), draws=DRAWS)


def test_negative_temperature_raises(submission, rng):
    """a temperature below 0 raises a ValueError"""
    assert_raises(submission.sample_top_k, rng.normal(2, 7), 3, temperature=-0.5)


def test_generator_makes_draws_repeatable(submission, rng):
    """a generator in the same state gives the same tokens, also where all are kept"""
    assert_repeatable(submission.sample_top_k, rng.normal(61, 11), 7, 11, 12, generator=rng.as_generator())


def test_drawing_moves_the_generator_on(submission, rng):
    """a second draw with the same generator gives other tokens"""
    logits, generator = rng.normal(61, 11), rng.as_generator()
    assert_generator_moves_on(submission, "sample_top_k", logits, 7, generator)


def test_global_generator_without_another(submission, rng):
    """without a generator PyTorch's global one is used: torch.manual_seed makes draws repeatable"""
    assert_global_generator_is_used(submission, "sample_top_k", rng.normal(61, 11), 7)


@pytest.mark.parametrize("temperature", [0.0, 2.0])
def test_sampler_does_not_modify_logits(submission, rng, temperature):
    """sample_top_k does not modify logits"""
    assert_arguments_unchanged(submission.sample_top_k, rng.normal(3, 7), 3, temperature=temperature)
    assert_logits_stay(submission.sample_top_k, 3, rng)


def logits_afterwards(answer, logits):
    answer.sample_top_k(logits, logits.shape[-1])
    return logits


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_logits_stay_where_nothing_is_to_do(submission, rng, dtype):
    """sample_top_k does not modify logits at temperature 1 and with all tokens kept, in both dtypes"""
    logits = rng.normal(3, 7, dtype=dtype)
    same = torch.equal(submission.run(logits_afterwards, logits), logits)
    assert_true(same, "it writes to logits where there is nothing to divide or to filter", seen=same)
