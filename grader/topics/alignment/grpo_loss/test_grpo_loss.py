"""Checks of `group_advantages` and `grpo_loss`: groups, clip, divergence, and what is averaged over what."""

import pytest
import torch

from grader.kit import assert_close, assert_inputs_unchanged, assert_raises, assert_same_gradients
from grader.kit.families.clipped_ratio import clipped_gain, far_tokens
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.small import whole

MASK = torch.tensor([[1, 1, 0, 1, 0], [0, 1, 0, 0, 0], [1, 1, 1, 1, 1]]).bool()
NO_KL = {"kl_beta": 0.0}

choices = pytest.mark.parametrize(
    "aggregate, importance",
    [("sequence", "token"), ("token", "token"), ("sequence", "sequence"), ("token", "sequence")],
)


def workload(submission, rng):
    inputs = tokens(rng, (8, 64))
    return submission.grpo_loss.measure(*inputs, torch.ones(8, 64).bool())


LADDER = [(1, 1), (1, 2), (2, 2), (2, 3)]


def smallest(submission, rng, n, seq):
    """small whole numbers give what loops give"""
    rewards = whole(rng, n, seq)
    assert_close(submission.group_advantages(rewards), advantages_of(rewards))
    inputs = [*(whole(rng, n, seq, most=1) for _ in range(3)), whole(rng, n), torch.ones(n, seq).bool()]
    assert_close(submission.grpo_loss(*inputs, kl_beta=1.0), loss(*inputs, kl_beta=1.0))


def advantages_of(rewards, eps=1e-4):
    """The oracle: group after group, in Python's floats."""
    rows = []
    for row in rewards.tolist():
        mean = sum(row) / len(row)
        spread = (sum((each - mean) ** 2 for each in row) / max(len(row) - 1, 1)) ** 0.5
        rows.append([(each - mean) / (spread + eps) for each in row])
    return torch.tensor(rows, dtype=rewards.dtype)


def loss(
    log_probs,
    old_log_probs,
    reference_log_probs,
    advantages,
    mask,
    clip_low=0.2,
    clip_high=0.2,
    kl_beta=0.04,
    aggregate="sequence",
    importance="token",
):
    """The oracle: the kept tokens alone, in a row, each with the number of its sequence."""
    kept = mask.bool()
    new, old, reference = (each[kept] for each in (log_probs, old_log_probs, reference_log_probs))
    sequence = kept.nonzero()[:, 0]

    def means(each):
        return each.new_zeros(len(kept)).index_add(0, sequence, each) / kept.sum(dim=1)

    shifts = new - old
    if importance == "sequence":
        shifts = means(shifts)[sequence]
    gains = clipped_gain(shifts.exp(), advantages[sequence], clip_low, clip_high)
    every = kl_beta * (torch.expm1(reference - new) - (reference - new)) - gains
    return (means(every) if aggregate == "sequence" else every).mean()


def tokens(rng, shape=(3, 5), dtype=torch.float64):
    """Log-probabilities: new, old, of the reference; and an advantage for each sequence, of both signs."""
    old = -rng.uniform(*shape, low=0.1, high=3.0)
    signs = torch.tensor([1.0, -1.0]).repeat(shape[0])[: shape[0]]
    advantages = signs * rng.uniform(shape[0], low=0.5, high=2.0)
    log_probs, reference = (old + rng.normal(*shape, scale=0.4) for _ in range(2))
    if shape[0] > 1 and shape[1] > 1:
        log_probs[1, 1] = old[1, 1] + 1.5  # where the advantage is negative
        reference[0, 1] = log_probs[0, 1] + 3.0
    return [value.to(dtype) for value in (log_probs, old, reference, advantages)]


def assert_loss(submission, rng, mask=MASK, shape=(3, 5), **options):
    """The loss and its gradient."""
    log_probs, old, reference, advantages = tokens(rng, shape)
    constants = {"old_log_probs": old, "reference_log_probs": reference, "advantages": advantages}
    constants |= {"mask": mask, **options}
    assert_same_gradients(submission.grpo_loss, loss, log_probs, constants=constants)


# Advantages


def test_advantages(submission, rng):
    """an answer's advantage is its reward less its group's mean, divided by its group's std + eps"""
    for shape in ((3, 5), (131, 2), (2, 137)):
        rewards = rng.normal(*shape, scale=2.0) + rng.normal(shape[0], 1)
        assert_close(submission.group_advantages(rewards), advantages_of(rewards))


@pytest.mark.parametrize("eps", [0.5, 1e-4])
def test_eps(submission, rng, eps):
    """eps is added to the standard deviation, by default 1e-4"""
    rewards = rng.normal(3, 4, scale=1e-2)
    options = {} if eps == 1e-4 else {"eps": eps}
    assert_close(submission.group_advantages(rewards, **options), advantages_of(rewards, eps))
    if is_second_round():  # beside a spread of its size
        eps = rng.option(1e-4, 1e-7, 10.0)
        rewards = rng.normal(3, 4, scale=eps)
        assert_close(submission.group_advantages(rewards, eps), advantages_of(rewards, eps))


def test_equal_rewards(submission, rng):
    """a group of equal rewards gives zeros, beside others"""
    rewards = torch.cat(
        [torch.full((1, 3), 0.7), torch.zeros(1, 3), torch.tensor([[1.0, 0.0, 1.0]])]
    ).double()
    assert_close(submission.group_advantages(rewards), advantages_of(rewards))


def test_rewards_far_from_zero(submission):
    """rewards that differ by little and lie far from 0 are right, in float32 too"""
    # Exact in their dtype, and so are their means.
    apart = torch.tensor([[0.0, 1.0, 3.0, -2.0], [1.0, 0.0, 0.0, 1.0], [-1.0, 2.0, 2.0, 2.0]])
    near = apart + torch.tensor([[4096.0], [-4096.0], [5000.0]])
    farther = apart.double() + torch.tensor([[1e8], [-1e8], [2e8]])  # float32 cannot tell them apart
    for rewards in (near, farther):
        # The tolerance is for means that are updated from one reward to the next, and rounded.
        assert_close(submission.group_advantages(rewards), advantages_of(rewards), tolerance=5e-3)


def test_groups_of_one(submission, rng):
    """groups of one answer give zeros"""
    rewards = rng.normal(3, 1)
    assert_close(submission.group_advantages(rewards), torch.zeros(3, 1, dtype=torch.float64))


# The loss


def test_grpo(submission, rng):
    """by default it is GRPO's: the mean over each sequence's kept tokens, then over the sequences"""
    assert_loss(submission, rng)


@choices
def test_choices(submission, rng, aggregate, importance):
    """aggregate and importance can be chosen each by itself, with their gradients"""
    options, mask = {"aggregate": aggregate, "importance": importance}, MASK
    if is_second_round():  # with any bounds, any kl_beta and a mask of any kind
        low, high = rng.option(0.2, 1e-3, 0.95), rng.option(0.2, 1e-3, 3.0)
        options |= {"clip_low": low, "clip_high": high, "kl_beta": rng.option(0.04, 1e-3, 10.0)}
        mask = MASK.to((torch.bool, torch.int64, torch.float64)[int(rng.integers(0, 3, 1))])
    assert_loss(submission, rng, mask, **options)


@pytest.mark.parametrize("n, seq", [(131, 2), (2, 137)])
@pytest.mark.parametrize("aggregate, importance", [("sequence", "sequence"), ("token", "token")])
def test_many_tokens(submission, rng, n, seq, aggregate, importance):
    """131 sequences and 137 tokens, more than usual blocks take, are right to the last, with gradients"""
    n = rng.option(n, 1025, 2100) if n > seq else n  # parts of 1024 are not of one size
    mask = rng.mask(n, seq)
    mask[0] = True  # the first sequence does not speak for all
    assert_loss(submission, rng, mask, (n, seq), aggregate=aggregate, importance=importance)


@pytest.mark.parametrize("importance", ["token", "sequence"])
def test_very_improbable_tokens(submission, rng, importance):
    """log-probabilities down to -1000 are right, where a probability is 0"""
    *log_probs, advantages = tokens(rng)
    inputs = [*(values - 990 for values in log_probs), advantages, MASK]
    came = submission.grpo_loss(*inputs, importance=importance)
    assert_close(came, loss(*inputs, importance=importance))


@pytest.mark.parametrize("importance", ["token", "sequence"])
@pytest.mark.parametrize("apart", [19.0, -19.0])
def test_ratios_far_from_one(submission, rng, apart, importance):
    """where new and old log-probabilities differ by up to 20 the ratio is as it is, with its gradient"""
    log_probs, old, advantages = far_tokens(rng, apart)
    constants = {"old_log_probs": old, "reference_log_probs": old, "advantages": advantages[:, 0]}
    constants |= {"mask": torch.ones(1, 3).bool(), "importance": importance, **NO_KL}
    assert_same_gradients(submission.grpo_loss, loss, log_probs, constants=constants)


@pytest.mark.parametrize("apart", [19.0, -19.0])
def test_far_from_the_reference(submission, rng, apart):
    """where the policy and the reference differ by up to 20 the penalty is as it is, with its gradient"""
    log_probs, reference, advantages = far_tokens(rng, apart)
    constants = {"old_log_probs": log_probs - 0.1, "reference_log_probs": reference}
    constants |= {"advantages": advantages[:, 0], "mask": torch.ones(1, 3).bool()}
    assert_same_gradients(submission.grpo_loss, loss, log_probs, constants=constants)


@choices
def test_without_divergence(submission, rng, aggregate, importance):
    """with kl_beta=0 it is the clipped gain alone, also where a sequence's advantage is 0"""
    options = {"aggregate": aggregate, "importance": importance, **NO_KL}
    assert_loss(submission, rng, **options)
    *inputs, advantages = tokens(rng)
    advantages[0] = 0.0
    inputs += [advantages, MASK]
    assert_close(submission.grpo_loss(*inputs, **options), loss(*inputs, **options))


def test_divergence(submission, rng):
    """kl_beta times k3 is added for every token, whatever its ratio and its advantage are"""
    assert_loss(submission, rng, kl_beta=2.0)


@pytest.mark.parametrize("low, high", [(0.1, 0.5), (0.4, 0.05)])
def test_bounds(submission, rng, low, high):
    """clip_low and clip_high bound the ratio on their own sides"""
    mask = torch.ones(4, 11).bool()
    assert_loss(submission, rng, mask, (4, 11), clip_low=low, clip_high=high, **NO_KL)
    if is_second_round():
        low, high = rng.option(0.2, 1e-3, 0.95), rng.option(0.2, 1e-3, 3.0)
        assert_loss(submission, rng, mask, (4, 11), clip_low=low, clip_high=high, **NO_KL)
        for low in (1.0, rng.option(1.5, 1.1, 4.0)):  # no ratio is below such a bound
            assert_loss(submission, rng, mask, (4, 11), clip_low=low, clip_high=high, **NO_KL)


def test_ratio_of_one(submission, rng):
    """where the policy has not changed yet the gradient is that of the advantages and of k3"""
    _, old, reference, advantages = tokens(rng)
    constants = {
        "old_log_probs": old,
        "reference_log_probs": reference,
        "advantages": advantages,
        "mask": MASK,
    }
    assert_same_gradients(submission.grpo_loss, loss, old.clone(), constants=constants)


@pytest.mark.parametrize("dtype", [torch.int64, torch.float64])
@pytest.mark.parametrize("aggregate, importance", [("sequence", "sequence"), ("token", "token")])
def test_masks_of_numbers(submission, rng, dtype, aggregate, importance):
    """a mask of 0 and 1 does what a boolean one does, and so do the gradients"""
    assert_loss(submission, rng, MASK.to(dtype), aggregate=aggregate, importance=importance)


def test_float32_stays(submission, rng):
    """float32 gives float32, in both functions, with options too"""
    inputs, rewards = tokens(rng, dtype=torch.float32), rng.normal(3, 5, dtype=torch.float32)
    several = {"clip_low": rng.option(0.1, 1e-3, 0.9), "clip_high": rng.option(0.3, 1e-3, 3.0)}
    several["aggregate"], beta = "token", rng.option(0.5, 0.01, 10.0)
    more = [several, {"kl_beta": beta, "importance": "sequence"}] if is_second_round() else []
    for options in more or ({},):
        assert_close(submission.grpo_loss(*inputs, MASK, **options), loss(*inputs, MASK, **options))
    eps = rng.option(1e-4, 1e-3, 10.0)
    assert_close(submission.group_advantages(rewards, eps), advantages_of(rewards, eps))


def test_other_sizes_and_layouts(submission, rng):
    """one token, as many tokens as sequences, and tensors that are not contiguous are right"""
    one, square = torch.ones(1, 1).bool(), torch.ones(3, 3).bool()
    cases = [(*tokens(rng, (1, 1)), one), (*tokens(rng, (3, 3)), square)]
    cases += [(*tokens(rng, shape), torch.ones(shape).bool()) for shape in ((4, 1), (1, 5))]
    *values, advantages = tokens(rng)
    cases.append((*(value.T.contiguous().T for value in values), advantages, MASK))
    for options in ({}, {"aggregate": "token", "importance": "sequence"}):
        came = [submission.grpo_loss(*case, **options) for case in cases]
        assert_close(came, [loss(*case, **options) for case in cases])
    for rewards in (rng.normal(5, 3).T, rng.normal(1, 4)):
        assert_close(submission.group_advantages(rewards), advantages_of(rewards))


@pytest.mark.parametrize("aggregate, importance", [("mean", ""), ("", "both"), ("Token", "Sequence")])
def test_other_words_raise(submission, rng, aggregate, importance):
    """another word for aggregate or importance raises a ValueError, also where no token is masked"""
    for mask in (MASK, torch.ones(3, 5).bool()):
        assert_raises(submission.grpo_loss, *tokens(rng), mask, aggregate=aggregate)
        assert_raises(submission.grpo_loss, *tokens(rng), mask, importance=importance)


def test_arguments_are_not_modified(submission, rng):
    """no argument is modified"""
    assert_inputs_unchanged(submission.grpo_loss, *tokens(rng), MASK, importance="sequence")
    for aggregate in ("sequence", "token"):
        assert_inputs_unchanged(submission.grpo_loss, *tokens(rng), MASK.double(), aggregate=aggregate)
    more = [0.3] if is_second_round() else []
    assert_inputs_unchanged(submission.group_advantages, rng.normal(3, 5), *more)


def test_device(submission, rng):
    """nothing is made on the default device where the arguments are on another one"""
    more = (0.1, 0.3, 0.5, "token") if is_second_round() else (0.2, 0.2, 0.04, "sequence", "sequence")
    assert_keeps_device(submission, "grpo_loss", *tokens(rng), MASK, *more)
    assert_keeps_device(submission, "group_advantages", rng.normal(3, 5))
    if is_second_round():  # groups of one answer
        assert_keeps_device(submission, "group_advantages", rng.normal(2, 1))
