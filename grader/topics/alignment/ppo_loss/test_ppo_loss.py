"""Checks of `ppo_loss` and `gae`: both sides of the clip, gradients, masks; sums of errors against loops."""

from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from grader.kit import assert_close, assert_inputs_unchanged, assert_same_gradients
from grader.kit.families.clipped_ratio import clipped_gain, far_tokens
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.small import whole

MASK = torch.tensor([[1, 1, 0, 1, 0], [0, 1, 0, 0, 0], [1, 1, 1, 1, 1]]).bool()


class Estimated(NamedTuple):
    """What gae gives."""

    advantages: Tensor
    returns: Tensor


def workload(submission, rng):
    old, shift, advantages = (rng.normal(8, 64) for _ in range(3))
    return submission.ppo_loss.measure(old + 0.1 * shift, old, advantages, torch.ones(8, 64).bool())


LADDER = [(1, 1), (1, 2), (2, 2), (2, 3)]


def smallest(submission, rng, batch, seq):
    """small whole numbers give what loops give"""
    rewards, values = whole(rng, batch, seq), whole(rng, batch, seq + 1)
    assert_close(submission.gae(rewards, values, 1.0, 0.5), estimated(rewards, values, 1.0, 0.5))
    log_probs, old, advantages = (whole(rng, batch, seq) for _ in range(3))
    mask = torch.ones(batch, seq).bool()
    assert_close(
        submission.ppo_loss(log_probs, old, advantages, mask), loss(log_probs, old, advantages, mask)
    )


def loss(log_probs, old_log_probs, advantages, mask, clip_range=0.2):
    """The oracle: the kept tokens alone."""
    mask = mask.bool()
    ratios = (log_probs[mask] - old_log_probs[mask]).exp()
    return -clipped_gain(ratios, advantages[mask], clip_range, clip_range).mean()


def estimated(rewards, values, gamma=1.0, lam=0.95):
    """The oracle: for every step the sum over all later ones."""
    rows = []
    for deltas in (rewards + gamma * values[:, 1:] - values[:, :-1]).tolist():
        later = [deltas[start:] for start in range(len(deltas))]
        rows.append([sum((gamma * lam) ** n * delta for n, delta in enumerate(each)) for each in later])
    advantages = torch.tensor(rows, dtype=rewards.dtype)
    return Estimated(advantages, advantages + values[:, :-1])


def tokens(rng, shape=(3, 5), dtype=torch.float64):
    """New and old log-probabilities, with ratios on both sides of both bounds, and advantages."""
    old = -rng.uniform(*shape, low=0.1, high=3.0)
    log_probs = old + rng.normal(*shape, scale=0.4)
    return [value.to(dtype) for value in (log_probs, old, rng.normal(*shape))]


def all_cases(rng):
    """Ratios of 0.3, 0.9, 1.1 and 20, each with advantages of both signs: no other bound is there."""
    old = -rng.uniform(2, 4, low=0.1, high=3.0)
    log_probs = old + torch.tensor([0.3, 0.9, 1.1, 20.0], dtype=torch.float64).log()
    return log_probs, old, rng.uniform(2, 4, low=0.5, high=2.0) * torch.tensor([[1.0], [-1.0]]).double()


@pytest.mark.parametrize("place", [(0, 0), (0, 3), (1, 0), (1, 3)])
def test_each_side_of_the_clip(submission, rng, place):
    """below and above the bounds, with advantages of both signs, value and gradient are right"""
    log_probs, old, advantages = all_cases(rng)
    mask = torch.zeros(2, 4).bool()
    mask[place] = mask[0, 1] = mask[1, 2] = True
    constants = {"old_log_probs": old, "advantages": advantages, "mask": mask}
    assert_same_gradients(submission.ppo_loss, loss, log_probs, constants=constants)


def test_mean_over_kept_tokens(submission, rng):
    """the loss is the mean over the kept tokens of the batch, those of advantage 0 too, with its gradients"""
    log_probs, old, advantages = tokens(rng)
    advantages[0, 1] = advantages[2, 3] = 0.0
    mask = MASK.clone()
    mask[1] &= not is_second_round()  # a sequence of which none is kept
    constants = {"old_log_probs": old, "advantages": advantages, "mask": mask}
    assert_same_gradients(submission.ppo_loss, loss, log_probs, constants=constants)


def discounts(rng):
    """gamma and lam in the second round: usual ones, any, and any near 1."""
    usual = [0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999]
    pairs = [[usual[place] for place in pair] for pair in rng.integers(0, 8, 4, 2).tolist()]
    pairs += [[rng.option(0.9, 0.01, 1.0), rng.option(0.9, 0.01, 1.0)]]
    pairs += [[1 - rng.option(0.1, 1e-4, 0.9), 1 - rng.option(0.1, 1e-4, 0.9)]]
    return [*pairs, [1.0, 1.0]] if is_second_round() else []


@pytest.mark.parametrize("batch, seq", [(131, 2), (2, 137)])
def test_many_tokens(submission, rng, batch, seq):
    """131 sequences and 137 tokens, more than usual blocks take, are right to the last, with gradients"""
    for size in [(batch, seq)] + [(rng.option(2, 1, 150), rng.option(2, 1, 150))] * is_second_round():
        log_probs, old, advantages = tokens(rng, size)
        mask = rng.mask(*size)
        mask[0] = True  # the first sequence does not speak for all
        constants = {"old_log_probs": old, "advantages": advantages, "mask": mask}
        assert_same_gradients(submission.ppo_loss, loss, log_probs, constants=constants)


def test_ratio_of_one(submission, rng):
    """where the policy has not changed yet the gradient is that of the advantages"""
    _, old, advantages = tokens(rng)
    constants = {"old_log_probs": old, "advantages": advantages, "mask": MASK}
    assert_same_gradients(submission.ppo_loss, loss, old.clone(), constants=constants)


def test_very_improbable_tokens(submission, rng):
    """log-probabilities down to -1000 are right, where a probability is 0"""
    log_probs, old, advantages = tokens(rng)
    inputs = [log_probs - 990, old - 990, advantages, MASK]
    assert_close(submission.ppo_loss(*inputs), loss(*inputs))


@pytest.mark.parametrize("apart", [19.0, -19.0])
def test_ratios_far_from_one(submission, rng, apart):
    """where log-probabilities differ by up to 20 the ratio is as it is, with its gradient"""
    log_probs, old, advantages = far_tokens(rng, apart)
    constants = {"old_log_probs": old, "advantages": advantages, "mask": torch.ones(1, 3).bool()}
    assert_same_gradients(submission.ppo_loss, loss, log_probs, constants=constants)


@pytest.mark.parametrize("clip_range", [0.05, 0.4, 1.0, 1.7])
def test_other_clip_ranges(submission, rng, clip_range):
    """clip_range is the distance of the bounds from 1, of which the lower one may be below 0"""
    log_probs, old, advantages = tokens(rng)
    constants = {"old_log_probs": old, "advantages": advantages, "mask": MASK, "clip_range": clip_range}
    assert_same_gradients(submission.ppo_loss, loss, log_probs, constants=constants)
    for drawn in (rng.option(0.2, 1e-3, 0.1), rng.option(0.2, 0.1, 3.0)) if is_second_round() else ():
        constants["clip_range"] = drawn
        assert_same_gradients(submission.ppo_loss, loss, log_probs, constants=constants)


@pytest.mark.parametrize("dtype", [torch.int64, torch.float64])
def test_masks_of_numbers(submission, rng, dtype):
    """a mask of 0 and 1 does what a boolean one does, and so do the gradients"""
    log_probs, old, advantages = tokens(rng)
    constants = {"old_log_probs": old, "advantages": advantages, "mask": MASK.to(dtype)}
    constants["clip_range"] = float(rng.uniform(1, low=0.1, high=0.6))
    assert_same_gradients(submission.ppo_loss, loss, log_probs, constants=constants)


def test_float32_stays(submission, rng):
    """float32 gives float32, in both functions"""
    inputs = tokens(rng, dtype=torch.float32)
    for more in ([], [rng.option(0.4, 1e-3, 3.0)]):
        assert_close(submission.ppo_loss(*inputs, MASK, *more), loss(*inputs, MASK, *more))
    rewards, values = rng.normal(3, 5, dtype=torch.float32), rng.normal(3, 6, dtype=torch.float32)
    assert_close(submission.gae(rewards, values), estimated(rewards, values))
    for given in discounts(rng):
        assert_close(submission.gae(rewards, values, *given), estimated(rewards, values, *given))


def test_other_sizes_and_layouts(submission, rng):
    """a single token, a single sequence and tensors that are not contiguous are right"""
    one = tokens(rng, (1, 1))
    turned = [value.T.contiguous().T for value in tokens(rng)]
    came = [submission.ppo_loss(*one, torch.ones(1, 1).bool()), submission.ppo_loss(*turned, MASK)]
    assert_close(came, [loss(*one, torch.ones(1, 1).bool()), loss(*turned, MASK)])
    cases = [(rng.normal(1, 1), rng.normal(1, 2)), (rng.normal(5, 3).T, rng.normal(6, 3).T)]
    assert_close([submission.gae(*case) for case in cases], [estimated(*case) for case in cases])


def test_advantages_and_returns(submission, rng):
    """advantages are the sums of the discounted errors to the end, returns these plus the values"""
    rewards, values = rng.normal(3, 7), rng.normal(3, 8)
    assert_close(submission.gae(rewards, values), estimated(rewards, values))


@pytest.mark.parametrize("gamma, lam", [(0.9, 0.7), (0.8, 1.0), (1.0, 0.0), (0.0, 0.5)])
def test_other_discounts(submission, rng, gamma, lam):
    """gamma discounts the next value, gamma times lam what comes later; both may be 0 and 1"""
    rewards, values = rng.normal(3, 5), rng.normal(3, 6)
    assert_close(submission.gae(rewards, values, gamma, lam), estimated(rewards, values, gamma, lam))
    for given in discounts(rng):
        assert_close(submission.gae(rewards, values, *given), estimated(rewards, values, *given))


@pytest.mark.parametrize(
    "dtype, batch, steps, gamma, lam",
    [
        (torch.float32, 1, 83, 0.5, 0.4),
        (torch.float64, 1, 113, 0.1, 0.01),
        (torch.float64, 2, 137, 0.99, 0.95),
        (torch.float64, 131, 3, 0.9, 0.7),
    ],
)
def test_many_steps(submission, rng, dtype, batch, steps, gamma, lam):
    """so many steps that a power of gamma times lam is 0, and many rows, are right, up to the last one"""
    rewards, values = rng.normal(batch, steps, dtype=dtype), rng.normal(batch, steps + 1, dtype=dtype)
    assert_close(submission.gae(rewards, values, gamma, lam), estimated(rewards, values, gamma, lam))
    for given in discounts(rng)[-2:]:
        batch, steps = rng.option(2, 1, 30), rng.option(137, 1, 120)
        rewards, values = rng.normal(batch, steps), rng.normal(batch, steps + 1)
        assert_close(submission.gae(rewards, values, *given), estimated(rewards, values, *given))


def test_arguments_are_not_modified(submission, rng):
    """no argument is modified"""
    assert_inputs_unchanged(submission.ppo_loss, *tokens(rng), MASK)
    assert_inputs_unchanged(submission.ppo_loss, *tokens(rng), MASK.double(), 0.4)
    assert_inputs_unchanged(submission.gae, rng.normal(3, 5), rng.normal(3, 6))
    assert_inputs_unchanged(submission.gae, rng.normal(3, 5), rng.normal(3, 6), 0.9, 0.7)


def test_device(submission, rng):
    """nothing is made on the default device where the arguments are on another one"""
    for more in ([], [0.4]):
        assert_keeps_device(submission, "ppo_loss", *tokens(rng), MASK, *more)
    for more in ([], [0.9, 0.7]):
        assert_keeps_device(submission, "gae", rng.normal(3, 5), rng.normal(3, 6), *more)
