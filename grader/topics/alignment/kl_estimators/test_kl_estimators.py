"""Checks of `kl_estimate`: values, means against the true divergence, gradients."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import assert_close, assert_inputs_unchanged, assert_raises, assert_same_gradients
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.small import whole

kinds = pytest.mark.parametrize("kind", ["k1", "k2", "k3"])


def workload(submission, rng):
    return submission.kl_estimate.measure(rng.normal(16, 64), rng.normal(16, 64))


LADDER = [("k1", 1), ("k2", 1), ("k3", 1), ("k3", 3)]


def smallest(submission, rng, kind, tokens):
    """small whole numbers give what the formulas give"""
    log_probs, reference = whole(rng, tokens), whole(rng, tokens)
    assert_close(submission.kl_estimate(log_probs, reference, kind), by_ratios(log_probs, reference, kind))


def by_ratios(log_probs, reference_log_probs, kind="k3"):
    """The oracle: from the ratio reference / policy, as Schulman writes them."""
    log_ratio = reference_log_probs - log_probs
    if kind == "k3":
        return torch.expm1(log_ratio) - log_ratio
    return -log_ratio if kind == "k1" else 0.5 * log_ratio * log_ratio


@kinds
def test_values(submission, rng, kind):
    """every token has its own estimate, of the kind asked for"""
    log_probs, reference = rng.normal(3, 5), rng.normal(3, 5)
    assert_close(submission.kl_estimate(log_probs, reference, kind), by_ratios(log_probs, reference, kind))


def test_k3_by_default(submission, rng):
    """k3 is the default"""
    log_probs, reference = rng.normal(3, 5), rng.normal(3, 5)
    assert_close(submission.kl_estimate(log_probs, reference), by_ratios(log_probs, reference))


@pytest.mark.parametrize("kind", ["k1", "k3"])
def test_means_are_the_divergence(submission, rng, kind):
    """the mean of k1 and of k3 over the policy's tokens is KL(policy || reference)"""
    policy, reference = rng.normal(7).log_softmax(0), rng.normal(7).log_softmax(0)
    came = submission.kl_estimate(policy, reference, kind)
    wanted = F.kl_div(reference, policy, reduction="sum", log_target=True)
    assert_close((policy.exp() * came).sum(), wanted)


@kinds
def test_gradients(submission, rng, kind):
    """the gradients of both arguments are right"""
    constants = {"kind": kind}
    assert_same_gradients(
        submission.kl_estimate, by_ratios, rng.normal(3, 5), rng.normal(3, 5), constants=constants
    )


def test_a_second_backward(submission, rng):
    """a backward pass changes nothing that is others', and may run twice"""
    log_probs, reference, constants = rng.normal(3, 5), rng.normal(3, 5), {"kind": "k3"}
    assert_backward_leaves_all(submission.kl_estimate, by_ratios, log_probs, reference, constants=constants)


@kinds
def test_equal_models(submission, rng, kind):
    """where both models agree the estimate is 0, with the right gradient"""
    same, constants = rng.normal(7), {"kind": kind}
    assert_same_gradients(submission.kl_estimate, by_ratios, same, same.clone(), constants=constants)


@pytest.mark.parametrize("near", [0.1, 0.01, 0.001, 0.0001])
def test_near_each_other(submission, rng, near):
    """k3 is right also where all differences are small: near k2 there, but not the same"""
    apart = near * rng.uniform(7, low=0.6, high=0.95)
    apart[::2] *= -1
    reference = rng.normal(7)
    log_probs = reference + apart
    came = submission.kl_estimate(log_probs, reference, "k3")
    wanted = by_ratios(log_probs, reference, "k3")
    # They differ by a sixth of `apart` in these units, and rounding is some 1e-7 in the smallest.
    assert_close(came / apart**2, wanted / apart**2, absolute=1e-6, what="result / difference²")


def test_far_apart(submission, rng):
    """differences up to 20 are right on both sides"""
    reference, came, wanted = rng.normal(3), [], []
    others = (rng.option(5.0, 0.1, 19.9), -rng.option(5.0, 0.1, 19.9)) if is_second_round() else ()
    for apart in (19.0, -19.0, -9.5, *others):
        shift = torch.tensor([1.0, 0.9, 0.95]).double() * apart
        for kind in ("k1", "k2", "k3"):
            came.append(submission.kl_estimate(reference + shift, reference, kind))
            wanted.append(by_ratios(reference + shift, reference, kind))
    assert_close(came, wanted)


@kinds
def test_very_improbable_tokens(submission, rng, kind):
    """log-probabilities down to -1000 are right, where a probability is 0"""
    log_probs, reference = (-rng.uniform(3, 5, low=990, high=1000) for _ in range(2))
    assert_close(submission.kl_estimate(log_probs, reference, kind), by_ratios(log_probs, reference, kind))


@kinds
def test_other_sizes_and_layouts(submission, rng, kind):
    """numbers without dimensions, one token, and tensors that are not contiguous are right"""
    shapes = [(5, 1), (1, 5), rng.integers(1, 3, 7).tolist() if is_second_round() else (2, 3, 5)]
    cases = [(rng.normal(), rng.normal()), (rng.normal(1, 1), rng.normal(1, 1))]
    cases += [(rng.normal(*shape), rng.normal(*shape)) for shape in shapes]
    cases += [(rng.normal(5, 3).T, rng.normal(3, 5))]
    came = [submission.kl_estimate(*case, kind) for case in cases]
    assert_close(came, [by_ratios(*case, kind) for case in cases])


@kinds
def test_float32_stays(submission, rng, kind):
    """float32 gives float32"""
    log_probs, reference = rng.normal(5, dtype=torch.float32), rng.normal(5, dtype=torch.float32)
    assert_close(submission.kl_estimate(log_probs, reference, kind), by_ratios(log_probs, reference, kind))


@pytest.mark.parametrize("kind", ["k4", "", "k", "K3"])
def test_other_kinds_raise(submission, rng, kind):
    """another kind raises a ValueError"""
    assert_raises(submission.kl_estimate, rng.normal(5), rng.normal(5), kind)


@kinds
def test_arguments_are_not_modified(submission, rng, kind):
    """no argument is modified"""
    assert_inputs_unchanged(submission.kl_estimate, rng.normal(5), rng.normal(5), kind)


@kinds
def test_device(submission, rng, kind):
    """nothing is made on the default device where the arguments are on another one"""
    assert_keeps_device(submission, "kl_estimate", rng.normal(5), rng.normal(5), kind)
