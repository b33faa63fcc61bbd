"""Checks of `greedy_decode`: every row against a loop over it alone, and what next_logits is asked."""

import pytest
import torch
from torch import Tensor

from grader.kit import assert_equal, assert_true
from grader.kit.rounds import is_second_round
from grader.kit.small import whole

BOS, EOS, PAD = 1, 2, 0


def workload(submission, rng):
    return submission.greedy_decode.measure(random_model(rng, 16, 31), 16, BOS, EOS, PAD, 11)


LADDER = [(1, 2), (1, 3), (2, 3), (3, 4)]


def smallest(submission, rng, batch, max_len):
    """small whole numbers give what a loop over single rows gives"""
    table = whole(rng, 3, 3, most=5) + torch.tensor([0.25, 0.5, 0.75])  # no ties

    def next_logits(tokens):
        return table[tokens[:, -1]]

    came = submission.greedy_decode(next_logits, batch, BOS, EOS, PAD, max_len)
    assert_equal(came, looped(next_logits, batch, BOS, EOS, PAD, max_len))


def random_model(rng, batch, vocab, eos_bonus=0.0, dtype=torch.float64, max_len=20, eos=EOS):
    """Logits that depend on the row, and on all of its tokens and their places."""
    table = rng.normal(batch, max_len, vocab, vocab)

    def next_logits(tokens):
        assert isinstance(tokens, Tensor), f"next_logits takes a tensor, a {type(tokens).__name__} came"
        assert tokens.dtype == torch.int64, f"next_logits takes int64, {tokens.dtype} came"
        length = tokens.shape[-1]
        assert tokens.shape == (batch, length), (
            f"next_logits takes all {batch} rows, the shape {tuple(tokens.shape)} came"
        )
        assert 0 <= int(tokens.min()) <= int(tokens.max()) < vocab, (
            "next_logits is asked about a token that is not in the vocabulary"
        )
        rows = torch.arange(batch).unsqueeze(1)
        logits = table[rows, torch.arange(length), tokens].sum(1)
        logits[:, eos] += eos_bonus
        return logits.to(dtype)

    return next_logits


def looped(next_logits, batch, bos=BOS, eos=EOS, pad=PAD, max_len=8):
    """The oracle: each row alone in a list; the others of the batch stand beside it as they happen to be."""
    rows = [[bos] for _ in range(batch)]
    done = [False] * batch
    while len(rows[0]) < max_len and not all(done):
        logits = next_logits(torch.tensor(rows)).tolist()
        for number, row in enumerate(rows):
            token = pad if done[number] else max(range(len(logits[number])), key=logits[number].__getitem__)
            done[number] = done[number] or token == eos
            row.append(token)
    return torch.tensor(rows)


def assert_decoded(submission, model, batch, bos=BOS, eos=EOS, pad=PAD, max_len=8):
    came = submission.greedy_decode(model, batch, bos, eos, pad, max_len)
    assert_equal(came, looped(model, batch, bos, eos, pad, max_len))


@pytest.mark.parametrize("batch, vocab, max_len", [(3, 11, 5), (1, 7, 6), (5, 3, 4)])
def test_the_largest_logit_is_appended(submission, rng, batch, vocab, max_len):
    """each step appends the token with the largest logit, up to max_len tokens with bos"""
    assert_decoded(submission, random_model(rng, batch, vocab, -9.0), batch, max_len=max_len)


def test_large_vocabularies(submission):
    """token ids beyond 2^16 are right"""
    follows = {BOS: 33_003, 33_003: 65_539, 65_539: 70_000}

    def next_logits(tokens):
        logits = torch.zeros(len(tokens), 70_001)
        wanted = [follows.get(last, EOS) for last in tokens[:, -1].tolist()]
        logits[torch.arange(len(tokens)), torch.tensor(wanted)] = 1.0
        return logits

    assert_decoded(submission, next_logits, 2)


@pytest.mark.parametrize("bonus, batch", [(-1.0, 7), (0.5, 7), (2.0, 7), (0.5, 139)])
def test_pads_follow_eos(submission, rng, bonus, batch):
    """after its eos a row holds pads, while the others go on"""
    assert_decoded(submission, random_model(rng, batch, 5, bonus), batch, max_len=12)


def ending(lengths, vocab=5):
    """A model whose row i says eos as token number lengths[i] behind bos, and else 3 and 4 in turns."""

    def next_logits(tokens):
        length = tokens.shape[1]
        wanted = [EOS if length == end else 3 + length % 2 for end in lengths]
        logits = torch.zeros(len(lengths), vocab, dtype=torch.float64)
        logits[torch.arange(len(lengths)), torch.tensor(wanted)] = 1.0
        return logits

    return next_logits


@pytest.mark.parametrize("lengths", [(2, 4, 3), (1, 1), (5, 1), (3,)])
def test_stops_when_all_are_finished(submission, rng, lengths):
    """ends with the eos of the longest row, however large max_len is"""
    assert_decoded(submission, ending(lengths), len(lengths), max_len=50)
    if is_second_round():
        length = int(rng.integers(60, 90, 1))
        assert_decoded(submission, ending((3, length)), 2, max_len=length + int(rng.integers(0, 7, 1)))


@pytest.mark.parametrize("max_len", [1, 2, 4, 5])
def test_stops_at_max_len(submission, max_len):
    """has max_len tokens, bos included, where some row is unfinished by then; max_len 1 is bos alone"""
    assert_decoded(submission, ending((2, 9, 4)), 3, max_len=max_len)


def test_next_logits_gets_all_rows(submission, rng):
    """next_logits gets all rows each time, finished ones with their pads, once for each column"""
    model, asked = random_model(rng, 5, 5, 0.5), []

    def spy(tokens):
        asked.append(tokens.clone())
        return model(tokens)

    came = submission.greedy_decode(spy, 5, BOS, EOS, PAD, 12)
    whole_text = looped(model, 5, max_len=12)
    expected = [whole_text[:, :length] for length in range(1, whole_text.shape[1])]
    assert_equal(came, whole_text)
    assert_equal(asked, expected, what="tokens that next_logits is asked about")


@pytest.mark.parametrize("lengths, max_len", [((9, 9), 1), ((9, 9), 4), ((1, 3), 9)])
def test_not_asked_too_often(submission, lengths, max_len):
    """next_logits is not asked once max_len is reached or all rows are finished"""
    asked = []
    model = ending(lengths)

    def spy(tokens):
        asked.append(tokens.shape[1])
        return model(tokens)

    came = submission.greedy_decode(spy, 2, BOS, EOS, PAD, max_len)
    assert_equal(came, looped(model, 2, max_len=max_len))
    times = min(max_len - 1, max(lengths))
    message = f"it is asked {len(asked)} times instead of {times}"
    assert_true(asked == list(range(1, times + 1)), message, seen=asked)


@pytest.mark.parametrize("bos, eos, pad", [(0, 4, 1), (4, 0, 3), (3, 1, 3), (1, 2, 2)])
def test_other_ids(submission, rng, bos, eos, pad):
    """bos_id, eos_id and pad_id may be any tokens; pad_id may equal one of the others"""
    assert_decoded(submission, random_model(rng, 6, 5, 0.5, eos=eos), 6, bos, eos, pad, 9)


def test_bos_is_no_eos(submission, rng):
    """where bos_id equals eos_id, as in GPT-2, the first token finishes nothing"""
    assert_decoded(submission, random_model(rng, 6, 5, 0.5), 6, bos=EOS, max_len=9)


def test_bos_and_pad_may_be_appended(submission):
    """an unfinished row may append bos and pad, and goes on"""
    said = torch.tensor([[4, PAD, BOS, 3, EOS], [PAD, PAD, EOS, 4, 4]])

    def next_logits(tokens):
        place = min(tokens.shape[1] - 1, 4)  # to ask too often is another check's matter
        return torch.nn.functional.one_hot(said[:, place], 5).double()

    assert_decoded(submission, next_logits, 2, max_len=9)


@pytest.mark.parametrize("scale, shift", [(1.0, 50.0), (1e12, 1e13), (1e-9, 0.0)])
def test_logits_of_all_kinds(submission, rng, scale, shift):
    """logits may be negative, -inf or float32, and of any size: far below 0, or all of them near it"""
    model = random_model(rng, 4, 7, 1.0, dtype=torch.float32)
    allowed = rng.mask(7, 7)

    def next_logits(tokens):
        return (scale * model(tokens) - shift).masked_fill(~allowed[tokens[:, -1]], -torch.inf)

    assert_decoded(submission, next_logits, 4, max_len=9)


def test_close_logits(submission, rng):
    """float64 logits that are equal in float32 are told apart"""
    order = torch.stack([rng.permutation(7) for _ in range(31)]).double()
    near, right = order > 3, order > 5
    logits = torch.where(near, 0.25 + 1e-10 * order, 0.1 * order - 1)
    came = submission.greedy_decode(lambda _: logits, 31, BOS, EOS, PAD, 2)
    if rows_with(came, near) == 31 and 0 < (taken := rows_with(came, right)) < 31:
        # Which of equal logits comes first is each function's own matter, and so no evidence.
        message = f"of logits that differ by 1e-10 the largest is appended in {taken} of 31 rows only"
        assert_true(False, message, seen="one of those that are nearly equal")
    else:
        assert_equal(came, looped(lambda _: logits, 31, max_len=2))


def rows_with(came, tokens):
    """In how many rows the token behind bos is one of these (rows, vocab)."""
    if not isinstance(came, Tensor) or came.shape != (len(tokens), 2):
        return 0
    return int(((came[:, 1:] == torch.arange(tokens.shape[1])) & tokens).sum())


def of_a_model_that_learns(answer, logits):
    table = logits[0].clone()

    def next_logits(tokens):
        return table[tokens[:, -1]]

    came = []
    for other in logits:
        table.copy_(other)
        came.append(answer.greedy_decode(next_logits, 3, 1, 2, 0, 6))
    return came


def test_models_may_learn(submission, rng):
    """a second call asks next_logits again, which may give others than before"""
    logits = rng.normal(3, 7, 7)
    logits[:, :, EOS] -= 9.0
    expected = [looped(lambda tokens, own=own: own[tokens[:, -1]], 3, max_len=6) for own in logits]
    assert_equal(submission.run(of_a_model_that_learns, logits), expected)


def test_calls_are_independent(submission, rng):
    """a second call starts afresh"""
    models = [random_model(rng, batch, 5, 0.5) for batch in (3, 3, 2)]
    cases = list(zip(models, (3, 3, 2), strict=True))
    came = [submission.greedy_decode(model, batch, BOS, EOS, PAD, 7) for model, batch in cases]
    assert_equal(came, [looped(model, batch, max_len=7) for model, batch in cases])
