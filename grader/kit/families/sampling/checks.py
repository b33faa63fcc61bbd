"""What the checks of samplers share: which tokens are drawn, how often, and where the randomness comes from.

A sampler is called as `sample(logits, limit, temperature, generator)`. What the limit is, is its own matter.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import (
    assert_arguments_unchanged,
    assert_close,
    assert_distribution,
    assert_equal,
    assert_true,
)
from grader.kit.generators import Rng
from grader.kit.handles import Function, Submission
from grader.kit.recording import fail, record
from grader.kit.rounds import is_second_round
from grader.worker.wire import Seeded

ROWS = 3
"""Single rows that are drawn from twice: with those of the second round hardly the same by chance."""
TIMES = 25
"""So often is drawn where only one result is possible."""
RARE = 48
"""So many tokens of 1/4096 each: who draws by 1,024 different numbers hits each fourth."""
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def logits_of(*probabilities: float, dtype: torch.dtype = torch.float64) -> Tensor:
    """Logits with these probabilities, up to a constant that changes nothing."""
    return torch.tensor(probabilities, dtype=torch.float64).log().add(0.7).to(dtype)


def far_apart(rng: Rng, *shape: int) -> Tensor:
    """Rows of logits of which one token has all the probability, beside others of less than 1e-20."""
    rows = [rng.permutation(shape[-1]) for _ in range(math.prod(shape[:-1]))]
    return torch.stack(rows).reshape(shape).double() * 50


def row_by_row(oracle: Callable[[Tensor, Any], Tensor], logits: Tensor, limit: float) -> Tensor:
    """What the oracle for one row makes of every row."""
    rows = [oracle(row, limit) for row in logits.reshape(-1, logits.shape[-1])]
    return torch.stack(rows).reshape(logits.shape)


def assert_filtered(came: Any, expected: Tensor, *, tolerance: float | None = None) -> None:
    """The filtered logits are these; where the wrong tokens are -inf, the message names them."""
    alike = isinstance(came, Tensor) and (came.shape, came.dtype) == (expected.shape, expected.dtype)
    if alike and bool(came.isneginf().any()):
        kept, wanted = ~came.isneginf(), ~expected.isneginf()
        record([kept, came], [wanted, expected], tolerance)
        if not torch.equal(kept, wanted):
            fail(_wrong_tokens(kept, wanted))
    assert_close(came, expected, tolerance=tolerance)


def _wrong_tokens(kept: Tensor, wanted: Tensor) -> str:
    """Those of the first row that has any."""
    rows = (kept != wanted).any(dim=-1)
    row = tuple(rows.nonzero()[0].tolist())
    where, total = (f"row {list(row)}: " if row else ""), rows.numel()
    parts = [
        f"{'token' if len(tokens) == 1 else 'tokens'} {', '.join(map(str, tokens))} {words}"
        for tokens, words in (
            ((wanted & ~kept)[row].nonzero().flatten().tolist(), "should be kept, yours -inf"),
            ((kept & ~wanted)[row].nonzero().flatten().tolist(), "should be -inf"),
        )
        if tokens
    ]
    share = f"; {int(rows.sum())} of {total} rows differ" if total > 1 else ""
    return where + "; ".join(parts) + share


def token_ids(came: Any, *shape: int) -> Tensor:
    """The tokens as int64, whatever integers they are; their shape has to be this one."""
    kind = getattr(came, "dtype", type(came).__name__)
    assert_true(kind in INTEGERS, f"got {kind}, expected a tensor of integers")
    message = f"got shape {tuple(came.shape)}, expected {shape}"
    assert_true(came.shape == shape, message, seen=list(came.shape))
    tokens: Tensor = came.long()
    return tokens


def assert_drawn(came: Any, probabilities: Tensor, *, draws: int) -> None:
    """So many tokens came, from equal rows: every one of positive probability, no other, and in the right
    proportions."""
    tokens = token_ids(came, draws)
    drawn, kept = tokens.unique().tolist(), probabilities.nonzero().flatten().tolist()
    # Which token it is may be chance, and so no evidence.
    message = f"{draws} equal rows all give token {drawn[0]}: each should draw one of {kept} for itself"
    assert_true(len(drawn) > 1 or len(kept) == 1, message)
    assert_true(drawn == kept, f"{draws} equal rows give the tokens {drawn}, it should be {kept}", seen=drawn)
    assert_distribution(tokens, probabilities)


def assert_follows(
    sample: Function, row: Tensor, limit: float, probabilities: Tensor, *, draws: int, **how: Any
) -> None:
    """What is drawn for so many rows like this one follows these probabilities. `how` goes to the sampler."""
    assert_drawn(sample(row.repeat(draws, 1), limit, **how), probabilities, draws=draws)


def assert_follows_far_from_zero(
    sample: Function, row: Tensor, limit: float, probabilities: Tensor, rng: Rng
) -> None:
    """In the second round: what is drawn stays the same where a number is added to all logits of a row."""
    if is_second_round():  # float32 tells such logits apart to the third digit; exp overflows or is 0
        shift = rng.option(1000.0, 800.0, 3000.0) * (1 if rng.integers(0, 2, 1) else -1)
        assert_follows(sample, row + shift, limit, probabilities, draws=500)
        tokens = token_ids(sample(torch.stack([row + shift, row - shift]).repeat(250, 1), limit), 500)
        for each in (tokens[::2], tokens[1::2]):
            assert_drawn(each, probabilities, draws=250)


def assert_logits_stay(sample: Function, limit: float, rng: Rng) -> None:
    """In the second round: no logits are written to, in both dtypes, at temperature 1 and another one."""
    for dtype in (torch.float32, torch.float64) if is_second_round() else ():
        for temperature in (1.0, rng.option(2.0, 0.3, 3.0)):
            logits = rng.normal(3, 7, dtype=dtype)
            assert_arguments_unchanged(sample, logits, limit, temperature=temperature)


def assert_rows_independent(came: Tensor, first: Tensor, second: Tensor) -> None:
    """Of pairs of tokens (draws, 2), each follows its own row's probabilities, whatever the other is."""
    draws, vocab = len(came), len(first)
    assert_drawn(came[:, 0], first, draws=draws)
    assert_drawn(came[:, 1], second, draws=draws)
    pairs = came[:, 0] * vocab + came[:, 1]
    assert_distribution(pairs, torch.outer(first, second).flatten(), what="pairs")


def assert_most_probable(
    sample: Function, logits: Tensor, limit: float, what: str = "result", **how: Any
) -> None:
    """One token came for each row, in the shape of the leading dimensions: its most probable one."""
    came = token_ids(sample(logits, limit, **how), *logits.shape[:-1])
    often = token_ids(sample(logits.repeat(TIMES, *[1] * logits.dim()), limit, **how), TIMES, *came.shape)
    same = bool((often == came).all())
    # Which tokens are drawn is chance, and so no evidence.
    assert_true(same, f"{what}: other tokens come at other times, one is possible in each row", seen=same)
    assert_equal(came, logits.argmax(-1), what=what)


def assert_zeros_are_drawn_like_others(sample: Function, limit: float) -> None:
    """Where a logit of 0 stands beside others of -40, it is drawn."""
    rows = torch.tensor([[-40.0, 0.0, -80.0], [0.0, -40.0, -80.0], [-80.0, -40.0, 0.0]])
    came = token_ids(sample(rows.repeat(TIMES, 1), limit), TIMES * len(rows)).view(TIMES, -1)
    right = bool((came == rows.argmax(dim=-1)).all())
    # Which tokens are drawn is chance, and so no evidence.
    assert_true(right, "tokens of logits of 0 beside others of -40 are not always drawn", seen=right)


def assert_large_vocabulary(
    keep: Function, limit_of: Callable[[Tensor, int], float], rng: Rng, *, size: int = 4000
) -> None:
    """A filter keeps exactly so many of some thousand tokens, where `limit_of` gives the limit that is well
    between keeping one less and one more, of the logits from the largest down.
    """
    places = rng.permutation(size)  # from the smallest logit up
    logits = places.float() * (2 / size) - 1
    for kept in (size * 3 // 8, size * 5 // 8, size * 7 // 8):
        limit = limit_of(logits.double().sort(descending=True).values, kept)
        expected = logits.masked_fill(places < size - kept, -torch.inf)
        came = keep(logits, limit)
        alike = isinstance(came, Tensor) and (came.shape, came.dtype) == (expected.shape, expected.dtype)
        count = int((came > -torch.inf).sum()) if alike else None
        message = f"{count:,} of {size:,} tokens are kept, it should be {kept:,}" if alike else ""
        assert_true(count is None or count == kept, message, seen=count == kept)
        assert_close(came, expected)


def assert_drawn_from_large_vocabulary(
    sample: Function, limit_of: Callable[[Tensor, int], float], rng: Rng, *, draws: int = 300
) -> None:
    """Of hundreds of tokens those that are kept are drawn, as often as their probabilities say. `limit_of` as
    above. Counted is by fifths of the kept ones, from the most probable down: each one comes seldom.
    """
    # Fewer where it is left to chance how many: an answer may compare all pairs of tokens in every row.
    size = int(rng.integers(150, 500 if is_second_round() else 1200, 1))
    kept, rank = size * 3 // 8, rng.permutation(size)
    logits = 2 - rank.double() * (4 / size)
    probabilities = logits.masked_fill(rank >= kept, -torch.inf).softmax(-1)
    limit = limit_of(logits.sort(descending=True).values, kept)
    came = token_ids(sample(logits.repeat(draws, 1), limit, generator=rng.as_generator()), draws)
    known = bool(((came >= 0) & (came < size)).all())
    assert_true(known, f"there are tokens outside of a vocabulary of {size}", seen=known)
    fifth = (rank * 5 // kept).clamp(max=5)  # 5 for those that are not kept
    expected = torch.zeros(6, dtype=torch.float64).index_add(0, fifth, probabilities)
    assert_distribution(fifth[came], expected, what=f"fifths of the {kept} tokens that are kept of {size}")


def assert_rare_tokens_are_drawn(sample: Function, keeps_all: float, generator: Seeded) -> None:
    """Of 48 tokens with a probability of 1/4096 each, most come in 6,000 draws."""
    common = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64) * (1 - RARE / 4096)
    rare = torch.linspace(0.999, 1.001, RARE, dtype=torch.float64) / 4096
    row = torch.cat([torch.cat([common[n, None], rare[n::4]]) for n in range(4)]).log().float()
    came = token_ids(sample(row.repeat(6_000, 1), keeps_all, generator=generator), 6_000)
    hit = sum(token % (RARE // 4 + 1) != 0 for token in came.unique().tolist())
    # 37 are expected; fewer than 17 come less than once in a billion times.
    message = f"of {RARE} tokens with a probability of 1/4096 each {hit} come in 6,000 draws, some 37 should"
    assert_true(hit >= 17, message, seen=hit >= 17)


def assert_near_ties_told_apart(sample: Function, limit: float, generator: Seeded, *, draws: int) -> None:
    """At temperature 0 the most probable token comes, where another is nearly as probable."""
    row = torch.tensor([0.3, 0.7, -0.2, 0.7 + 1e-12, 0.1], dtype=torch.float64)
    highest = torch.eye(5, dtype=torch.float64)[3]
    assert_follows(sample, row, limit, highest, draws=draws, temperature=0.0, generator=generator)


def assert_repeatable(
    sample: Function, logits: Tensor, limit: float, *others: float, generator: Seeded
) -> None:
    """A generator in the same state gives the same tokens; `logits` are a batch of rows. With other limits
    (those that keep all, say) a batch is tried, and no single rows.
    """
    # The generator arrives fresh at every call.
    seen = []
    for each in (limit, *others):
        first, second = (token_ids(sample(logits, each, 1.0, generator), len(logits)) for _ in range(2))
        seen.append(torch.equal(first, second))
    # A row without a batch may go its own way; one draw could be the same by chance.
    singly = [[int(sample(row, limit, 1.0, generator)) for row in logits[:ROWS]] for _ in range(2)]
    seen.append(singly[0] == singly[1])
    which = "" if not all(seen[:-1]) else ", for a single row of logits"
    assert_true(
        all(seen), f"two calls with the same state of the generator give other tokens{which}", seen=seen
    )
    if is_second_round():
        rows = logits.repeat(17, 1)
        by_default = token_ids(sample(rows, limit, generator=generator), len(rows))
        at_one = token_ids(sample(rows, limit, temperature=1.0, generator=generator), len(rows))
        same = torch.equal(by_default, at_one)
        assert_true(same, "without a temperature other tokens come than with temperature=1.0", seen=same)


def assert_generator_moves_on(
    submission: Submission, name: str, logits: Tensor, limit: float, generator: Seeded
) -> None:
    """A second draw of the sampler of this name, with the same generator, gives other tokens."""
    first, second = submission.run(_draw_twice, name, logits, limit, generator)
    message = "a second draw with the generator gives the same tokens again"
    assert_true(not torch.equal(first, second), message)


def assert_global_generator_is_used(submission: Submission, name: str, logits: Tensor, limit: float) -> None:
    """Without a generator, `torch.manual_seed` makes the draws of the sampler of this name repeatable."""
    first, second, third = submission.run(_draw_with_seed, name, logits, limit)
    assert_true(torch.equal(first, second), "the same torch.manual_seed gives other tokens")
    assert_true(not torch.equal(second, third), "every draw gives the same tokens")


def _draw_twice(
    answer: object, name: str, logits: Tensor, limit: float, generator: torch.Generator
) -> list[Tensor]:
    sample = getattr(answer, name)
    return [sample(logits, limit, 1.0, generator) for _ in range(2)]


def _draw_with_seed(answer: object, name: str, logits: Tensor, limit: float) -> list[Tensor]:
    sample = getattr(answer, name)
    torch.default_generator.manual_seed(5)
    first = sample(logits, limit)
    torch.default_generator.manual_seed(5)
    return [first, sample(logits, limit), sample(logits, limit)]
