"""Checks of `top_k`: the kept logits against a sorted list, the draws against the exact distribution."""

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
DRAWS = 2000  # few enough for an answer that draws row by row


def workload(submission, rng):
    return submission.sample_top_k.measure(rng.normal(16, 1000), 50)


def largest(row, k):
    """The oracle for one row: keeps the first k of its sorted list."""
    values = row.tolist()
    kept = sorted(range(len(values)), key=values.__getitem__, reverse=True)[:k]
    places = torch.tensor([place in kept for place in range(len(values))])
    return row.masked_fill(~places, -INF)


def filtered(logits, k):
    rows = [largest(row, k) for row in logits.reshape(-1, logits.shape[-1])]
    return torch.stack(rows).reshape(logits.shape)


def distribution(row, k, temperature=1.0):
    return (largest(row, k).double() / temperature).softmax(-1)


def token_ids(came):
    """The tokens as int64, whatever integers they are."""
    kind = getattr(came, "dtype", type(came).__name__)
    assert_true(kind in INTEGERS, f"a tensor of integers is expected, {kind} came")
    return came.long()


def assert_drawn(came, probabilities):
    """Every token of positive probability is drawn, no other, and in the right proportions."""
    tokens = token_ids(came)
    drawn, kept = tokens.unique().tolist(), probabilities.nonzero().flatten().tolist()
    assert_true(drawn == kept, f"the tokens {drawn} are drawn, it should be {kept}", seen=drawn)
    assert_distribution(tokens, probabilities)


def logits_of(*probabilities, dtype=torch.float64):
    """Logits with these probabilities, up to a constant that changes nothing."""
    return torch.tensor(probabilities, dtype=torch.float64).log().add(0.7).to(dtype)


@pytest.mark.parametrize("shape, k", [((13,), 5), ((5, 11), 3), ((2, 3, 7), 2)])
def test_keeps_the_largest(submission, rng, shape, k):
    """keeps the k largest logits of every row; the others are -inf"""
    logits = rng.normal(*shape, scale=1.5)
    assert_close(submission.top_k_filter(logits, k), filtered(logits, k))


@pytest.mark.parametrize("k", [1, 6, 7, 8, 1000])
def test_extreme_k(submission, rng, k):
    """k = 1 keeps the largest logit, k of the vocabulary's size or more keeps all"""
    logits = rng.normal(5, 7)
    assert_equal(submission.top_k_filter(logits, k), filtered(logits, k))


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one_raises(submission, rng, k):
    """k below 1 raises a ValueError"""
    assert_raises(submission.top_k_filter, rng.normal(2, 7), k)


def test_vanishing_probabilities(submission):
    """exactly k are kept where the probabilities of some round to 0"""
    logits = torch.tensor([[-3.0, 900.0, -1.0, -7.0, -2.0], [4.0, -900.0, -950.0, -920.0, 0.0]])
    assert_equal(submission.top_k_filter(logits, 3), filtered(logits, 3))


def test_close_logits(submission, rng):
    """exactly k are kept where logits differ by one part in 10^13"""
    steps = torch.stack([rng.permutation(11) for _ in range(5)])
    logits = 3 + steps.double() * 3e-13
    assert_equal(submission.top_k_filter(logits, 4), filtered(logits, 4))


def test_rows_are_filtered_on_their_own(submission, rng):
    """rows of very different size are filtered on their own"""
    logits = rng.normal(5, 11) + torch.tensor([[1e4], [-1e4], [0.0], [3.0], [-50.0]])
    assert_close(submission.top_k_filter(logits, 4), filtered(logits, 4), tolerance=1e-12)


def test_float32_stays(submission, rng):
    """float32 logits give float32 logits"""
    logits = rng.normal(2, 3, 11, dtype=torch.float32)
    assert_close(submission.top_k_filter(logits, 5), filtered(logits, 5))
    assert_close(submission.top_k_filter(logits, 11), logits)


def test_other_layouts(submission, rng):
    """transposed logits and a vocabulary of one token are right"""
    logits = rng.normal(11, 5).T
    assert_close(submission.top_k_filter(logits, 3), filtered(logits, 3))
    assert_close(submission.top_k_filter(logits[:, :1], 1), logits[:, :1])


@pytest.mark.parametrize("k", [2, 7])
def test_filter_does_not_modify_logits(submission, rng, k):
    """top_k_filter does not modify logits"""
    assert_inputs_unchanged(submission.top_k_filter, rng.normal(3, 7), k)


@pytest.mark.parametrize("shape", [(7,), (5, 11), (2, 3, 7)])
def test_one_token_for_each_row(submission, rng, shape):
    """draws one token for each row, from the row's own tokens, in the shape of the leading dimensions"""
    logits = rng.normal(*shape)
    assert_equal(token_ids(submission.sample_top_k(logits, 1)), logits.argmax(-1))


@pytest.mark.parametrize("k", [3, 5, 6])
def test_draws_follow_the_distribution(submission, rng, k):
    """tokens are drawn with the probabilities that are left after the filter, also with a large k"""
    row = logits_of(0.1, 0.4, 0.05, 0.3, 0.15)
    came = submission.sample_top_k(row.repeat(DRAWS, 1), k, generator=rng.as_generator())
    assert_drawn(came, distribution(row, k))


def test_high_temperature_flattens(submission):
    """a temperature of 2 flattens the distribution of the k kept tokens"""
    row = logits_of(0.04, 0.7, 0.06, 0.12, 0.08)
    came = submission.sample_top_k(row.repeat(DRAWS, 1), 3, temperature=2.0)
    assert_drawn(came, distribution(row, 3, 2.0))


def test_low_temperature_sharpens(submission):
    """a temperature of 0.5 makes probable tokens more probable, in float32 too"""
    row = logits_of(0.07, 0.4, 0.03, 0.3, 0.2, dtype=torch.float32)
    came = submission.sample_top_k(row.repeat(DRAWS, 1), 4, temperature=0.5)
    assert_drawn(came, distribution(row, 4, 0.5))


def test_rows_are_drawn_independently(submission, rng):
    """rows are drawn independently of each other, each from its own distribution"""
    rows = torch.stack([logits_of(0.1, 0.2, 0.3, 0.4), logits_of(0.45, 0.1, 0.25, 0.2)])
    logits = rows.unsqueeze(1).repeat(1, DRAWS, 1)
    came = token_ids(submission.sample_top_k(logits, 3, generator=rng.as_generator()))
    first, second = distribution(rows[0], 3), distribution(rows[1], 3)
    assert_drawn(came[0], first)
    assert_drawn(came[1], second)
    assert_distribution(came[0] * 4 + came[1], torch.outer(first, second).flatten(), what="pairs")


@pytest.mark.parametrize("shape, k", [((7,), 3), ((2, 3, 7), 100)])
def test_temperature_zero_is_argmax(submission, rng, shape, k):
    """temperature 0 gives the most probable token, by however little it is ahead"""
    logits = rng.normal(*shape, scale=1e-6)
    assert_equal(token_ids(submission.sample_top_k(logits, k, temperature=0.0)), logits.argmax(-1))


def test_negative_temperature_raises(submission, rng):
    """a temperature below 0 raises a ValueError"""
    assert_raises(submission.sample_top_k, rng.normal(2, 7), 3, temperature=-0.5)


def test_generator_makes_draws_repeatable(submission, rng):
    """a generator in the same state gives the same tokens"""
    logits, generator = rng.normal(61, 11), rng.as_generator()
    first, second = (token_ids(submission.sample_top_k(logits, 7, 1.0, generator)) for _ in range(2))
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
    return [answer.sample_top_k(logits, 7, generator=generator) for _ in range(2)]


def test_global_generator_without_another(submission, rng):
    """without a generator PyTorch's global one is used: torch.manual_seed makes draws repeatable"""
    first, second, third = submission.run(draw_with_seed, rng.normal(61, 11))
    assert_true(torch.equal(first, second), "the same torch.manual_seed gives other tokens")
    assert_true(not torch.equal(second, third), "every draw gives the same tokens")


def draw_with_seed(answer, logits):
    torch.manual_seed(5)
    first = answer.sample_top_k(logits, 7)
    torch.manual_seed(5)
    return first, answer.sample_top_k(logits, 7), answer.sample_top_k(logits, 7)


@pytest.mark.parametrize("temperature", [0.0, 2.0])
def test_sampler_does_not_modify_logits(submission, rng, temperature):
    """sample_top_k does not modify logits"""
    assert_inputs_unchanged(submission.sample_top_k, rng.normal(3, 7), 3, temperature=temperature)


MISTAKES = [
    Mistake(
        "tie-of-rounded-probabilities",
        find="""\
    values, tokens = logits.topk(k, dim=-1)  # (..., k)
    # By place rather than by comparing with the smallest kept: that would keep more than k where values tie.
    filtered = torch.full_like(logits, -math.inf)
    return filtered.scatter(-1, tokens, values)""",
        replace="""\
    probs = torch.softmax(logits, dim=-1)
    return logits.masked_fill(probs < probs.topk(k, dim=-1).values[..., -1:], -math.inf)""",
        says="You compare probabilities with the k-th largest one. Logits that differ can have probabilities "
        "that round to the same number (0, for the improbable), and then you keep more than k. Compare the "
        "logits themselves, or keep the places that topk gives: these are always k.",
    ),
    Mistake(
        "tie-in-float32",
        find="logits.topk(k, dim=-1)  # (..., k)",
        replace="logits.float().topk(k, dim=-1)\n    return logits.masked_fill(logits.float() < "
        "values[..., -1:], -math.inf)",
        says="You compare the logits in float32, where those of float64 that are close become equal: then "
        "more than k are kept. Compare them in their own dtype.",
    ),
    Mistake(
        "kth-dropped",
        find="""\
    # By place rather than by comparing with the smallest kept: that would keep more than k where values tie.
    filtered = torch.full_like(logits, -math.inf)
    return filtered.scatter(-1, tokens, values)""",
        replace="    return logits.masked_fill(logits <= values[..., -1:], -math.inf)",
        says="You drop the k-th largest logit too, because you compare with <=: k - 1 are kept, for k = 1 "
        "none. Drop only what is strictly smaller than the k-th.",
    ),
    Mistake(
        "k-above-the-vocabulary",
        find="    k = min(k, logits.shape[-1])  # topk fails for more than there are",
        replace="",
        says="torch.topk fails when k is larger than the vocabulary. Then all logits are kept: "
        "k = min(k, logits.shape[-1]).",
    ),
    Mistake(
        "k-unchecked",
        find="""\
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
""",
        replace="",
        says="You do not check k: 0 keeps nothing, so that no distribution is left, and what a negative one "
        "does depends on how you select. Raise a ValueError for k below 1.",
    ),
    Mistake(
        "smallest-kept",
        find="logits.topk(k, dim=-1)",
        replace="logits.topk(k, dim=-1, largest=False)",
        says="You keep the k *smallest* logits. Sort descending, or use topk with largest=True (its "
        "default).",
    ),
    Mistake(
        "one-threshold-for-all-rows",
        find="""\
    # By place rather than by comparing with the smallest kept: that would keep more than k where values tie.
    filtered = torch.full_like(logits, -math.inf)
    return filtered.scatter(-1, tokens, values)""",
        replace="    return logits.masked_fill(logits < values.min(), -math.inf)",
        says="You compare every row with one number, which is right for a single row only. Each row has its "
        "own k-th largest logit: keep the last dimension, values[..., -1:], so that it broadcasts.",
    ),
    Mistake(
        "kept-in-every-row",
        find="    return filtered.scatter(-1, tokens, values)",
        replace="""\
    chosen = tokens.flatten().unique()
    filtered[..., chosen] = logits[..., chosen]
    return filtered""",
        says="You index with the kept tokens of all rows at once, so a token that one row keeps is kept in "
        "every row. That works for a single row only; scatter row by row, along the last dimension.",
    ),
    Mistake(
        "removed-logits-zero",
        find="torch.full_like(logits, -math.inf)",
        replace="torch.zeros_like(logits)",
        says="You set the removed logits to 0. That is no zero probability: exp(0) = 1, often more than the "
        "kept ones have. -inf is exactly 0 after the softmax.",
    ),
    Mistake(
        "large-negative-instead-of-infinity",
        find="torch.full_like(logits, -math.inf)",
        replace="torch.full_like(logits, -1e9)",
        says="You fill in a large negative number. Its probability is only nearly 0, or not at all "
        "beside logits of that size: -inf is exactly 0 after the softmax, and the contract asks "
        "for it.",
    ),
    Mistake(
        "only-the-k-returned",
        find="    return filtered.scatter(-1, tokens, values)",
        replace="    return values",
        says="You return the k values without their places in the vocabulary, so nobody knows which tokens "
        "they are. The result has the shape of the logits: scatter the values into a row of -inf.",
    ),
    Mistake(
        "logits-overwritten",
        find="    return filtered.scatter(-1, tokens, values)",
        replace="    return logits.copy_(filtered.scatter(-1, tokens, values))",
        says="You write -inf into the caller's logits. The argument must stay as it is: work on a copy, or "
        "use masked_fill and scatter without the underscore.",
    ),
    Mistake(
        "temperature-after-softmax",
        find="""\
    filtered = top_k_filter(logits / temperature, k)
    probs = torch.softmax(filtered, dim=-1)""",
        replace="""\
    filtered = top_k_filter(logits, k)
    probs = torch.softmax(filtered, dim=-1) / temperature""",
        says="You apply the temperature after the softmax. Dividing all probabilities by the same number "
        "changes nothing once they are normalized, and multinomial normalizes. Divide the logits, before the "
        "softmax.",
    ),
    Mistake(
        "temperature-multiplied",
        find="filtered = top_k_filter(logits / temperature, k)",
        replace="filtered = top_k_filter(logits * temperature, k)",
        says="You multiply by the temperature, so a high one makes the draw more certain. Divide: a "
        "high temperature flattens the distribution.",
    ),
    Mistake(
        "temperature-divided-in-place",
        find="    filtered = top_k_filter(logits / temperature, k)",
        replace="    filtered = top_k_filter(logits.div_(temperature), k)",
        says="You divide the caller's logits in place. The argument must stay as it is: logits / "
        "temperature makes a new tensor.",
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
        "negative-temperature-accepted",
        find="""\
    if temperature < 0:
        raise ValueError(f"temperature must not be negative, not {temperature}")""",
        replace="",
        says="You accept a temperature below 0, which would make the least probable token the most "
        "probable one. Raise a ValueError.",
    ),
    Mistake(
        "uniform-among-the-k",
        find="    probs = torch.softmax(filtered, dim=-1)",
        replace="    probs = filtered.isfinite().to(logits.dtype)",
        says="You draw the k kept tokens with equal chances. They keep their relative probabilities: draw "
        "from the softmax of the filtered logits.",
    ),
    Mistake(
        "probabilities-over-rows",
        find="probs = torch.softmax(filtered, dim=-1)",
        replace="probs = torch.softmax(filtered, dim=0).nan_to_num()",
        says="Your softmax runs over the first dimension, the rows of the batch (right for a single "
        "row only). Every row is a distribution over the vocabulary: softmax over the last "
        "dimension.",
    ),
    Mistake(
        "generator-ignored",
        find="num_samples=1, generator=generator",
        replace="num_samples=1",
        says="You never use the generator, so a draw cannot be repeated. Pass it on to "
        "torch.multinomial (or whatever draws).",
    ),
    Mistake(
        "first-row-for-all",
        find="torch.multinomial(rows, num_samples=1, generator=generator)",
        replace="torch.multinomial(rows[0], num_samples=len(rows), replacement=True, generator=generator)",
        says="You draw every row's token from the first row's distribution, which is right for a batch "
        "of one only. Flatten the leading dimensions and draw one token from each row.",
    ),
    Mistake(
        "place-instead-of-token",
        find="""\
    probs = torch.softmax(filtered, dim=-1)
    rows""",
        replace="""\
    probs = torch.softmax(filtered, dim=-1).sort(dim=-1, descending=True).values
    rows""",
        says="You return the place among the k kept tokens, not the token. topk also gives the tokens: "
        "look the place up with tokens.gather(-1, place), or draw in the vocabulary's order.",
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
]
