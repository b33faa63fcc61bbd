"""Checks of `sequence_log_probs` and `dpo_loss`: values, gradients, shifted labels, what is ignored."""

from typing import NamedTuple

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from grader.kit import assert_close, assert_equal, assert_inputs_unchanged, assert_same_gradients
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.small import whole

LABELS = torch.tensor([[3, 0, 2, 6, 1], [1, 5, 5, 0, 4], [6, 2, 0, 3, 3]])


class Pairs(NamedTuple):
    """What dpo_loss gives."""

    loss: Tensor
    chosen_reward: Tensor
    rejected_reward: Tensor


def workload(submission, rng):
    return submission.sequence_log_probs.measure(rng.normal(2, 16, 64), rng.integers(0, 64, 2, 16))


LADDER = [(1,), (2,), (3,)]


def smallest(submission, rng, batch):
    """small whole numbers give what the built-ins give"""
    numbers = [whole(rng, batch) for _ in range(4)]
    assert_close(submission.dpo_loss(*numbers, 1.0), expected(*numbers, 1.0))
    logits, labels = whole(rng, 1, batch + 1, 2), rng.integers(0, 2, 1, batch + 1)
    assert_close(submission.sequence_log_probs(logits, labels), summed(logits, labels))


def summed(logits, labels, ignore_index=-100):
    """The oracle of the first: cross entropy of each position with the next label."""
    rows = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(rows, labels[:, 1:], ignore_index=ignore_index, reduction="none")
    return -losses.sum(dim=1)


def expected(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta=0.1):
    """The oracle of the second: the differences within each model, of which the differences."""
    margin = (policy_chosen - policy_rejected) - (reference_chosen - reference_rejected)
    rewards = policy_chosen - reference_chosen, policy_rejected - reference_rejected
    return Pairs(-F.logsigmoid(beta * margin).mean(), *(beta * reward.detach() for reward in rewards))


def numbers_of(rng, batch, dtype=torch.float64, scale=9.0):
    return [rng.normal(batch, dtype=dtype, scale=scale) for _ in range(4)]


def ignoring(rng, labels=LABELS, ignore_index=-100):
    """The labels, of which some are ignored: in the middle, at both ends, and a whole row."""
    lost = torch.tensor([[1, 1, 0, 0, 1], [0, 1, 0, 1, 0], [1, 1, 1, 1, 1]]).bool()
    return labels.masked_fill(lost, ignore_index)


# Sequences


def test_sums_of_log_probabilities(submission, rng):
    """a sequence's log-probability is the sum of those of its labels, position t predicting label t + 1"""
    logits = rng.normal(3, 5, 7, scale=2.0)
    assert_close(submission.sequence_log_probs(logits, LABELS), summed(logits, LABELS))


@pytest.mark.parametrize("ignore_index", [-100, 0, 255])
def test_ignored_labels(submission, rng, ignore_index):
    """ignored labels add nothing, whatever integer marks them; a sequence without any others has 0"""
    logits, labels = rng.normal(3, 5, 7), ignoring(rng, ignore_index=ignore_index)
    options = {} if ignore_index == -100 else {"ignore_index": ignore_index}
    came = submission.sequence_log_probs(logits, labels, **options)
    assert_close(came, summed(logits, labels, **options))
    for other in (rng.option(255, 7, 10**9), -rng.option(1, 1, 10**9)) if is_second_round() else ():
        labels = ignoring(rng, ignore_index=other)
        assert_close(submission.sequence_log_probs(logits, labels, other), summed(logits, labels, other))


def test_gradients_of_the_logits(submission, rng):
    """the gradient of the logits is right, and 0 where a label is ignored and at the last position"""
    constants = {"labels": ignoring(rng)}
    assert_same_gradients(submission.sequence_log_probs, summed, rng.normal(3, 5, 7), constants=constants)
    logits = rng.normal(3, 5, 7)
    assert_backward_leaves_all(submission.sequence_log_probs, summed, logits, constants=constants)


def test_gradients_with_another_ignore_index(submission, rng):
    """the gradient of the logits is right whatever integer is ignored, in float32 too"""
    for dtype, lowest in ((torch.float64, -9), (torch.float32, 0)):
        constants = {"ignore_index": (drawn := int(rng.integers(lowest, 7, 1)))}
        constants["labels"] = ignoring(rng, ignore_index=drawn)
        logits = rng.normal(3, 5, 7, dtype=dtype)
        assert_same_gradients(submission.sequence_log_probs, summed, logits, constants=constants, alone=False)


def test_large_logits(submission, rng):
    """logits of ±1e4 give finite, right values and gradients"""
    logits = rng.uniform(3, 5, 7, low=-1e4, high=1e4)
    assert_same_gradients(submission.sequence_log_probs, summed, logits, constants={"labels": LABELS})


def test_other_sizes_and_layouts(submission, rng):
    """a batch of one, sequences of one and two tokens, and tensors that are not contiguous are right"""
    cases = [
        (rng.normal(1, 2, 7), LABELS[:1, :2]),
        (rng.normal(3, 2, 7), LABELS[:, :2]),
        (rng.normal(1, 5, 7), ignoring(rng)[:1]),
        (rng.normal(3, 1, 7), LABELS[:, :1]),
        (rng.normal(5, 3, 7).transpose(0, 1), LABELS.T.contiguous().T),
    ]
    came = [submission.sequence_log_probs(*case) for case in cases]
    assert_close(came, [summed(*case) for case in cases])


def test_large_sizes(submission, rng):
    """more than 128 sequences, positions and tokens are right to the last one, and so are the gradients"""
    sizes = [(131, 3, 2), (2, 139, 3), (2, 3, 137)]
    if is_second_round():
        sizes.append((rng.option(131, 1, 60), rng.option(139, 2, 60), rng.option(137, 2, 500)))
    for batch, seq, vocab in sizes:
        logits, labels = rng.normal(batch, seq, vocab, scale=2.0), rng.integers(0, vocab, batch, seq)
        labels[0, -1] = labels[-1, -1] = vocab - 1
        labels[1:, : seq // 3] = -100
        assert_same_gradients(
            submission.sequence_log_probs, summed, logits, constants={"labels": labels}, alone=False
        )


def one_after_the_other(answer, logits, labels, upstream):
    """The gradients of the logits of two batches, which are both scored before the first backward."""
    leaves = [one.clone().requires_grad_() for one in logits]
    sums = [answer.sequence_log_probs(*pair) for pair in zip(leaves, labels, strict=True)]
    for each, gradient in zip(sums, upstream, strict=True):
        (each * gradient).sum().backward()
    return torch.stack([torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in leaves])


def test_two_batches_before_their_gradients(submission, rng):
    """the gradients of a batch are right where another one (the rejected answers) was scored before them"""
    logits, upstream = rng.normal(2, 3, 5, 7), rng.normal(2, 3)
    labels = torch.stack([ignoring(rng), LABELS.roll(1, dims=0)])
    leaf = logits.clone().requires_grad_()
    sums = torch.stack([summed(*pair) for pair in zip(leaf, labels, strict=True)])
    (wanted,) = torch.autograd.grad((sums * upstream).sum(), leaf)
    came = submission.run(one_after_the_other, logits, labels, upstream)
    assert_close(came, wanted, what="gradient of logits")


# Pairs


def test_loss_and_rewards(submission, rng):
    """the loss is the mean of -log sigmoid(beta (D_policy - D_reference)), beta being 0.1"""
    numbers = numbers_of(rng, 5)
    assert_close(submission.dpo_loss(*numbers), expected(*numbers))


@pytest.mark.parametrize("beta", [0.5, 2.0])
def test_other_betas(submission, rng, beta):
    """beta multiplies what is in the sigmoid, and the rewards"""
    for dtype in (torch.float64, torch.float32):
        numbers = numbers_of(rng, 5, dtype, scale=1.0)
        assert_close(submission.dpo_loss(*numbers, beta=beta), expected(*numbers, beta=beta))
        for other in (rng.option(beta, 2e-3, 0.1), rng.option(beta, 0.1, 8.0)) if is_second_round() else ():
            assert_close(submission.dpo_loss(*numbers, beta=other), expected(*numbers, beta=other))


def of_the_policy(answer, policy_chosen, policy_rejected, *reference_and_beta, is_trained=False):
    """The gradients of the policy's log-probabilities; the reference's have one if it `is_trained`, too."""
    leaves = [policy_chosen.requires_grad_(), policy_rejected.requires_grad_()]
    *reference, beta = reference_and_beta
    reference = [each.requires_grad_(is_trained) for each in reference]
    loss, *rewards = answer.dpo_loss(*leaves, *reference, beta)
    (3 * loss).backward()
    gradients = [torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in leaves]
    return gradients, [reward.requires_grad for reward in rewards]


def test_gradients_of_the_policy(submission, rng):
    """the gradients of the policy's log-probabilities are right, also where it still is the reference"""
    policy, reference = numbers_of(rng, 137, scale=2.0)[:2], numbers_of(rng, 137, scale=2.0)[2:]
    for own, other in zip(policy, reference, strict=True):
        own[:3] = other[:3]  # as it is when a training begins
    for beta in (0.3, float(rng.uniform(1, low=0.02, high=2.0))):
        assert_gradients(submission, *policy, *reference, beta=beta)
    if is_second_round():
        assert_gradients(submission, *policy, *reference, beta=rng.option(0.3, 2e-3, 8.0))


def assert_gradients(submission, chosen, rejected, *reference, beta=0.3):
    leaves = [chosen.clone().requires_grad_(), rejected.clone().requires_grad_()]
    wanted = torch.autograd.grad(3 * expected(*leaves, *reference, beta).loss, leaves)
    came, _ = submission.run(of_the_policy, chosen, rejected, *reference, beta)
    names = "gradient of policy_chosen", "gradient of policy_rejected"
    assert_close(dict(zip(names, came, strict=True)), dict(zip(names, wanted, strict=True)))


def test_rewards_are_detached(submission, rng):
    """the rewards carry no gradient"""
    for is_trained in (False, True) if is_second_round() else (False,):
        _, recorded = submission.run(of_the_policy, *numbers_of(rng, 5), 0.3, is_trained=is_trained)
        assert_equal(recorded, [False, False], what="requires_grad of the rewards")


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_large_differences(submission, rng, dtype):
    """differences of some thousands give finite, right losses"""
    numbers = [*numbers_of(rng, 3, dtype)[:3], torch.tensor([-4e4, 3e4, 5e4], dtype=dtype)]
    assert_close(submission.dpo_loss(*numbers), expected(*numbers))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_gradients_of_large_differences(submission, rng, dtype):
    """where the difference is some thousands, of either sign, the gradients are finite and right"""
    assert_gradients(submission, *numbers_of(rng, 3, dtype)[:3], torch.tensor([-4e4, 3e4, 5e4], dtype=dtype))


def test_one_pair(submission, rng):
    """a single pair is right, also in tensors that are not contiguous"""
    chosen, rejected, *reference = (rng.normal(1, 2)[:, 0] for _ in range(4))
    came = submission.dpo_loss(chosen, rejected, *reference)
    assert_close(came, expected(chosen, rejected, *reference))


def test_float32_stays(submission, rng):
    """float32 gives float32, in both functions"""
    logits, numbers = rng.normal(3, 5, 7, dtype=torch.float32), numbers_of(rng, 5, torch.float32)
    assert_close(submission.sequence_log_probs(logits, LABELS), summed(logits, LABELS))
    assert_close(submission.dpo_loss(*numbers), expected(*numbers))


def test_arguments_are_not_modified(submission, rng):
    """no argument is modified, also those of a single sequence"""
    labels = ignoring(rng)
    assert_inputs_unchanged(submission.sequence_log_probs, rng.normal(3, 5, 7), labels)
    assert_inputs_unchanged(submission.sequence_log_probs, rng.normal(1, 5, 7), labels[:1])
    assert_inputs_unchanged(submission.sequence_log_probs, rng.normal(3, 5, 7), LABELS, ignore_index=3)
    assert_inputs_unchanged(submission.dpo_loss, *numbers_of(rng, 5))
    assert_inputs_unchanged(submission.dpo_loss, *numbers_of(rng, 5), 0.5)


def test_device(submission, rng):
    """nothing is made on the default device where the arguments are on another one"""
    for ignore_index in (-100, 3):
        labels = ignoring(rng, ignore_index=ignore_index)
        assert_keeps_device(submission, "sequence_log_probs", rng.normal(3, 5, 7), labels, ignore_index)
    if is_second_round():  # of one token
        assert_keeps_device(submission, "sequence_log_probs", rng.normal(3, 1, 7), LABELS[:, :1])
    for beta in (0.1, rng.option(0.7, 2e-3, 8.0)):
        assert_keeps_device(submission, "dpo_loss", *numbers_of(rng, 5), beta)
