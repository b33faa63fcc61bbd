"""Checks of `last_token_rewards`, `reward_model_loss` and `ranking_loss`: against loops and cross entropy."""

import itertools

import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from grader.kit import assert_close, assert_equal, assert_inputs_unchanged, assert_same_gradients
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.small import whole

MASK = torch.tensor(
    [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [1, 0, 1, 1, 0, 0], [0, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]]
)
"""Padding on the right, on the left, in between and on both sides, and none."""


def workload(submission, rng):
    return submission.ranking_loss.measure(rng.normal(16, 8))


LADDER = [(1,), (2,), (3,)]


def smallest(submission, rng, count):
    """small whole numbers give what loops give"""
    values, mask = whole(rng, count, 3), rng.mask(count, 3)
    assert_close(submission.last_token_rewards(values, mask), picked(values, mask))
    chosen, rejected = whole(rng, count), whole(rng, count)
    assert_close(submission.reward_model_loss(chosen, rejected, 1.0), expected(chosen, rejected, 1.0))
    rewards = whole(rng, 1, count + 1)
    assert_close(submission.ranking_loss(rewards), ranked(rewards))


def picked(values, mask):
    """The oracle of the first: a loop over the rows."""
    places = [max(place for place, kept in enumerate(row) if kept) for row in mask.tolist()]
    return torch.stack([row[place] for row, place in zip(values, places, strict=True)])


def expected(chosen, rejected, margin=None, center=0.0):
    """The oracle of the second: binary cross entropy of the difference against 1."""
    logits = chosen - rejected - (0.0 if margin is None else margin)
    loss = binary_cross_entropy_with_logits(logits, torch.ones_like(logits))
    right = sum(a > b for a, b in zip(chosen.tolist(), rejected.tolist(), strict=True))
    return loss + center * (chosen + rejected).square().mean(), chosen.new_tensor(right / len(chosen))


def ranked(rewards):
    """The oracle of the third: a loop over the pairs."""
    pairs = itertools.combinations(range(rewards.shape[1]), 2)
    logits = torch.stack([rewards[:, i] - rewards[:, j] for i, j in pairs])
    return binary_cross_entropy_with_logits(logits, torch.ones_like(logits))


# Which token


@pytest.mark.parametrize(
    "kind, rows",
    [
        *((kind, [0, 1, 2, 3, 4]) for kind in (torch.bool, torch.int64, torch.float64)),
        # Those that begin with a real token, begin with padding, end with padding.
        *((torch.bool, rows) for rows in ([0, 2, 4], [1, 3], [0, 2, 3])),
    ],
)
def test_last_real_token(submission, rng, kind, rows):
    """the reward is the value at the last real token, wherever the padding is, for masks of any kind"""
    mask = MASK[rows]
    values = rng.normal(*mask.shape)
    assert_close(submission.last_token_rewards(values, mask.to(kind)), picked(values, mask))


def test_rewards_of_zero(submission, rng):
    """a value of exactly 0 is a reward like any other, and no padding"""
    values = rng.normal(*MASK.shape)
    places = torch.arange(MASK.shape[1]).expand(MASK.shape)
    values[places.double() == picked(places.double(), MASK)[:, None]] = 0.0
    assert_close(submission.last_token_rewards(values, MASK), picked(values, MASK))


@pytest.mark.parametrize("kind", [torch.bool, torch.float64])
def test_gradient_of_the_values(submission, rng, kind):
    """the gradient reaches the picked entries only, for masks of any kind"""
    values = rng.normal(*MASK.shape)
    constants = {"mask": MASK.to(kind)}
    assert_same_gradients(submission.last_token_rewards, picked, values, constants=constants)


@pytest.mark.parametrize("batch, seq", [(1, 1), (1, 7), (7, 1), (3, 5), (137, 5)])
def test_tokens_in_other_sizes_and_layouts(submission, rng, batch, seq):
    """a batch of one, sequences of one token, and tensors that are not contiguous are right"""
    values, mask = rng.normal(seq, batch).T, rng.mask(batch, seq).T.contiguous().T
    mask[:, 0] |= ~mask.any(1)
    assert_close(submission.last_token_rewards(values, mask), picked(values, mask))
    if is_second_round():
        sizes = rng.option(7, 1, 200), rng.option(7, 1, 200)
        values, mask = rng.normal(*sizes), rng.mask(*sizes)
        mask[0] = True
        assert_close(submission.last_token_rewards(values, mask), picked(values, mask))


@pytest.mark.parametrize("batch, seq", [(3, 300), (1, 40_000)])
def test_last_of_many_tokens(submission, rng, batch, seq):
    """of long answers too it is the value at the last real token"""
    values, mask = rng.normal(batch, seq), torch.ones(batch, seq).bool()
    for row in range(batch):
        mask[row, seq - 2 - 11 * row :] = False
    assert_close(submission.last_token_rewards(values, mask), picked(values, mask))
    if is_second_round():  # int8 has no number for most of the places
        assert_close(submission.last_token_rewards(values, mask.to(torch.int8)), picked(values, mask))


# Pairs


def test_loss_and_accuracy(submission, rng):
    """the loss is the mean of -log sigmoid(chosen - rejected), the accuracy the share of chosen > rejected"""
    for count in (11, 137):  # more than usual blocks take, too
        chosen, rejected = rng.normal(count), rng.normal(count)
        assert_close(submission.reward_model_loss(chosen, rejected), expected(chosen, rejected))


@pytest.mark.parametrize("kind", ["number", "negative", "zero", "tensor"])
def test_margin(submission, rng, kind):
    """a margin, one for all or for each pair, is taken off in the loss, and not in the accuracy"""
    chosen, rejected = rng.normal(11), rng.normal(11)
    margin = {"number": 0.7, "negative": -1.5, "zero": 0.0, "tensor": rng.uniform(11, high=3.0)}[kind]
    assert_close(submission.reward_model_loss(chosen, rejected, margin), expected(chosen, rejected, margin))
    others = rng.option(0.7, 0.01, 2.0), rng.option(0.7, 2.0, 30.0), -rng.option(0.7, 0.01, 3.0)
    for other in (*others, rng.normal(11, scale=5.0)) if is_second_round() else ():
        assert_close(submission.reward_model_loss(chosen, rejected, other), expected(chosen, rejected, other))


@pytest.mark.parametrize("center", [0.01, 2.0])
def test_center(submission, rng, center):
    """center times the mean of (chosen + rejected)² is added, beside a margin too"""
    chosen, rejected = rng.normal(7) + 1, rng.normal(7)
    came = submission.reward_model_loss(chosen, rejected, center=center)
    assert_close(came, expected(chosen, rejected, center=center))
    came = submission.reward_model_loss(chosen, rejected, 0.5, center)
    assert_close(came, expected(chosen, rejected, 0.5, center), what="with a margin")
    for other in (rng.option(0.01, 1e-4, 0.01), rng.option(2.0, 0.01, 10.0)) if is_second_round() else ():
        given = chosen, rejected, rng.option(0.5, 0.01, 30.0), other
        assert_close(submission.reward_model_loss(*given), expected(*given), what="with a margin")


def test_ties_are_wrong(submission, rng):
    """equal rewards are wrong, and those that differ in the last digit are not equal"""
    chosen = rng.normal(6)
    rejected = chosen.clone()
    rejected[0] -= 1.0
    rejected[1], rejected[2] = (chosen[i].nextafter(chosen.new_tensor(far)) for i, far in ((1, -9), (2, 9)))
    assert_close(submission.reward_model_loss(chosen, rejected), expected(chosen, rejected))
    came = submission.reward_model_loss(chosen, rejected, -0.5)
    assert_close(came, expected(chosen, rejected, -0.5), what="with a margin of -0.5")


def of_the_loss(answer, chosen, rejected, options):
    """The gradients, and whether the accuracy carries one."""
    leaves = [chosen.requires_grad_(), rejected.requires_grad_()]
    loss, accuracy = answer.reward_model_loss(*leaves, **options)
    (3 * loss).backward()
    gradients = [torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in leaves]
    return gradients, accuracy.requires_grad


@pytest.mark.parametrize(
    "options", [{}, {"margin": 0.5, "center": 0.3}, {"margin": torch.arange(7).double()}]
)
@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_gradients_of_the_rewards(submission, rng, options, scale):
    """the gradients of chosen and rejected are right, for large rewards too; the accuracy carries none"""
    chosen, rejected = rng.normal(7, scale=scale), rng.normal(7, scale=scale)
    assert_gradients(submission, chosen, rejected, options)
    more = {"constants": options, "alone": scale == 1.0}
    assert_same_gradients(submission.reward_model_loss, expected, chosen, rejected, **more)
    if is_second_round() and scale == 1.0:
        options = {"margin": rng.option(0.5, 0.01, 30.0), "center": rng.option(0.3, 1e-3, 10.0)}
        assert_gradients(submission, chosen, rejected, options)


@pytest.mark.parametrize("options", [{}, {"margin": 2.0}])
def test_gradients_at_ties(submission, rng, options):
    """where chosen - rejected - margin is 0, the gradients are right: -log sigmoid is smooth there"""
    rejected = whole(rng, 5)
    # Whole numbers, so that two of the differences are exactly 0 in whichever order one subtracts.
    chosen = rejected + options.get("margin", 0.0) + torch.tensor([0.0, 1.0, -2.0, 0.0, 3.0])
    assert_gradients(submission, chosen, rejected, options)


def assert_gradients(submission, chosen, rejected, options):
    leaves = [chosen.clone().requires_grad_(), rejected.clone().requires_grad_()]
    wanted = torch.autograd.grad(3 * expected(*leaves, **options)[0], leaves)
    came, recorded = submission.run(of_the_loss, chosen, rejected, options)
    names = "gradient of chosen", "gradient of rejected"
    assert_close(dict(zip(names, came, strict=True)), dict(zip(names, wanted, strict=True)))
    assert_equal(recorded, False, what="requires_grad of the accuracy")


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_large_rewards(submission, dtype):
    """rewards of ±1e4 give finite, right losses"""
    chosen = torch.tensor([1e4, -1e4, 9e3, -3.0], dtype=dtype)
    rejected = torch.tensor([-1e4, 1e4, 8.5e3, 1e4], dtype=dtype)
    assert_close(submission.reward_model_loss(chosen, rejected), expected(chosen, rejected))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_one_pair(submission, rng, dtype):
    """a single pair is right, also in tensors that are not contiguous, and the dtype is kept"""
    chosen, rejected, margin = (rng.normal(3, 2, dtype=dtype)[:, 0] for _ in range(3))
    came = submission.reward_model_loss(chosen, rejected, margin)
    assert_close(came, expected(chosen, rejected, margin))
    one = [each[:1] for each in (chosen, rejected)]
    assert_close(submission.reward_model_loss(*one), expected(*one), what="of one pair")
    margin, center = rng.option(0.7, 0.01, 30.0), rng.option(0.3, 1e-3, 10.0)
    for options in ({"margin": margin}, {"center": center}) if is_second_round() else ():
        came = submission.reward_model_loss(*one, **options)
        assert_close(came, expected(*one, **options), what="of one pair")


# Rankings


@pytest.mark.parametrize("prompts, k", [(3, 4), (4, 4), (5, 2), (1, 7), (2, 3), (2, 18), (137, 3)])
def test_ranking(submission, rng, prompts, k):
    """the ranking loss is the mean over all pairs i < j, and its gradient is right"""
    assert_same_gradients(submission.ranking_loss, ranked, rng.normal(prompts, k))
    if is_second_round():
        rewards = rng.normal(rng.option(prompts, 1, 60), rng.option(k, 2, 20))
        assert_same_gradients(submission.ranking_loss, ranked, rewards)


def test_ranking_with_ties(submission, rng):
    """where answers have equal rewards, the ranking loss and its gradient are right"""
    rewards = whole(rng, 3, 4)
    rewards[:, 2] = rewards[:, 0]
    assert_same_gradients(submission.ranking_loss, ranked, rewards)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_large_ranking(submission, rng, dtype):
    """rewards of ±1e4 in any order give a finite, right ranking loss, and finite gradients"""
    rewards = rng.uniform(4, 3, low=-1e4, high=1e4, dtype=dtype).T
    assert_same_gradients(submission.ranking_loss, ranked, rewards)


# Both


def test_arguments_are_not_modified(submission, rng):
    """no argument is modified"""
    assert_inputs_unchanged(submission.last_token_rewards, rng.normal(*MASK.shape), MASK.clone())
    assert_inputs_unchanged(submission.last_token_rewards, rng.normal(*MASK.shape), MASK.double())
    if is_second_round():
        assert_inputs_unchanged(submission.last_token_rewards, rng.normal(*MASK.shape), MASK.bool())
    assert_inputs_unchanged(submission.reward_model_loss, *(rng.normal(7) for _ in range(3)), 0.5)
    for options in ({}, {"margin": 0.7}, {"center": 0.3}) if is_second_round() else ():
        assert_inputs_unchanged(submission.reward_model_loss, rng.normal(7), rng.normal(7), **options)
    assert_inputs_unchanged(submission.ranking_loss, rng.normal(3, 4))


def test_device(submission, rng):
    """nothing is made on the default device where the arguments are on another one"""
    assert_keeps_device(submission, "last_token_rewards", rng.normal(*MASK.shape), MASK)
    assert_keeps_device(submission, "reward_model_loss", rng.normal(7), rng.normal(7), 0.5, 0.1)
    for margin in ([], [rng.normal(7)]) if is_second_round() else ():
        assert_keeps_device(submission, "reward_model_loss", rng.normal(7), rng.normal(7), *margin)
    assert_keeps_device(submission, "ranking_loss", rng.normal(3, 4))
