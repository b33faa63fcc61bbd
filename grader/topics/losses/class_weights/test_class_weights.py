"""Checks of `class_weights`: both methods, absent classes, dtypes, device."""

import pytest
import torch

from grader.kit import assert_close, assert_inputs_unchanged, assert_raises
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device, with_float64_as_default
from grader.kit.rules.turns import Player, assert_by_turns

LABELS = torch.tensor([4, 0, 1, 4, 4, 0, 3, 4, 1, 4, 0])  # class 2 is absent
OTHER_DTYPES = [torch.uint8, torch.int8, torch.int16, torch.int32]
methods = pytest.mark.parametrize("method", ["balanced", "inverse"])


def workload(submission, rng):
    return submission.class_weights.measure(rng.integers(0, 7, 1000), 7)


def counted(labels, num_classes, method="balanced"):
    """The oracle: counts one class after the other."""
    numbers = labels.tolist()
    counts = [sum(number == one for number in numbers) for one in range(num_classes)]
    scale = len(numbers) / num_classes if method == "balanced" else 1.0
    return torch.tensor([scale / count if count else 0.0 for count in counts])


@methods
def test_equals_counting_loops(submission, rng, method):
    """balanced is n / (num_classes * count), inverse is 1 / count"""
    uneven = torch.cat([torch.arange(7), rng.integers(0, 7, 30).clamp(min=4)])
    for labels in (uneven, torch.arange(21) % 7):  # the other one has three of each class
        assert_close(submission.class_weights(labels, 7, method), counted(labels, 7, method))
    if is_second_round():
        num_classes = rng.option(7, 1, 3000)
        labels = rng.integers(0, num_classes, rng.option(30, 1, 3000))
        came = submission.class_weights(labels, num_classes, method)
        assert_close(came, counted(labels, num_classes, method))
        many = rng.option(7, 4500, 6000)
        came = submission.class_weights(rng.permutation(many), many, method)
        assert_close(came, torch.ones(many))  # there is one of each


def test_balanced_by_default(submission):
    """balanced is the default method"""
    labels = LABELS.clamp(max=2)
    assert_close(submission.class_weights(labels, 3), counted(labels, 3))


@methods
def test_absent_classes(submission, method):
    """an absent class gets 0, between the others too, and the others count it in num_classes"""
    assert_close(submission.class_weights(LABELS, 5, method=method), counted(LABELS, 5, method))


@methods
def test_classes_beyond_the_largest_label(submission, method):
    """there is a weight, of 0, for every class beyond the largest label"""
    assert_close(submission.class_weights(LABELS, 11, method), counted(LABELS, 11, method))


@methods
def test_rare_and_frequent_classes(submission, method):
    """a class that is rare or frequent gets the weight that follows, however large or small it is"""
    labels = torch.ones(5000, dtype=torch.int64)
    labels[71] = 0
    for num_classes in (2, 131):
        expected = torch.zeros(num_classes)
        expected[:2] = 1 / torch.tensor([1.0, 4999.0])
        expected *= 5000 / num_classes if method == "balanced" else 1
        came = submission.class_weights(labels, num_classes, method)
        assert_close(came, expected)
        assert_close(came[1:], expected[1:], what="weights but for that of the rarest class")


@pytest.mark.parametrize("dtype", OTHER_DTYPES)
def test_labels_of_other_dtypes(submission, rng, dtype):
    """labels may be of any integer dtype, and of one class more than that dtype can count"""
    labels = torch.cat([torch.full((311,), 3), rng.integers(0, 5, 83)])
    assert_close(submission.class_weights(labels.to(dtype), 5), counted(labels, 5))
    if is_second_round():
        most = min(torch.iinfo(dtype).max, 3000)
        for method in ("balanced", "inverse"):
            num_classes = rng.option(5, 1, most)
            labels = rng.integers(0, num_classes, rng.option(83, 1, 3000)).to(dtype)
            came = submission.class_weights(labels, num_classes, method)
            assert_close(came, counted(labels, num_classes, method))


def test_default_dtype(submission):
    """the weights have the default dtype: float64 after torch.set_default_dtype(torch.float64)"""
    for method in ("balanced", "inverse"):
        came = with_float64_as_default(submission, "class_weights", LABELS, 5, method)
        assert_close(came, counted(LABELS, 5, method).double(), tolerance=1e-6)


@methods
def test_device_of_the_labels(submission, method):
    """the weights are on the device of the labels, also where the default device is another one"""
    assert_keeps_device(submission, "class_weights", LABELS, 5, method)


def test_other_sizes_and_layouts(submission, rng):
    """one label, one class, strided labels, a thousand labels, and 66,007 of one class are right"""
    cases = [(LABELS[:1], 5), (LABELS * 0, 1), (LABELS[::3], 5), (rng.integers(0, 31, 1003), 31)]
    cases += [(torch.ones(66_007, dtype=torch.uint8), 2), ((LABELS + 100).to(torch.int8), 105)]
    came = [submission.class_weights(*case) for case in cases]
    assert_close(came, [counted(*case) for case in cases])


@pytest.mark.parametrize("method", ["uniform", "", "Balanced", "INVERSE", "balance"])
def test_unknown_method_raises(submission, method):
    """an unknown method raises a ValueError"""
    assert_raises(submission.class_weights, LABELS, 5, method)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the labels of the calls before it"""
    calls = [(rng.integers(0, 5, 31), 5, method) for method in ("balanced", "balanced", "inverse", "inverse")]
    assert_by_turns(Player(submission.class_weights, counted, calls))


@methods
def test_labels_are_not_modified(submission, method):
    """the labels are not modified, of whatever dtype they are"""
    for dtype in (torch.int64, *OTHER_DTYPES):
        assert_inputs_unchanged(submission.class_weights, LABELS.to(dtype), 5, method)
