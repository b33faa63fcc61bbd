"""Checks of `top_p`: the nucleus against loops, the draws against the exact distribution."""

import pytest
import torch

from grader.kit import Mistake, assert_distribution, assert_equal, assert_inputs_unchanged, assert_raises
from grader.kit.families.sampling import mistakes as sampling_mistakes
from grader.kit.families.sampling.checks import (
    assert_drawn,
    assert_filtered,
    assert_generator_moves_on,
    assert_global_generator_is_used,
    assert_repeatable,
    logits_of,
    row_by_row,
    token_ids,
)

INF = float("inf")
DRAWS = 5000  # few enough for an answer that draws row by row


def workload(submission, rng):
    return submission.sample_top_p.measure(rng.normal(16, 1000), 0.9)


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


def distribution(row, p, temperature=1.0):
    return nucleus(row.double() / temperature, p).softmax(-1)


@pytest.mark.parametrize("shape, p", [((13,), 0.8), ((5, 11), 0.5), ((2, 3, 7), 0.9)])
def test_keeps_the_most_probable_tokens(submission, rng, shape, p):
    """keeps the fewest most probable tokens that reach p, in every row; the others are -inf"""
    logits = rng.normal(*shape, scale=1.5)
    assert_filtered(submission.top_p_filter(logits, p), filtered(logits, p))


@pytest.mark.parametrize("p, kept", [(0.4, 1), (0.6, 2), (0.9, 3), (0.97, 4)])
def test_the_crossing_token_is_kept(submission, p, kept):
    """of the probabilities 0.5, 0.3, 0.15, 0.05 the one that crosses p is kept"""
    logits = logits_of(0.15, 0.5, 0.05, 0.3)
    allowed = torch.tensor([3, 1, 4, 2]) <= kept  # by rank
    assert_filtered(submission.top_p_filter(logits, p), logits.masked_fill(~allowed, -INF))


def test_one_token_at_least(submission, rng):
    """the most probable token of each row is kept, however small p is"""
    logits = rng.normal(5, 7)
    assert_filtered(submission.top_p_filter(logits, 1e-6), filtered(logits, 1e-6))


def test_p_of_one_keeps_all(submission, rng):
    """p = 1 keeps all tokens, also those that add nothing to a rounded sum"""
    # The first five probabilities add up to a little more than 1 in float32.
    logits = torch.cat(
        [torch.tensor([35.0, 70.0, 43.0, 66.0, 38.0]).log(), torch.tensor([-47.0, -40.0, -43.0])]
    )
    assert_filtered(submission.top_p_filter(logits, 1.0), logits, tolerance=0.0)
    logits = rng.uniform(5, 31, low=-60.0, high=0.0, dtype=torch.float32)
    assert_filtered(submission.top_p_filter(logits, 1.0), logits, tolerance=0.0)


@pytest.mark.parametrize("p", [0.0, -0.1, 1.01])
def test_p_outside_raises(submission, rng, p):
    """p outside (0, 1] raises a ValueError"""
    assert_raises(submission.top_p_filter, rng.normal(2, 7), p)


def test_rows_are_filtered_on_their_own(submission, rng):
    """a sharp row keeps few tokens and a flat one many, in one call"""
    logits = rng.normal(1, 11) * torch.tensor([[8.0], [0.2], [1.0], [-1.0], [3.0]])
    assert_filtered(submission.top_p_filter(logits, 0.7), filtered(logits, 0.7))


def test_float32_stays(submission, rng):
    """float32 logits give float32 logits"""
    logits = rng.normal(2, 3, 11, dtype=torch.float32)
    assert_filtered(submission.top_p_filter(logits, 0.8), filtered(logits, 0.8))


def test_large_logits(submission, rng):
    """logits around 1e4 and -1e4 are filtered like any others"""
    logits = rng.normal(3, 11) + torch.tensor([[1e4], [-1e4], [1e3]])
    assert_filtered(submission.top_p_filter(logits, 0.8), filtered(logits, 0.8), tolerance=1e-9)


def test_other_layouts(submission, rng):
    """transposed logits and a vocabulary of one token are right"""
    logits = rng.normal(11, 5).T
    assert_filtered(submission.top_p_filter(logits, 0.8), filtered(logits, 0.8))
    assert_filtered(submission.top_p_filter(logits[:, :1], 0.8), logits[:, :1])


@pytest.mark.parametrize("p", [0.6, 1.0])
def test_filter_does_not_modify_logits(submission, rng, p):
    """top_p_filter does not modify logits"""
    assert_inputs_unchanged(submission.top_p_filter, rng.normal(3, 7), p)


@pytest.mark.parametrize("shape", [(7,), (5, 11), (2, 3, 7)])
def test_one_token_for_each_row(submission, rng, shape):
    """draws one token for each row, from the row's own tokens, in the shape of the leading dimensions"""
    logits = rng.normal(*shape)
    came = token_ids(submission.sample_top_p(logits, 1e-6), *shape[:-1])
    assert_equal(came, logits.argmax(-1), what="p = 1e-6 keeps one token")


@pytest.mark.parametrize("p", [0.8, 1.0])
def test_draws_follow_the_distribution(submission, rng, p):
    """tokens are drawn with the probabilities that are left after the filter"""
    row = logits_of(0.1, 0.4, 0.05, 0.3, 0.15)
    came = submission.sample_top_p(row.repeat(DRAWS, 1), p, generator=rng.as_generator())
    assert_drawn(came, distribution(row, p), draws=DRAWS)


def test_temperature_comes_before_the_filter(submission):
    """a temperature of 2 flattens the distribution before the filter, so that more tokens are kept"""
    row = logits_of(0.04, 0.7, 0.06, 0.12, 0.08)
    came = submission.sample_top_p(row.repeat(DRAWS, 1), 0.65, temperature=2.0)
    assert_drawn(came, distribution(row, 0.65, 2.0), draws=DRAWS)


def test_low_temperature_sharpens(submission):
    """a temperature of 0.5 makes probable tokens more probable, in float32 too"""
    row = logits_of(0.07, 0.4, 0.03, 0.3, 0.2, dtype=torch.float32)
    came = submission.sample_top_p(row.repeat(DRAWS, 1), 0.6, temperature=0.5)
    assert_drawn(came, distribution(row, 0.6, 0.5), draws=DRAWS)


def test_rows_are_drawn_independently(submission, rng):
    """rows are drawn independently of each other, each from its own distribution"""
    rows = torch.stack([logits_of(0.1, 0.2, 0.3, 0.4), logits_of(0.45, 0.1, 0.25, 0.2)])
    came = submission.sample_top_p(rows.repeat(DRAWS, 1, 1), 0.85, generator=rng.as_generator())
    came = token_ids(came, DRAWS, 2)
    first, second = distribution(rows[0], 0.85), distribution(rows[1], 0.85)
    assert_drawn(came[:, 0], first, draws=DRAWS)
    assert_drawn(came[:, 1], second, draws=DRAWS)
    assert_distribution(came[:, 0] * 4 + came[:, 1], torch.outer(first, second).flatten(), what="pairs")


@pytest.mark.parametrize("shape, p", [((7,), 0.9), ((2, 3, 7), 1.0)])
def test_temperature_zero_is_argmax(submission, rng, shape, p):
    """temperature 0 gives the most probable token"""
    logits = rng.normal(*shape)
    came = submission.sample_top_p(logits, p, temperature=0.0)
    assert_equal(token_ids(came, *shape[:-1]), logits.argmax(-1))


def test_temperature_zero_tells_near_ties_apart(submission, rng):
    """temperature 0 gives the most probable token, even if another is nearly as probable"""
    row = torch.tensor([0.3, 0.7, -0.2, 0.7 + 1e-12, 0.1], dtype=torch.float64)
    came = submission.sample_top_p(row.repeat(DRAWS, 1), 0.9, temperature=0.0, generator=rng.as_generator())
    assert_drawn(came, torch.eye(5, dtype=torch.float64)[3], draws=DRAWS)


def test_negative_temperature_raises(submission, rng):
    """a temperature below 0 raises a ValueError"""
    assert_raises(submission.sample_top_p, rng.normal(2, 7), 0.9, temperature=-0.5)


def test_generator_makes_draws_repeatable(submission, rng):
    """a generator in the same state gives the same tokens"""
    assert_repeatable(submission.sample_top_p, rng.normal(61, 11), 0.9, rng.as_generator())


def test_drawing_moves_the_generator_on(submission, rng):
    """a second draw with the same generator gives other tokens"""
    logits, generator = rng.normal(61, 11), rng.as_generator()
    assert_generator_moves_on(submission, "sample_top_p", logits, 0.9, generator)


def test_global_generator_without_another(submission, rng):
    """without a generator PyTorch's global one is used: torch.manual_seed makes draws repeatable"""
    assert_global_generator_is_used(submission, "sample_top_p", rng.normal(61, 11), 0.9)


@pytest.mark.parametrize("temperature", [0.0, 2.0])
def test_sampler_does_not_modify_logits(submission, rng, temperature):
    """sample_top_p does not modify logits"""
    assert_inputs_unchanged(submission.sample_top_p, rng.normal(3, 7), 0.6, temperature=temperature)


CROSSING_TOKEN_DROPPED = Mistake(
    "crossing-token-dropped",
    find="probs.cumsum(dim=-1) - probs",
    replace="probs.cumsum(dim=-1)",
    says="You drop the token that crosses p, and with it every token if the first one alone "
    "reaches p. A token goes only if the ones *before* it already reach p: compare the "
    "cumulative sum minus the token's own probability.",
)

MISTAKES = [
    CROSSING_TOKEN_DROPPED,
    sampling_mistakes.nothing_kept(CROSSING_TOKEN_DROPPED),
    Mistake(
        "crossing-token-dropped-but-one-kept",
        find="    remove_sorted = before >= p",
        replace="""\
    remove_sorted = before + probs > p
    remove_sorted[..., 0] = False""",
        says="You drop the token that crosses p and save only the very first one. The nucleus has to "
        "reach p, so the token that crosses it stays: compare the probability *before* each token "
        "with p (or shift the mask by one place).",
    ),
    Mistake(
        "mask-not-scattered-back",
        find="    remove = torch.empty_like(remove_sorted).scatter(-1, order, remove_sorted)",
        replace="    remove = remove_sorted",
        says="You apply a mask in sorted order to logits in the vocabulary's order, so the wrong "
        "tokens go. Scatter it back along the indices that sort gave you.",
    ),
    Mistake(
        "gathered-instead-of-scattered",
        find="torch.empty_like(remove_sorted).scatter(-1, order, remove_sorted)",
        replace="remove_sorted.gather(-1, order)",
        says="You gather the mask with the sorting indices, which permutes it the wrong way. order[j] "
        "is the token at place j, so the mask at place j belongs to token order[j]: scatter, or "
        "gather with order.argsort(-1).",
    ),
    Mistake(
        "removed-in-every-row",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="""\
    filtered = logits.clone()
    filtered[..., order[remove_sorted]] = -math.inf
    return filtered""",
        says="You index with the removed tokens of all rows at once, so a token that one row removes "
        "is removed in every row. That works for a single row only; scatter the mask row by row.",
    ),
    Mistake(
        "sum-of-logits",
        find="    probs = torch.softmax(sorted_logits, dim=-1)",
        replace="    probs = sorted_logits",
        says="You add up logits. p is a probability, so take the softmax first and add up that.",
    ),
    Mistake(
        "logits-overwritten",
        find="logits.masked_fill(remove, -math.inf)",
        replace="logits.masked_fill_(remove, -math.inf)",
        says="You write -inf into the caller's logits. The argument must stay as it is: masked_fill, "
        "without the underscore, makes a new tensor.",
    ),
    Mistake(
        "filtered-before-temperature",
        find="filtered = top_p_filter(logits / temperature, p)",
        replace="filtered = top_p_filter(logits, p) / temperature",
        says="You filter before you apply the temperature, so the set of tokens is that of temperature "
        "1. Divide by the temperature first: it changes the probabilities, and so which tokens "
        "reach p.",
    ),
    sampling_mistakes.TEMPERATURE_ZERO,
    sampling_mistakes.nothing_kept(sampling_mistakes.TEMPERATURE_ZERO),
    sampling_mistakes.GENERATOR_IGNORED,
    sampling_mistakes.probabilities_over_rows(
        "torch.softmax(sorted_logits, dim=-1)", "torch.softmax(sorted_logits, dim=0)"
    ),
    sampling_mistakes.FIRST_ROW_FOR_ALL,
    Mistake(
        "one-token-too-many",
        find="    remove_sorted = before >= p",
        replace="""\
    remove_sorted = (before >= p).roll(1, dims=-1)
    remove_sorted[..., 0] = False""",
        says="You keep one token more than needed: you shift the mask by one place although you "
        "already compare the probability *before* each token. The set ends with the token that "
        "crosses p.",
    ),
    Mistake(
        "result-left-sorted",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    return sorted_logits.masked_fill(remove_sorted, -math.inf)",
        says="You return the logits in sorted order, so every index names another token. Bring the "
        "mask (or the result) back to the vocabulary's order.",
    ),
    Mistake(
        "result-left-sorted-for-every-p",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    return sorted_logits.masked_fill(remove_sorted, -math.inf)",
        also=(("return logits.clone()", "return logits.sort(dim=-1, descending=True).values"),),
        says="You return the logits in sorted order (with p = 1 too), so every index names another token. "
        "Bring the mask (or the result) back to the vocabulary's order, in the filter itself.",
    ),
    Mistake(
        "log-probabilities-returned",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    return logits.log_softmax(dim=-1).masked_fill(remove, -math.inf)",
        also=(("return logits.clone()", "return logits.log_softmax(dim=-1)"),),
        says="You return log-probabilities. That draws the same tokens, but kept logits do not change: the "
        "filter only puts -inf where a token goes.",
    ),
    Mistake(
        "log-probabilities-of-the-kept-returned",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    return logits.masked_fill(remove, -math.inf).log_softmax(dim=-1)",
        also=(("return logits.clone()", "return logits.log_softmax(dim=-1)"),),
        says="You return the log-probabilities that are left after the filter. That draws the same tokens, "
        "but kept logits do not change: the filter only puts -inf where a token goes.",
    ),
    sampling_mistakes.temperature_multiplied("p"),
    Mistake(
        "p-unchecked",
        find="""\
    if not 0 < p <= 1:
        raise ValueError(f"p must be in (0, 1], not {p}")
""",
        replace="",
        says="You accept a p outside (0, 1], where it has no meaning: no token at all is needed to reach 0, "
        "and no set of them reaches more than 1. Raise a ValueError.",
    ),
    Mistake(
        "p-one-drops-the-tail",
        find="""\
    if p == 1:
        return logits.clone()  # the rounded sum may reach 1 before the last token
""",
        replace="",
        says="With p = 1 you lose very improbable tokens: the rounded cumulative sum reaches 1 before "
        "them. p = 1 keeps all, so return the logits unfiltered.",
    ),
    Mistake(
        "sorted-ascending",
        find="descending=True",
        replace="descending=False",
        says="You sort ascending, so you keep the *least* probable tokens until they reach p. Start "
        "from the most probable: sort(descending=True).",
    ),
    sampling_mistakes.large_negative_instead_of_infinity("logits.masked_fill(remove, -math.inf)"),
    sampling_mistakes.NEGATIVE_TEMPERATURE_ACCEPTED,
    sampling_mistakes.temperature_divided_in_place("p"),
    sampling_mistakes.LEADING_DIMENSIONS_NOT_FLATTENED,
    sampling_mistakes.DRAWN_DIMENSION_LEFT,
    Mistake(
        "temperature-ignored",
        find="    filtered = top_p_filter(logits / temperature, p)",
        replace="    filtered = top_p_filter(logits, p)",
        says="Your draws are those of temperature 1 at every temperature. It is not used, or it acts after "
        "the softmax: dividing all probabilities by one number changes nothing once they are normalized. "
        "Divide the logits by it before the filter.",
    ),
    Mistake(
        "uniform-among-the-kept",
        find="    probs = torch.softmax(filtered, dim=-1)",
        replace="    probs = filtered.isfinite().to(logits.dtype)",
        says="You draw the kept tokens with equal chances. They keep their relative probabilities: draw from "
        "the softmax of the filtered logits.",
    ),
    Mistake(
        "place-instead-of-token",
        find="""\
    probs = torch.softmax(filtered, dim=-1)
    rows""",
        replace="""\
    probs = torch.softmax(filtered, dim=-1).sort(dim=-1, descending=True).values
    rows""",
        says="You draw from the sorted probabilities and return the place in the sorted row, not the "
        "token. Place j is token order[j]: look it up with order.gather(-1, place), or draw in "
        "the vocabulary's order.",
    ),
    sampling_mistakes.TEMPERATURE_FLOORED,
    sampling_mistakes.TOKENS_LEFT_FLAT,
    sampling_mistakes.ONE_ROW_GIVES_A_VECTOR,
    sampling_mistakes.DRAWN_UNFILTERED,
    sampling_mistakes.ONE_DRAW_FOR_ALL_ROWS,
    sampling_mistakes.ARGMAX_INSTEAD_OF_A_DRAW,
]
