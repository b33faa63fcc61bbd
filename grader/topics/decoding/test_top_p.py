"""Checks of `top_p`: the nucleus against loops, the draws against the exact distribution."""

import pytest
import torch

from grader.kit import (
    Mistake,
    assert_close,
    assert_distribution,
    assert_equal,
    assert_inputs_unchanged,
    assert_raises,
    assert_true,
)

INF = float("inf")
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
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
    rows = [nucleus(row, p) for row in logits.reshape(-1, logits.shape[-1])]
    return torch.stack(rows).reshape(logits.shape)


def distribution(row, p, temperature=1.0):
    return nucleus(row.double() / temperature, p).softmax(-1)


def token_ids(came, *shape):
    """The tokens as int64, whatever integers they are; their shape has to be this one."""
    kind = getattr(came, "dtype", type(came).__name__)
    assert_true(kind in INTEGERS, f"a tensor of integers is expected, {kind} came")
    assert_true(
        came.shape == shape, f"shape {tuple(came.shape)} came, {shape} is expected", seen=list(came.shape)
    )
    return came.long()


def assert_drawn(came, probabilities):
    """Every token of positive probability is drawn, no other, and in the right proportions."""
    tokens = token_ids(came, DRAWS)
    drawn, kept = tokens.unique().tolist(), probabilities.nonzero().flatten().tolist()
    assert_true(drawn == kept, f"the tokens {drawn} are drawn, it should be {kept}", seen=drawn)
    assert_distribution(tokens, probabilities)


def logits_of(*probabilities, dtype=torch.float64):
    """Logits with these probabilities, up to a constant that changes nothing."""
    return torch.tensor(probabilities, dtype=torch.float64).log().add(0.7).to(dtype)


@pytest.mark.parametrize("shape, p", [((13,), 0.8), ((5, 11), 0.5), ((2, 3, 7), 0.9)])
def test_keeps_the_most_probable_tokens(submission, rng, shape, p):
    """keeps the fewest most probable tokens that reach p, in every row; the others are -inf"""
    logits = rng.normal(*shape, scale=1.5)
    assert_close(submission.top_p_filter(logits, p), filtered(logits, p))


@pytest.mark.parametrize("p, kept", [(0.4, 1), (0.6, 2), (0.9, 3), (0.97, 4)])
def test_the_crossing_token_is_kept(submission, p, kept):
    """of the probabilities 0.5, 0.3, 0.15, 0.05 the one that crosses p is kept"""
    logits = logits_of(0.15, 0.5, 0.05, 0.3)
    allowed = torch.tensor([3, 1, 4, 2]) <= kept  # by rank
    assert_close(submission.top_p_filter(logits, p), logits.masked_fill(~allowed, -INF))


def test_one_token_at_least(submission, rng):
    """the most probable token of each row is kept, however small p is"""
    logits = rng.normal(5, 7)
    assert_close(submission.top_p_filter(logits, 1e-6), filtered(logits, 1e-6))


def test_p_of_one_keeps_all(submission, rng):
    """p = 1 keeps all tokens, also those that add nothing to a rounded sum"""
    # The first five probabilities add up to a little more than 1 in float32.
    logits = torch.cat(
        [torch.tensor([35.0, 70.0, 43.0, 66.0, 38.0]).log(), torch.tensor([-47.0, -40.0, -43.0])]
    )
    assert_equal(submission.top_p_filter(logits, 1.0), logits)
    logits = rng.uniform(5, 31, low=-60.0, high=0.0, dtype=torch.float32)
    assert_equal(submission.top_p_filter(logits, 1.0), logits)


@pytest.mark.parametrize("p", [0.0, -0.1, 1.01])
def test_p_outside_raises(submission, rng, p):
    """p outside (0, 1] raises a ValueError"""
    assert_raises(submission.top_p_filter, rng.normal(2, 7), p)


def test_rows_are_filtered_on_their_own(submission, rng):
    """a sharp row keeps few tokens and a flat one many, in one call"""
    logits = rng.normal(1, 11) * torch.tensor([[8.0], [0.2], [1.0], [-1.0], [3.0]])
    assert_close(submission.top_p_filter(logits, 0.7), filtered(logits, 0.7))


def test_float32_stays(submission, rng):
    """float32 logits give float32 logits"""
    logits = rng.normal(2, 3, 11, dtype=torch.float32)
    assert_close(submission.top_p_filter(logits, 0.8), filtered(logits, 0.8))


def test_large_logits(submission, rng):
    """logits around 1e4 and -1e4 are filtered like any others"""
    logits = rng.normal(3, 11) + torch.tensor([[1e4], [-1e4], [1e3]])
    assert_close(submission.top_p_filter(logits, 0.8), filtered(logits, 0.8), tolerance=1e-9)


def test_other_layouts(submission, rng):
    """transposed logits and a vocabulary of one token are right"""
    logits = rng.normal(11, 5).T
    assert_close(submission.top_p_filter(logits, 0.8), filtered(logits, 0.8))
    assert_close(submission.top_p_filter(logits[:, :1], 0.8), logits[:, :1])


@pytest.mark.parametrize("p", [0.6, 1.0])
def test_filter_does_not_modify_logits(submission, rng, p):
    """top_p_filter does not modify logits"""
    assert_inputs_unchanged(submission.top_p_filter, rng.normal(3, 7), p)


@pytest.mark.parametrize("shape", [(7,), (5, 11), (2, 3, 7)])
def test_one_token_for_each_row(submission, rng, shape):
    """draws one token for each row, from the row's own tokens, in the shape of the leading dimensions"""
    logits = rng.normal(*shape)
    assert_equal(token_ids(submission.sample_top_p(logits, 1e-6), *shape[:-1]), logits.argmax(-1))


@pytest.mark.parametrize("p", [0.8, 1.0])
def test_draws_follow_the_distribution(submission, rng, p):
    """tokens are drawn with the probabilities that are left after the filter"""
    row = logits_of(0.1, 0.4, 0.05, 0.3, 0.15)
    came = submission.sample_top_p(row.repeat(DRAWS, 1), p, generator=rng.as_generator())
    assert_drawn(came, distribution(row, p))


def test_temperature_comes_before_the_filter(submission):
    """a temperature of 2 flattens the distribution before the filter, so that more tokens are kept"""
    row = logits_of(0.04, 0.7, 0.06, 0.12, 0.08)
    came = submission.sample_top_p(row.repeat(DRAWS, 1), 0.65, temperature=2.0)
    assert_drawn(came, distribution(row, 0.65, 2.0))


def test_low_temperature_sharpens(submission):
    """a temperature of 0.5 makes probable tokens more probable, in float32 too"""
    row = logits_of(0.07, 0.4, 0.03, 0.3, 0.2, dtype=torch.float32)
    came = submission.sample_top_p(row.repeat(DRAWS, 1), 0.6, temperature=0.5)
    assert_drawn(came, distribution(row, 0.6, 0.5))


def test_rows_are_drawn_independently(submission, rng):
    """rows are drawn independently of each other, each from its own distribution"""
    rows = torch.stack([logits_of(0.1, 0.2, 0.3, 0.4), logits_of(0.45, 0.1, 0.25, 0.2)])
    came = submission.sample_top_p(rows.repeat(DRAWS, 1, 1), 0.85, generator=rng.as_generator())
    came = token_ids(came, DRAWS, 2)
    first, second = distribution(rows[0], 0.85), distribution(rows[1], 0.85)
    assert_drawn(came[:, 0], first)
    assert_drawn(came[:, 1], second)
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
    assert_drawn(came, torch.eye(5, dtype=torch.float64)[3])


def test_negative_temperature_raises(submission, rng):
    """a temperature below 0 raises a ValueError"""
    assert_raises(submission.sample_top_p, rng.normal(2, 7), 0.9, temperature=-0.5)


def test_generator_makes_draws_repeatable(submission, rng):
    """a generator in the same state gives the same tokens"""
    logits, generator = rng.normal(61, 11), rng.as_generator()
    first, second = (token_ids(submission.sample_top_p(logits, 0.9, 1.0, generator), 61) for _ in range(2))
    assert_true(
        torch.equal(first, second), "two calls with the same state of the generator give other tokens"
    )


def test_drawing_moves_the_generator_on(submission, rng):
    """a second draw with the same generator gives other tokens"""
    first, second = submission.run(draw_twice, rng.normal(61, 11), rng.as_generator())
    assert_true(
        not torch.equal(first, second), "a second draw with the generator gives the same tokens again"
    )


def draw_twice(answer, logits, generator):
    return [answer.sample_top_p(logits, 0.9, generator=generator) for _ in range(2)]


def test_global_generator_without_another(submission, rng):
    """without a generator PyTorch's global one is used: torch.manual_seed makes draws repeatable"""
    first, second, third = submission.run(draw_with_seed, rng.normal(61, 11))
    assert_true(torch.equal(first, second), "the same torch.manual_seed gives other tokens")
    assert_true(not torch.equal(second, third), "every draw gives the same tokens")


def draw_with_seed(answer, logits):
    torch.manual_seed(5)
    first = answer.sample_top_p(logits, 0.9)
    torch.manual_seed(5)
    return first, answer.sample_top_p(logits, 0.9), answer.sample_top_p(logits, 0.9)


@pytest.mark.parametrize("temperature", [0.0, 2.0])
def test_sampler_does_not_modify_logits(submission, rng, temperature):
    """sample_top_p does not modify logits"""
    assert_inputs_unchanged(submission.sample_top_p, rng.normal(3, 7), 0.6, temperature=temperature)


MISTAKES = [
    Mistake(
        "crossing-token-dropped",
        find="probs.cumsum(dim=-1) - probs",
        replace="probs.cumsum(dim=-1)",
        says="You drop the token that crosses p, and with it every token if the first one alone "
        "reaches p. A token goes only if the ones *before* it already reach p: compare the "
        "cumulative sum minus the token's own probability.",
    ),
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
    Mistake(
        "temperature-zero",
        find="""\
    if temperature == 0:
        return logits.argmax(dim=-1)
""",
        replace="",
        says="You divide by a temperature of 0, which makes infinite logits and NaN probabilities. "
        "Temperature 0 means the most probable token: return the argmax.",
    ),
    Mistake(
        "generator-ignored",
        find="num_samples=1, generator=generator",
        replace="num_samples=1",
        says="You never use the generator, so a draw cannot be repeated. Pass it on to "
        "torch.multinomial (or whatever draws).",
    ),
    Mistake(
        "probabilities-over-rows",
        find="torch.softmax(sorted_logits, dim=-1)",
        replace="torch.softmax(sorted_logits, dim=0)",
        says="Your softmax runs over the first dimension, the rows of the batch (right for a single "
        "row only). Every row is a distribution over the vocabulary: softmax over the last "
        "dimension.",
    ),
    Mistake(
        "first-row-for-all",
        find="torch.multinomial(rows, num_samples=1, generator=generator)",
        replace="torch.multinomial(rows[0], num_samples=len(rows), replacement=True, generator=generator)",
        says="You draw every row's token from the first row's distribution, which is right for a batch "
        "of one only. Flatten the leading dimensions and draw one token from each row.",
    ),
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
        "temperature-multiplied",
        find="filtered = top_p_filter(logits / temperature, p)",
        replace="filtered = top_p_filter(logits * temperature, p)",
        says="You multiply by the temperature, so a high one makes the draw more certain. Divide: a "
        "high temperature flattens the distribution.",
    ),
    Mistake(
        "p-unchecked",
        find="""\
    if not 0 < p <= 1:
        raise ValueError(f"p must be in (0, 1], not {p}")
""",
        replace="",
        says="You accept a p outside (0, 1], where it has no meaning: 0 removes every token. Raise a "
        "ValueError.",
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
    Mistake(
        "large-negative-instead-of-infinity",
        find="logits.masked_fill(remove, -math.inf)",
        replace="logits.masked_fill(remove, -1e9)",
        says="You fill in a large negative number. Its probability is only nearly 0, or not at all "
        "beside logits of that size: -inf is exactly 0 after the softmax, and the contract asks "
        "for it.",
    ),
    Mistake(
        "negative-temperature-accepted",
        find="""\
    if temperature < 0:
        raise ValueError(f"temperature must not be negative, not {temperature}")""",
        replace="",
        says="You accept a temperature below 0, which would make the least probable token the most "
        "probable one. Raise a ValueError.",
    ),
    Mistake(
        "temperature-divided-in-place",
        find="    filtered = top_p_filter(logits / temperature, p)",
        replace="    filtered = top_p_filter(logits.div_(temperature), p)",
        says="You divide the caller's logits in place. The argument must stay as it is: logits / "
        "temperature makes a new tensor.",
    ),
    Mistake(
        "leading-dimensions-not-flattened",
        find="""\
    rows = probs.reshape(-1, probs.shape[-1])  # multinomial takes one or two dimensions
    tokens = torch.multinomial(rows, num_samples=1, generator=generator)  # (rows, 1)
    return tokens.reshape(logits.shape[:-1])""",
        replace="    return torch.multinomial(probs, num_samples=1, generator=generator).squeeze(-1)",
        says="torch.multinomial takes one or two dimensions, so logits with more leading dimensions "
        "fail. Flatten these to rows, draw, and give the tokens the leading shape again.",
    ),
    Mistake(
        "drawn-dimension-left",
        find="    return tokens.reshape(logits.shape[:-1])",
        replace="    return tokens",
        says="You leave multinomial's last dimension, one draw per row, in the result. The tokens have "
        "the leading shape of the logits: reshape to logits.shape[:-1] (or squeeze(-1)).",
    ),
    Mistake(
        "temperature-ignored",
        find="    filtered = top_p_filter(logits / temperature, p)",
        replace="    filtered = top_p_filter(logits, p)",
        says="You check the temperature and then never use it, so every draw is made at temperature 1. "
        "Divide the logits by it before the filter.",
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
    Mistake(
        "temperature-floored",
        find="""\
    if temperature == 0:
        return logits.argmax(dim=-1)
""",
        replace="    temperature = max(temperature, 1e-5)\n",
        says="You replace a temperature of 0 by a tiny one. Tokens whose logits are about as close as that "
        "are then still drawn by chance, and logits divided by it may overflow. Return the argmax: it needs "
        "no draw.",
    ),
    Mistake(
        "tokens-left-flat",
        find="    return tokens.reshape(logits.shape[:-1])",
        replace="    return tokens.squeeze(-1)",
        says="You return one flat row of tokens, however many leading dimensions there are (even none). The "
        "tokens have the leading shape of the logits: reshape to logits.shape[:-1].",
    ),
]
