"""Checks of `speculative_decoding`: rows without chance, the exact distribution, and counted calls."""

import math

import pytest
import torch

from grader.kit import assert_distribution, assert_equal, assert_inputs_unchanged, assert_raises, assert_true
from grader.kit.families.sampling.speculative import (
    assert_varied,
    assert_verified_among_many,
    decoded,
    digits,
    exact,
    many,
    one_hot_tables,
    rows,
    seeded,
    seen,
    sequences,
    sure,
    verified,
    watched,
    written,
)
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device, assert_scenario_keeps_device

VERIFIED = 1500
DECODED = 600


def workload(submission, rng):
    tokens, probs = rng.integers(0, 100, 4), rng.normal(9, 100).softmax(-1)
    measured = submission.verify.measure(tokens, probs[:4], probs[4:])
    return type(measured)(None, measured.matmul_flops, measured.largest_tensor, measured.operations)


LADDER = [(2, 1), (3, 1), (3, 2), (4, 2)]


def smallest(submission, rng, vocab, drafted):
    """rows with a single possible token leave nothing to chance"""
    tokens = rng.integers(0, vocab, drafted)
    wanted = torch.cat([tokens[:-1], rng.integers(0, vocab, 2)])
    came = submission.verify(tokens, sure(*tokens.tolist(), vocab=vocab), sure(*wanted.tolist(), vocab=vocab))
    refused = bool(tokens[-1] != wanted[-2])
    assert_equal(came, wanted[:drafted] if refused else wanted)


# verify, without chance


def assert_verified(submission, *args, wanted):
    """The result is always this one. Of a wrong answer that draws, all that it may give is the evidence."""
    assert_equal(seen(submission, *args), [wanted])
    assert_equal(submission.verify(*args), torch.tensor(wanted))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_equal_rows_keep_all(submission, rng, dtype):
    """where target and draft agree every draft is kept, and one more token comes from the last row"""
    probs, tokens = rng.normal(13, 5).softmax(-1).to(dtype), rng.integers(0, 5, 13)
    target = torch.cat([probs, sure(3, vocab=5, dtype=dtype)])
    came = submission.run(verified, 40, tokens, probs, target)
    same = bool((came == came[0]).all())
    assert_true(same, "calls with equal rows give one thing and another: drafts are refused", seen=same)
    assert_equal(submission.verify(tokens, probs, target), torch.cat([tokens, torch.tensor([3])]))


def test_more_probable_drafts_are_kept(submission):
    """a draft that the target finds at least as probable is always kept"""
    draft = rows([0.1, 0.6, 0.3], [0.5, 0.25, 0.25], [0.2, 0.4, 0.4])
    target = rows([0.5, 0.2, 0.3], [0.0, 0.75, 0.25], [0.2, 0.8, 0.0], [0.0, 0.0, 1.0])
    assert_equal(seen(submission, torch.tensor([0, 1, 0]), draft, target), [[0, 1, 0, 2]])


@pytest.mark.parametrize("place", [0, 1, 2])
def test_impossible_drafts_are_refused(submission, place):
    """a draft that the target never writes is refused, a token drawn in its place, and nothing follows"""
    wanted = [4, 2, 6, 5]
    wanted[place] = 0
    tokens = torch.tensor([4, 2, 6])
    assert_verified(submission, tokens, sure(4, 2, 6), sure(*wanted), wanted=[*tokens[:place].tolist(), 0])


@pytest.mark.parametrize(
    "draft, target, drawn",
    [
        ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [[2]]),
        ([0.4, 0.3, 0.2, 0.1], [0.0, 0.5, 0.1, 0.4], [[1], [3]]),
        ([0.75, 0.25, 0.0, 0.0], [0.0, 0.25, 0.5, 0.25], [[2], [3]]),
        ([1e-9, 0.5, 0.5 - 1e-9], [0.0, 0.5, 0.5], [[2]]),  # in float32 there is no difference
    ],
)
def test_drawn_from_what_the_draft_lacks(submission, draft, target, drawn):
    """after a refusal only tokens come that the target finds more probable than the draft"""
    target = rows(target, [1.0] + [0.0] * (len(target) - 1))
    came = seen(submission, torch.tensor([0]), rows(draft), target)
    is_one = len(came) == 1 and came[0] in drawn  # which of them may be chance
    assert_true(not is_one or came == drawn, f"always {came}, where one of {drawn} is drawn", seen=is_one)
    assert_equal(came, drawn)


def test_every_place_has_its_own_rows(submission):
    """place i is compared by row i of both, and the last token comes from the target's last row"""
    tokens = torch.tensor([1, 3, 0, 2])
    assert_verified(submission, tokens, sure(1, 3, 0, 2), sure(1, 3, 0, 2, 4), wanted=[1, 3, 0, 2, 4])
    assert_verified(submission, tokens, sure(1, 3, 0, 2), sure(1, 3, 5, 2, 4), wanted=[1, 3, 5])


def test_one_draft_and_one_token(submission):
    """a single draft, and a vocabulary of one token, are right"""
    assert_equal(submission.verify(torch.tensor([2]), sure(2), sure(2, 0)), torch.tensor([2, 0]))
    one = torch.ones(3, 1)
    assert_equal(submission.verify(torch.tensor([0, 0]), one[:2], one), torch.tensor([0, 0, 0]))


def test_other_layouts(submission):
    """rows that are not contiguous in memory are right"""
    draft, target = sure(4, 2).T.contiguous().T, sure(4, 1, 5).T.contiguous().T
    assert_verified(submission, torch.tensor([4, 2]), draft, target, wanted=[4, 1])


def test_arguments_are_not_modified(submission):
    """verify modifies none of its arguments"""
    draft = rows([0.5, 0.5, 0.0], [0.5, 0.5, 0.0])
    for second in (0, 1):
        target = sure(0, 2, 2, vocab=3) if second else sure(2, 2, 2, vocab=3)
        assert_inputs_unchanged(submission.verify, torch.tensor([0, second]), draft, target)


def test_stays_on_the_device(submission):
    """with another default device the tokens are where the arguments are"""
    assert_keeps_device(submission, "verify", torch.tensor([4, 2]), sure(4, 2), sure(4, 2, 5))
    assert_keeps_device(submission, "verify", torch.tensor([4, 2]), sure(4, 2), sure(4, 0, 5))


# verify, by chance


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_kept_by_the_ratio(submission, rng, dtype):
    """a draft is kept with probability p / q, by a random number of its own; else what p has more is drawn"""
    tokens = [0, 1]
    draft = rows([0.6, 0.1, 0.3], [0.1, 0.8, 0.1], dtype=dtype)
    target = rows([0.3, 0.5, 0.2], [0.35, 0.4, 0.25], [0.2, 0.1, 0.7], dtype=dtype)
    came = submission.run(
        verified, VERIFIED, torch.tensor(tokens), draft, target, generator=rng.as_generator()
    )
    assert_distribution(digits(came, 3), exact(tokens, draft, target), what="results of verify")
    assert_verified_among_many(submission, rng, dtype, VERIFIED // 5)


@pytest.mark.parametrize("tokens", [[2], [0, 0]])
def test_unlikely_drafts_by_the_ratio(submission, tokens):
    """a draft is kept by the ratio also where both probabilities are small, or both the largest"""
    draft, target = rows([0.5, 0.4, 0.1]), rows([0.9, 0.05, 0.05], [0.5, 0.5, 0.0])
    if len(tokens) == 2:
        draft, target = rows(*[[0.8, 0.1, 0.1]] * 2), rows(*[[0.6, 0.1, 0.3]] * 3)
    came = submission.run(verified, VERIFIED // 2, torch.tensor(tokens), draft, target)
    assert_varied(came)
    assert_distribution(digits(came, 3), exact(tokens, draft, target), what="results of verify")


@pytest.mark.parametrize("with_generator", [True, False])
@pytest.mark.parametrize(
    "draft, target",
    [
        ([0.9, 0.1, 0.0, 0.0], [0.45, 0.55, 0.0, 0.0]),  # kept or not
        ([1.0, 0.0, 0.0, 0.0], [0.0, 0.4, 0.3, 0.3]),  # what is drawn instead
        ([1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]),  # the token after the last draft
    ],
)
def test_generator_of_verify(submission, draft, target, with_generator):
    """all randomness of verify comes from the generator, or from the global one, and moves it on"""
    last = [0.25] * 4 if draft == target else [0.0, 0.0, 0.0, 1.0]
    args = torch.tensor([0, 0]), rows(draft, draft), rows(target, target, last)
    first, second = submission.run(seeded, 40, args, [3, 3], with_generator)
    name = "a generator" if with_generator else "torch.manual_seed"
    assert_true(torch.equal(first, second), f"the same state of {name} gives other results")
    assert_true(bool((first != first[:1]).any()), "a second call with the generator gives the same again")


# speculative_decode


def assert_written(submission, settings, tables):
    """It gives what the target writes. Where a wrong answer draws, the evidence is what may come at the first
    place that is wrong: what follows is chance.
    """
    prompt, num_tokens, _ = settings
    wanted = written(tables[0], prompt, num_tokens)
    came = submission.run(decoded, settings, tables, seeds=[*range(12)])
    is_odd = any(not isinstance(each, torch.Tensor) or each.shape != wanted.shape for each in came)
    if not is_odd and bool((torch.stack(came) != came[0]).any()):
        place = int((torch.stack(came) != wanted).any(0).nonzero()[0])
        drawn = sorted({int(each[place]) for each in came})
        assert_equal(drawn, [int(wanted[place])], what=f"what comes at [{place}] in {len(came)} calls")
    assert_equal(came[0], wanted)


@pytest.mark.parametrize(
    "prompt, num_tokens, num_drafts",
    [(3, 11, 3), (1, 8, 1), (2, 1, 4), (4, 5, 7), (1, 9, 2), (300, 5, 2)],
)
def test_writes_what_the_target_writes(submission, rng, prompt, num_tokens, num_drafts):
    """with rows of a single token it gives exactly num_tokens tokens, those that the target alone writes"""
    tables, start = one_hot_tables(rng, prompt + 26, 5), rng.integers(0, 5, prompt)
    assert_written(submission, (start, num_tokens, num_drafts), tables)


@pytest.mark.parametrize("agreeing", [0.0, 1.0])
def test_drafts_all_wrong_or_all_right(submission, rng, agreeing):
    """drafts that are always refused, or always kept, change nothing"""
    tables, start = one_hot_tables(rng, 30, 5, agreeing), rng.integers(0, 5, 2)
    if agreeing == 0.0:
        tables[1] = tables[0].roll(1, dims=-1)
    assert_written(submission, (start, 10, 3), tables.float())


@pytest.mark.parametrize("num_tokens, num_drafts", [(12, 3), (10, 4), (5, 1)])
def test_one_call_of_the_target_for_all_drafts(submission, rng, num_tokens, num_drafts):
    """a round calls the draft at most num_drafts times, then the target once, on everything"""
    if is_second_round():
        num_tokens, num_drafts = int(rng.integers(50, 80, 1)), int(rng.integers(9, 23, 1))
    # Drafts that are all kept: a round gives num_drafts + 1 tokens.
    length = max(30, 4 + num_tokens + num_drafts)
    tables, start = one_hot_tables(rng, length, 5, agreeing=1.0), rng.integers(0, 5, 3)
    came, asked = watched(submission, (start, num_tokens, num_drafts), tables)
    assert_equal(came, written(tables[0], start, num_tokens))
    calls, most = sum(number == 0 for number, _ in asked), math.ceil(num_tokens / (num_drafts + 1))
    letters = "".join("td"[number] for number, _ in asked)
    between = [len(drafts) for drafts in letters.rstrip("d").split("t")[:-1]]
    counts = [calls, shortest := min(between, default=0), longest := max(between, default=0)]
    assert_true(calls <= most, f"the target is called {calls} times, {most} are enough", seen=counts)
    fits = shortest >= 1 and longest <= num_drafts
    message = f"before each call of the target the draft is called {shortest} to {longest} times"
    assert_true(fits, f"{message}, 1 to {num_drafts} are asked for", seen=counts)


@pytest.mark.parametrize("num_drafts", [0, -1])
def test_too_few_drafts_raise(submission, rng, num_drafts):
    """num_drafts below 1 raises a ValueError"""
    row = torch.ones(1, 2) / 2

    def model(tokens):
        return row.expand(len(tokens), 2)

    assert_raises(submission.speculative_decode, model, model, torch.tensor([1]), 3, num_drafts)


@pytest.mark.parametrize("num_drafts, dtype", [(2, torch.float64), (1, torch.float32)])
def test_distribution_is_the_targets(submission, rng, num_drafts, dtype):
    """sequences of three tokens are as frequent as the target alone would draw them, whatever the draft"""
    target = rows([0.6, 0.25, 0.15], [0.2, 0.2, 0.6], [0.3, 0.55, 0.15]).expand(6, 3, 3)
    tables = torch.stack([target, target.roll(1, dims=-1)]).to(dtype)
    start = torch.tensor([2, 1])
    generator = rng.as_generator() if num_drafts == 2 else None
    came = submission.run(many, DECODED, num_drafts, start, tables, generator=generator)
    assert_varied(came)
    assert_distribution(came, sequences(target, start, 3), what="sequences of three tokens")


@pytest.mark.parametrize("chance", ["drafts", "verification"])
def test_generator_of_decoding(submission, chance):
    """all randomness of speculative_decode comes from the generator, and moves it on"""
    any_row, one_row = torch.full((20, 4, 4), 0.25, dtype=torch.float64), sure(1, vocab=4).expand(20, 4, 4)
    tables = torch.stack([any_row, any_row if chance == "drafts" else one_row])
    settings = torch.tensor([1]), 9, 9
    came = submission.run(decoded, settings, tables, seeds=[7, 7, 8])
    assert_true(torch.equal(came[0], came[1]), "the same state of the generator gives other tokens")
    assert_true(not torch.equal(came[1], came[2]), "another state of the generator gives the same tokens")


def prompt_after(answer, prompt, table):
    came = answer.speculative_decode(lambda t: table[: len(t)], lambda t: table[: len(t)], prompt, 6, 2)
    came += 0
    return [prompt, came]


def test_prompt_is_not_modified(submission, rng):
    """the prompt is not modified"""
    prompt, table = torch.tensor([3, 0, 2]), sure(*rng.integers(0, 5, 20).tolist(), vocab=5)
    assert_equal(submission.run(prompt_after, prompt, table)[0], prompt)


def on_the_device(answer, prompt, table):
    def probs(tokens):
        return table[: len(tokens)]

    return answer.speculative_decode(probs, probs, prompt, 5, 2)


def test_decoding_stays_on_the_device(submission, rng):
    """with another default device the new tokens are where the prompt is"""
    table = sure(*rng.integers(0, 5, 20).tolist(), vocab=5)
    assert_scenario_keeps_device(submission, on_the_device, torch.tensor([3, 0, 2]), table)
