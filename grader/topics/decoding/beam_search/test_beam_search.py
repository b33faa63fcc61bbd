"""Checks of `beam_search`: exhaustive search where the beam holds all, its definition elsewhere."""

import heapq
import itertools
import math
from functools import partial

import pytest
import torch
from torch import Tensor

from grader.kit import assert_close, assert_equal, assert_true
from grader.kit.rounds import is_second_round

INF = float("inf")
BOS, EOS = 1, 2


def workload(submission, rng):
    return submission.beam_search.measure(random_model(rng, 61, 11), BOS, EOS, 5, 11)


def random_model(rng, vocab, max_len, eos_bonus=0.0, allowed=None, dtype=torch.float64):
    """Log-probabilities that depend on every token so far and on its place; `allowed[last]` may follow."""
    table = rng.normal(max_len + 1, vocab, vocab, scale=0.8)
    table[0, :, EOS] += eos_bonus
    allowed = torch.ones(vocab, vocab, dtype=torch.bool) if allowed is None else allowed

    def log_probs(tokens):
        assert isinstance(tokens, Tensor), f"log_probs takes a tensor, a {type(tokens).__name__} came"
        assert tokens.dim() == 2, f"log_probs takes (beams, length), the shape {tuple(tokens.shape)} came"
        assert not tokens.is_floating_point(), f"log_probs takes integers, {tokens.dtype} came"
        tokens = tokens.long()
        if tokens.numel() and not 0 <= tokens.min() <= tokens.max() < vocab:
            strange = next(token for token in tokens.flatten().tolist() if not 0 <= token < vocab)
            message = f"log_probs is asked about token {strange}, where the vocabulary is 0 … {vocab - 1}"
            assert_true(False, message, seen=strange)
        logits = table[torch.arange(tokens.shape[1]), tokens].sum(1)
        return logits.masked_fill(~allowed[tokens[:, -1]], -INF).log_softmax(-1).to(dtype)

    return log_probs


def exhaustive(log_probs, vocab, max_len):
    """Every hypothesis that there is, with its sum."""
    sequences = [
        (BOS, *rest) for n in range(1, max_len) for rest in itertools.product(range(vocab), repeat=n)
    ]
    return {
        tokens: sum(float(log_probs(torch.tensor([tokens[:i]]))[0, tokens[i]]) for i in range(1, len(tokens)))
        for tokens in sequences
        if EOS not in tokens[:-1] and (tokens[-1] == EOS or len(tokens) == max_len)
    }


def simulated(log_probs, width, max_len, bos=BOS, eos=EOS):
    """What the definition keeps, with the sums: row by row, in dicts."""
    kept = {(bos,): 0.0}
    for _ in range(1, max_len):
        finished = {tokens: total for tokens, total in kept.items() if tokens[-1] == eos}
        extended = {
            (*tokens, token): total + value
            for tokens, total in kept.items()
            if tokens[-1] != eos
            for token, value in enumerate(log_probs(torch.tensor([tokens]))[0].tolist())
            if value > -INF
        }
        kept = dict(heapq.nlargest(width, (finished | extended).items(), key=lambda item: item[1]))
    return kept


def assert_hypotheses(came, sums, length_penalty=0.0):
    """These hypotheses, by their sums, come with their scores, best first."""
    expected = [(list(tokens), total / (len(tokens) - 1) ** length_penalty) for tokens, total in sums.items()]
    expected.sort(key=lambda hypothesis: -hypothesis[1])
    scores = torch.tensor([score for _, score in came], dtype=torch.float64)
    noun = "hypothesis" if len(came) == 1 else "hypotheses"
    count = f"got {len(came)} {noun}, expected {len(expected)}"
    # How low a score is that -inf was replaced in differs from answer to answer.
    low = torch.where(scores.isneginf(), scores, scores.clamp(min=-100))
    assert_true(len(came) == len(expected), count, seen=low)
    for place, ((tokens, score), (wanted, value)) in enumerate(zip(came, expected, strict=True)):
        assert_equal(tokens, wanted, what=f"hypothesis {place}: got {tokens}, expected {wanted}")
        # Sums may be kept in float32.
        assert_close(score, value, tolerance=1e-5, what=f"score of hypothesis {place}")


@pytest.mark.parametrize("length_penalty", [0.0, 0.7, 2.0])
def test_a_wide_beam_finds_everything(submission, rng, length_penalty):
    """a beam that has room for every hypothesis returns them all, like exhaustive search"""
    log_probs = random_model(rng, 3, 4)
    came = submission.beam_search(log_probs, BOS, EOS, 15, 4, length_penalty)
    assert_hypotheses(came, exhaustive(log_probs, 3, 4), length_penalty)


@pytest.mark.parametrize("vocab, beam_width, max_len", [(7, 3, 6), (11, 2, 5), (5, 4, 6), (139, 5, 4)])
def test_keeps_the_best_of_each_step(submission, rng, vocab, beam_width, max_len):
    """each step keeps the beam_width best sums over all beams"""
    log_probs = random_model(rng, vocab, max_len)
    came = submission.beam_search(log_probs, BOS, EOS, beam_width, max_len)
    assert_hypotheses(came, simulated(log_probs, beam_width, max_len))
    for _ in range(2 if is_second_round() else 0):
        beam_width, max_len = rng.option(beam_width, 1, 20), rng.option(max_len, 2, 12)
        log_probs = random_model(rng, rng.option(vocab, 4, 200), max_len, float(rng.normal(1)))
        came = submission.beam_search(log_probs, BOS, EOS, beam_width, max_len, 0.7)
        assert_hypotheses(came, simulated(log_probs, beam_width, max_len), 0.7)


@pytest.mark.parametrize("eos_bonus", [1.0, 2.0, 4.0])
def test_finished_hypotheses_compete(submission, rng, eos_bonus):
    """finished hypotheses stay as they are and compete with unfinished ones by their sums"""
    log_probs = random_model(rng, 7, 6, eos_bonus)
    came = submission.beam_search(log_probs, BOS, EOS, 5, 6)
    assert_hypotheses(came, simulated(log_probs, 5, 6))


def test_finished_hypotheses_are_pushed_out(submission):
    """a finished hypothesis is pushed out by better ones that come later"""
    table = torch.tensor(  # [last, next], where 1 is bos and 2 is eos
        [
            [0.03, 0.02, 0.02, 0.90, 0.03],
            [0.25, 0.02, 0.20, 0.50, 0.03],
            [0.20, 0.20, 0.20, 0.20, 0.20],
            [0.42, 0.02, 0.05, 0.05, 0.46],
            [0.03, 0.02, 0.90, 0.02, 0.03],
        ],
        dtype=torch.float64,
    )
    # The first step keeps 3 (0.5), 0 (0.25) and eos (0.2); the second finds 0.23, 0.225 and 0.21.
    expected = {
        (1, 3, 4, 2): 0.5 * 0.46 * 0.9,
        (1, 3, 0, 3): 0.5 * 0.42 * 0.9,
        (1, 0, 3, 4): 0.25 * 0.9 * 0.46,
    }
    came = submission.beam_search(lambda tokens: table[tokens[:, -1].long()].log(), BOS, EOS, 3, 4)
    assert_hypotheses(came, {tokens: math.log(value) for tokens, value in expected.items()})


@pytest.mark.parametrize("length_penalty", [0.6, 1.0, 3.0])
def test_length_penalty(submission, rng, length_penalty):
    """the returned sums are divided by length**length_penalty and ordered again, nothing else changes"""
    log_probs = random_model(rng, 7, 6, eos_bonus=1.0)
    came = submission.beam_search(log_probs, BOS, EOS, 5, 6, length_penalty=length_penalty)
    assert_hypotheses(came, simulated(log_probs, 5, 6), length_penalty)
    for usual in (0.2, 1.2, rng.option(1.0, 0.02, 4.0)) if is_second_round() else ():
        came = submission.beam_search(log_probs, BOS, EOS, 5, 6, length_penalty=usual)
        assert_hypotheses(came, simulated(log_probs, 5, 6), usual)


@pytest.mark.parametrize("eos_bonus, length_penalty", [(-3.0, 0.0), (1.0, 0.0), (-3.0, 0.7), (1.0, 2.0)])
def test_a_single_beam_is_greedy(submission, rng, eos_bonus, length_penalty):
    """a beam of one follows the most probable token, and its score is divided like any other"""
    log_probs = random_model(rng, 11, 6, eos_bonus)
    came = submission.beam_search(log_probs, BOS, EOS, 1, 6, length_penalty)
    assert_hypotheses(came, simulated(log_probs, 1, 6), length_penalty)


@pytest.mark.parametrize("beam_width, max_len", [(3, 2), (7, 3), (13, 3), (100, 4), (139, 5)])
def test_short_and_wide(submission, rng, beam_width, max_len):
    """a single step, and beams wider than the vocabulary or than all there is, are right"""
    log_probs = random_model(rng, 5, max_len)
    came = submission.beam_search(log_probs, BOS, EOS, beam_width, max_len, 0.5)
    assert_hypotheses(came, simulated(log_probs, beam_width, max_len), 0.5)


def test_impossible_tokens(submission, rng):
    """tokens of probability 0 never come, also where the beam then holds fewer than beam_width"""
    allowed = torch.zeros(7, 7, dtype=torch.bool)
    allowed[:, EOS] = allowed[BOS, 3] = allowed[3, 5] = allowed[5, 3] = True
    log_probs = random_model(rng, 7, 6, allowed=allowed)
    came = submission.beam_search(log_probs, BOS, EOS, 11, 6)
    assert_hypotheses(came, simulated(log_probs, 11, 6))
    if is_second_round():  # two ways that never end, up to a larger max_len
        allowed = torch.zeros(7, 7, dtype=torch.bool)
        allowed[[0, BOS, BOS, EOS, 3, 4, 5, 6], [0, 3, 4, EOS, 5, 6, 3, 4]] = True
        max_len = int(rng.integers(60, 90, 1))
        log_probs = random_model(rng, 7, max_len, allowed=allowed)
        came = submission.beam_search(log_probs, BOS, EOS, 3, max_len)
        assert_hypotheses(came, simulated(log_probs, 3, max_len))


@pytest.mark.parametrize("far", [1e3, 1e5, 1e7])
def test_improbable_tokens(submission, far):
    """tokens of any probability above 0 may follow, however small it is"""
    # [last, next] in units of `far`: 0 is a probability of 1, and no two sums are nearly the same.
    table = torch.tensor(
        [[-9.17, -4.71, -2.37, 0.0], [-1.13, -INF, -3.91, 0.0], [0.0] * 4, [0.0, -INF, -7.43, -5.39]]
    )

    def log_probs(tokens):
        return far * table[tokens[:, -1].long()].double()

    came = submission.beam_search(log_probs, BOS, EOS, 5, 4)
    assert_hypotheses(came, simulated(log_probs, 5, 4))


def test_large_vocabularies(submission, rng):
    """token ids beyond 2^16 are right"""
    ids = torch.tensor([33_003, BOS, EOS, 65_539, 70_000])  # the tokens that have a probability
    few = random_model(rng, 5, 4)

    def log_probs(tokens):
        strange = tokens[~torch.isin(tokens.long(), ids)].tolist()
        if strange:  # otherwise nothing is noted: how often it is asked differs from answer to answer
            assert_true(False, f"log_probs is asked about {strange[:1]}, which never follows", seen=False)
        spread = torch.full((len(tokens), 70_001), -INF, dtype=torch.float64)
        spread[:, ids] = few((tokens.unsqueeze(-1) == ids).int().argmax(-1))
        return spread

    wanted = {tuple(ids[list(tokens)].tolist()): total for tokens, total in simulated(few, 2, 4).items()}
    assert_hypotheses(submission.beam_search(log_probs, BOS, EOS, 2, 4), wanted)


def test_stops_when_all_are_finished(submission, rng):
    """ends with what is finished, however large max_len is"""
    allowed = torch.zeros(5, 5, dtype=torch.bool)
    allowed[BOS, 3] = allowed[BOS, 4] = allowed[3, 4] = allowed[2:, EOS] = allowed[0, EOS] = True
    log_probs = random_model(rng, 5, 50, allowed=allowed)
    came = submission.beam_search(log_probs, BOS, EOS, 4, 50, 1.0)
    assert_hypotheses(came, simulated(log_probs, 4, 5), 1.0)


def of_a_model_that_learns(answer, tables):
    table = tables[0].clone()

    def log_probs(tokens):
        return table[tokens.shape[1] - 1, tokens[:, -1].long()]

    came = []
    for other in tables:
        table.copy_(other)
        came.append(answer.beam_search(log_probs, 1, 2, 3, 4))
    return came


def test_models_may_learn(submission, rng):
    """a second call asks log_probs again, which may give others than before"""
    # By the last token alone, sequences of the same steps in another order would have one sum.
    tables = rng.normal(2, 3, 7, 7).log_softmax(-1)
    came = submission.run(of_a_model_that_learns, tables)
    for one, own in zip(came, tables, strict=True):
        by_place = partial(lambda table, tokens: table[tokens.shape[1] - 1, tokens[:, -1].long()], own)
        assert_hypotheses(one, simulated(by_place, 3, 4))


def test_asks_about_unfinished_sequences(submission, rng):
    """log_probs is asked about unfinished sequences that begin with bos, and about no others"""
    log_probs, asked = random_model(rng, 5, 7, eos_bonus=2.0), []

    def spy(tokens):
        asked.extend(tokens.tolist())
        return log_probs(tokens)

    submission.beam_search(spy, BOS, EOS, 4, 7)
    strange = [tokens for tokens in asked if EOS in tokens or tokens[:1] != [BOS]]
    # How often, and what fills them up behind eos, differs from answer to answer.
    which = sorted({tuple(tokens[: [*tokens, EOS].index(EOS) + 1]) for tokens in strange})
    message = f"log_probs is asked about {strange[:1]}, where bos is 1 and eos 2"
    assert_true(not strange, message, seen=which)


@pytest.mark.parametrize("bos, eos", [(0, 4), (5, 0), (3, 6)])
def test_other_ids(submission, rng, bos, eos):
    """bos_id and eos_id may be any tokens, in float32 too"""
    log_probs = random_model(rng, 7, 5, dtype=torch.float32)
    came = submission.beam_search(log_probs, bos_id=bos, eos_id=eos, beam_width=4, max_len=5)
    assert_hypotheses(came, simulated(log_probs, 4, 5, bos, eos))
