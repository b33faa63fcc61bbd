"""Checks of `mask_tokens`: labels, how often what is drawn, independence, special tokens, the generator."""

import numpy as np
import pytest
import torch

from grader.kit import assert_close, assert_distribution, assert_equal, assert_inputs_unchanged, assert_true
from grader.kit.counts import Counts
from grader.kit.families.models.default_devices import assert_calls_keep_device
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.new_results import assert_results_are_new

MASK = 3
OUTCOMES = "0 not chosen, 1 masked, 2 another token, 3 chosen and the same"


def workload(submission, rng):
    return submission.measure(shapes, rng.integers(4, 1000, 32, 128), rng)


def shapes(answer, input_ids, generator):
    return [list(each.shape) for each in answer.mask_tokens(input_ids, 3, 1000, generator=generator)]


def smallest(submission, rng, seq):
    """where all tokens are chosen, the labels are the tokens"""
    input_ids = 5 + torch.arange(seq)[None]
    _, labels = submission.mask_tokens(input_ids, MASK, 9, None, 1.0)
    assert_equal(labels, input_ids)


LADDER = [(1,), (2,), (3,)]


def alike(*shape, token=5):
    """Texts of one token only, so that what was drawn shows in the inputs."""
    return torch.full(shape, token)


def shares(probability, vocab_size, token):
    """How often an input is each of the tokens, where all are this one at first."""
    drawn = torch.full((vocab_size,), 0.1 / vocab_size)
    drawn[MASK] += 0.8
    drawn[token] += 0.1
    drawn *= probability
    drawn[token] += 1 - probability
    return drawn


def outcomes(inputs, labels, input_ids, mask=MASK):
    """What became of each token: 0 not chosen, 1 masked, 2 another token, 3 chosen and the same."""
    kinds = torch.where(inputs == mask, 1, torch.where(inputs == input_ids, 3, 2))
    return torch.where(labels == -100, 0, kinds)


def chances(probability, vocab_size):
    """How probable these four are."""
    each = 0.1 / vocab_size
    chosen = torch.tensor([0, 0.8 + each, 0.1 - 2 * each, 0.1 + each]) * probability
    return chosen + torch.tensor([1 - probability, 0, 0, 0])


def assert_random_tokens_vary(submission, rng):
    """In some text and at some place there are several: else which they are is left to chance, and so is
    what another draw of the same answer would give. In a large vocabulary even a single one shows."""
    inputs, _ = submission.mask_tokens(alike(100, 100), MASK, 1000, None, 1.0, rng)
    if not (is_random := (inputs != MASK) & (inputs != 5)).any():
        return
    least, most = (torch.where(is_random, inputs, other) for other in (1000, -1))
    vary = {
        name: bool((most.amax(over) > least.amin(over)).logical_and(is_random.any(over)).any())
        for name, over in (("in a text", 1), ("at a place", 0))
    }
    only = " and ".join(name for name, does in vary.items() if not does)
    assert_true(not only, f"all random tokens {only} are the same", seen=vary)


@pytest.mark.parametrize("probability", [0.15, 0.4])
def test_labels_and_inputs(submission, rng, probability):
    """labels are the tokens or -100, and where they are -100 the inputs are the tokens"""
    input_ids = rng.integers(0, 100_000, 50, 40)
    inputs, labels = submission.mask_tokens(input_ids, MASK, 100_000, None, probability, rng)
    is_label = labels != -100
    assert_close(labels, torch.where(is_label, input_ids, -100), what="labels")
    assert_close(torch.where(is_label, MASK, inputs), torch.where(is_label, MASK, input_ids), what="inputs")


def test_share_that_is_chosen(submission, rng):
    """15 % of the tokens are chosen where nothing is said, else as many as are asked for"""
    drawn = [rng.option(0.15, 0.03, 0.9) for _ in range(3)] if is_second_round() else []
    for options in ({}, *({"probability": each} for each in (0.5, 0.02, *drawn))):
        _, labels = submission.mask_tokens(rng.integers(0, 7, 300, 200), MASK, 7, generator=rng, **options)
        expected = torch.tensor([p := options.get("probability", 0.15), 1 - p])
        assert_distribution((labels == -100).long().flatten(), expected, what="0 for a chosen token, else 1")


def test_small_probability(submission, rng):
    """a probability of 0.0004 chooses some tokens, about so many"""
    _, labels = submission.mask_tokens(rng.integers(0, 7, 500, 200), MASK, 7, None, 0.0004, rng)
    count = int((labels != -100).sum())
    seen = "fewer" if count < 5 else "more" if count > 95 else "as many"  # 40, but for one in a billion
    assert_true(seen == "as many", f"{count} of 100,000 tokens are chosen, expected are 40", seen=seen)


@pytest.mark.parametrize("probability", [0.0, 1.0, 1])
def test_none_and_all(submission, rng, probability):
    """a probability of 0 chooses no token, one of 1 chooses all"""
    input_ids = rng.permutation(1000).view(20, 50)  # all like any other, MASK and the first ones too
    _, labels = submission.mask_tokens(input_ids, MASK, 1000, None, probability, rng)
    is_right = labels == (input_ids if probability else -100)
    message = f"{int((~is_right).sum())} of 1000 tokens have another label than "
    message += "the token itself" if probability else "-100"
    # For diagnosis how many, since each answer draws in its own way. So it is below.
    seen = Counts(torch.bincount(is_right.flatten().long(), minlength=2).double())
    assert_true(bool(is_right.all()), message, seen=seen)


@pytest.mark.parametrize("transposed", [False, True])
def test_what_becomes_of_the_chosen(submission, rng, transposed):
    """of the chosen 80 % become the mask token, 10 % a random token, 10 % stay"""
    vocab, p = rng.option(50, 60, 10**6), rng.option(0.6, 0.1, 1.0)
    mask = rng.option(MASK, 50, vocab - 1)
    input_ids = rng.integers(4, 50, 200, 300).T if transposed else rng.integers(4, 50, 300, 200)
    inputs, labels = submission.mask_tokens(input_ids, mask, vocab, None, p, rng)
    assert_distribution(outcomes(inputs, labels, input_ids, mask).flatten(), chances(p, vocab), what=OUTCOMES)


@pytest.mark.parametrize("token", [5, MASK])
def test_random_tokens_come_from_the_whole_vocabulary(submission, rng, token):
    """a random token is each of the vocabulary's equally often, whichever token it takes the place of"""
    assert_random_tokens_vary(submission, rng)
    for share, was in ((1.0, token), (0.6, int(rng.integers(0, 7, 1)))):
        inputs, _ = submission.mask_tokens(alike(300, 200, token=was), MASK, 7, None, share, rng)
        assert_distribution(inputs.flatten(), shares(share, 7, was), what="tokens")


@pytest.mark.parametrize("over", ["sequence", "batch"])
def test_tokens_are_drawn_independently(submission, rng, over):
    """what becomes of a token tells nothing about its neighbours, in its own text and in the others"""
    assert_random_tokens_vary(submission, rng)
    input_ids = rng.integers(4, 6, 400, 400)
    kinds = outcomes(*submission.mask_tokens(input_ids, MASK, 6, None, 0.6, rng), input_ids)
    kinds = kinds if over == "sequence" else kinds.T
    pairs = 4 * kinds[:, ::2] + kinds[:, 1::2]
    each, what = chances(0.6, 6), f"pairs of neighbours along the {over}, 4 times the first and the second"
    assert_distribution(pairs.flatten(), torch.outer(each, each).flatten(), what=what)


def test_random_tokens_are_drawn_independently(submission, rng):
    """each random token is drawn on its own, from a vocabulary of millions too"""
    assert_random_tokens_vary(submission, rng)
    inputs, _ = submission.mask_tokens(alike(2, 200_000), 0, 3, None, 1.0, rng)
    share = torch.tensor([0.1 / 3, 1 - 0.1 / 3])  # twos are random tokens for sure; a third of these
    expected = torch.outer(share, share).flatten()
    for places in (inputs[0], inputs[1]):
        pairs = 2 * (places[::2] != 2).long() + (places[1::2] != 2)
        assert_distribution(pairs, expected, what="pairs of neighbours, 2 or not 2")
    inputs, _ = submission.mask_tokens(alike(800, 500), MASK, 4_000_000, None, 0.1, rng)
    some = inputs[(inputs != MASK) & (inputs != 5)][:3500]
    repeated = len(some) - len(some.unique())  # 1.5 are expected; 15 come less than once in a billion times
    message = f"of {len(some)} random tokens from 4,000,000 {repeated} came before: most tokens never come"
    assert_true(repeated < 15, message, seen=repeated < 15)


def test_number_of_chosen_tokens_varies(submission, rng):
    """texts and calls differ in how many tokens are chosen: each token is chosen on its own"""
    _, labels = submission.mask_tokens(alike(4000, 10), MASK, 7, None, 0.3, rng)
    expected = torch.distributions.Binomial(10, torch.tensor(0.3)).log_prob(torch.arange(11.0)).exp()
    few = torch.cat([expected[:6], expected[6:].sum()[None]])
    counts = (labels != -100).sum(1).clamp(max=6)
    assert_distribution(counts, few, what="texts of 10 tokens by the number of chosen ones, 6 or more")
    calls = (submission.mask_tokens(alike(100, 100), MASK, 7, None, 0.5, rng) for _ in range(6))
    totals = [int((labels != -100).sum()) for _, labels in calls]
    varies = max(totals) - min(totals) > 1  # 50 is usual; at most 1 comes less than once in a billion times
    assert_true(varies, f"of 10,000 tokens {totals} are chosen in six calls", seen=varies)


@pytest.mark.parametrize("transposed", [False, True])
def test_special_tokens_are_never_chosen(submission, rng, transposed):
    """special tokens keep their place in the inputs, and have the label -100"""
    input_ids, special = rng.integers(4, 1000, 50, 40), rng.mask(50, 40, keep=0.4)
    if transposed:
        input_ids, special = input_ids.T, special.T.contiguous()
    inputs, labels = submission.mask_tokens(input_ids, MASK, 1000, special, 1.0, rng)
    kinds = torch.where(inputs == input_ids, 0, torch.where(inputs == MASK, 1, 2))[special]
    is_label = labels[special] != -100
    message = f"of {len(kinds)} special tokens {int((kinds > 0).sum())} are not in the inputs as they were, "
    message += f"and {int(is_label.sum())} have another label than -100"
    seen = Counts(torch.bincount(2 * kinds + is_label, minlength=6).double())
    assert_true(not kinds.any() and not is_label.any(), message, seen=seen)


def test_others_are_chosen_as_often_beside_special_tokens(submission, rng):
    """beside special tokens the others are chosen as often as without"""
    input_ids, special = rng.integers(4, 50, 300, 200), rng.mask(300, 200, keep=0.5)
    inputs, labels = submission.mask_tokens(input_ids, MASK, 50, special, p := rng.option(0.3, 0.1, 1.0), rng)
    assert_distribution(outcomes(inputs, labels, input_ids)[~special], chances(p, 50), what=OUTCOMES)


def test_generator(submission, rng):
    """the same generator gives the same result, another one another, and no other generator is touched"""
    (one, kept), (same, _), (other, _) = submission.run(with_generators, rng.integers(4, 1000, 20, 30), MASK)
    came = {
        "the same": all(map(torch.equal, one, same)),
        "another": not any(map(torch.equal, one, other)),
        "PyTorch's untouched": torch.equal(*kept[0]),
        "Python's and NumPy's too": kept[1] == kept[2],
    }
    assert_equal(came, dict.fromkeys(came, True))


def with_generators(answer, input_ids, mask_id):
    """By draw: labels and inputs, and the states of the other generators before and after."""
    import random

    def others():
        return torch.get_rng_state(), [str(random.getstate()), int(np.random.get_state()[2])]

    def drawn(seed, of_others):
        torch.default_generator.manual_seed(of_others)
        random.seed(of_others)
        np.random.seed(of_others)
        generator = torch.Generator().manual_seed(seed)
        before, kept_before = others()
        labels = answer.mask_tokens(input_ids, mask_id, 1000, None, 0.5, generator)[1]
        inputs = answer.mask_tokens(input_ids, mask_id, 1000, None, 1.0, generator)[0]
        after, kept_after = others()
        return [labels, inputs], [[before, after], kept_before, kept_after]

    return [drawn(1, 7), drawn(1, 8), drawn(2, 7)]


def test_generator_goes_on(submission, rng):
    """a second call with a generator goes on in it, and draws anew"""
    one, other = submission.run(twice, rng.integers(4, 1000, 20, 30), MASK)
    assert_true(not torch.equal(one, other), "two calls in a row with one generator give the same")


def twice(answer, input_ids, mask_id):
    generator = torch.Generator().manual_seed(3)
    return [answer.mask_tokens(input_ids, mask_id, 1000, None, 0.5, generator)[1] for _ in range(2)]


def test_default_generator(submission, rng):
    """without a generator PyTorch's default one is used: torch.manual_seed makes it repeat itself"""
    one, again, seeded = submission.run(without_generator, rng.integers(4, 1000, 20, 30), MASK)
    came = {"seeded alike": torch.equal(one, seeded), "called again": torch.equal(one, again)}
    assert_equal(came, {"seeded alike": True, "called again": False})


def without_generator(answer, input_ids, mask_id):
    def drawn():
        return torch.stack(answer.mask_tokens(input_ids, mask_id, 1000, probability=0.5))

    torch.default_generator.manual_seed(5)
    one, again = drawn(), drawn()
    torch.default_generator.manual_seed(5)
    return [one, again, drawn()]


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_dtype(submission, rng, dtype):
    """inputs and labels have the dtype of input_ids"""
    came = submission.mask_tokens(rng.integers(4, 1000, 20, 30).to(dtype), MASK, 1000, None, 0.5, rng)
    assert_equal([str(each.dtype) for each in came], [str(dtype)] * 2, what="dtypes of inputs and labels")


def test_other_layouts(submission, rng):
    """one token, one text and ids that are not contiguous keep their shape and their labels"""
    is_right = []
    for input_ids in (rng.integers(4, 9, 1, 1), rng.integers(4, 9, 1, 30), rng.integers(4, 9, 30, 20).T):
        inputs, labels = submission.mask_tokens(input_ids, MASK, 9, None, 1.0, rng)
        assert_equal([inputs.shape, labels.shape], [input_ids.shape] * 2, what="shapes")
        is_right.append((labels == input_ids).flatten())
    right = torch.cat(is_right)
    message = f"{int((~right).sum())} of {len(right)} tokens have another label than the token itself"
    seen = Counts(torch.bincount(right.long(), minlength=2).double())
    assert_true(bool(right.all()), message, seen=seen)


def test_device_of_the_tokens(submission, rng):
    """nothing lands on the default device where that is not the tokens'"""
    input_ids, special = rng.integers(4, 1000, 20, 30), rng.mask(20, 30)
    assert_keeps_device(submission, "mask_tokens", input_ids, MASK, 1000, special)
    calls = (input_ids, MASK, 1000), (input_ids, MASK, 1000, special, 0.5, rng.as_generator())
    assert_calls_keep_device(submission, "mask_tokens", *calls)


def test_inputs_are_not_modified(submission, rng):
    """input_ids and special are not modified"""
    input_ids, special = rng.integers(4, 1000, 20, 30), rng.mask(20, 30)
    assert_inputs_unchanged(submission.mask_tokens, input_ids, MASK, 1000, special, 0.9)


def test_results_are_new(submission, rng):
    """inputs and labels are new tensors, also where no token is chosen, or all are"""
    ids, every = rng.integers(4, 1000, 20, 30), torch.ones(20, 30, dtype=torch.bool)
    cases = {"probability 0": (None, 0.0), "only special tokens": (every, 0.9), "all chosen": (None, 1.0)}
    assert_results_are_new(submission, "mask_tokens", {it: (ids, MASK, 1000, *cases[it]) for it in cases})
