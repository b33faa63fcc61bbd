"""Checks of `class_weights`: both methods, absent classes, dtypes, device."""

import pytest
import torch

from grader.kit import Mistake, assert_close, assert_equal, assert_inputs_unchanged, assert_raises

LABELS = torch.tensor([4, 0, 1, 4, 4, 0, 3, 4, 1, 4, 0])  # class 2 is absent
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
    labels = torch.cat([torch.arange(7), rng.integers(0, 7, 30).clamp(min=4)])
    assert_close(submission.class_weights(labels, 7, method), counted(labels, 7, method))


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


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32])
def test_labels_of_other_dtypes(submission, rng, dtype):
    """labels may be of any integer dtype, and of one class more than that dtype can count"""
    labels = torch.cat([torch.full((311,), 3), rng.integers(0, 5, 83)])
    assert_close(submission.class_weights(labels.to(dtype), 5), counted(labels, 5))


def with_float64_as_default(answer, labels):
    torch.set_default_dtype(torch.float64)
    return answer.class_weights(labels, 5), answer.class_weights(labels, 5, "inverse")


def test_default_dtype(submission):
    """the weights have the default dtype: float64 after torch.set_default_dtype(torch.float64)"""
    balanced, inverse = submission.run(with_float64_as_default, LABELS)
    assert_close(balanced, counted(LABELS, 5).double(), tolerance=1e-6)
    assert_close(inverse, counted(LABELS, 5, "inverse").double(), tolerance=1e-6)


def device_under_another_default(answer, labels):
    import sys
    from types import SimpleNamespace

    weights = answer.class_weights(labels, 5)
    # Operations on this device only ask it to leave them as they are, and to load it takes 4 s.
    own = SimpleNamespace(disable=lambda function, *args, **kwargs: function)
    ours = sys.modules.setdefault("torch._dynamo", own) is own
    torch.set_default_device("meta")
    try:
        return answer.class_weights(labels, 5).device.type
    except Exception:
        # It reads from this device, moves from it, or has a number on it: a real one may allow all of that.
        return weights.device.type
    finally:
        torch.set_default_device(None)
        ours and sys.modules.pop("torch._dynamo")


def test_device_of_the_labels(submission):
    """the weights are on the device of the labels, also where the default device is another one"""
    assert_equal(submission.run(device_under_another_default, LABELS), "cpu", what="device")


def test_other_sizes_and_layouts(submission, rng):
    """one label, one class, labels that are not contiguous and a thousand labels are right"""
    cases = [(LABELS[:1], 5), (LABELS * 0, 1), (LABELS[::3], 5), (rng.integers(0, 31, 1000), 31)]
    came = [submission.class_weights(*case) for case in cases]
    assert_close(came, [counted(*case) for case in cases])


@pytest.mark.parametrize("method", ["uniform", ""])
def test_unknown_method_raises(submission, method):
    """an unknown method raises a ValueError"""
    assert_raises(submission.class_weights, LABELS, 5, method)


@methods
def test_labels_are_not_modified(submission, method):
    """the labels are not modified"""
    assert_inputs_unchanged(submission.class_weights, LABELS, 5, method)


MISTAKES = [
    Mistake(
        "absent-class-infinite",
        find="weights.masked_fill(counts == 0, 0)",
        replace="weights",
        says="A class that does not occur gets the weight 1 / 0 = inf. Give it 0: inf would turn every sum "
        "over the classes into inf or NaN.",
    ),
    Mistake(
        "absent-class-counted-as-one",
        find="    counts = torch.bincount(labels, minlength=num_classes)",
        replace="    counts = torch.bincount(labels, minlength=num_classes).clamp(min=1)",
        says="You count an absent class as if it occurred once, so it gets the largest weight of all. It "
        "gets 0.",
    ),
    Mistake(
        "one-added-to-the-counts",
        find="    weights = 1 / counts",
        replace="    weights = 1 / (counts + 1)",
        says="You add 1 to every count, so as not to divide by 0, which makes all weights too small. Divide "
        "by the counts themselves, and set the weight to 0 where the count is 0.",
    ),
    Mistake(
        "one-added-to-every-count",
        find="    weights = 1 / counts",
        replace="    counts = counts + 1\n    weights = 1 / counts",
        says="You add 1 to every count (Laplace smoothing), which makes all weights too small and gives an "
        "absent class the largest of all. Divide by the counts themselves, and give an absent class 0.",
    ),
    Mistake(
        "every-class-counted-once",
        find="    counts = torch.bincount(labels, minlength=num_classes)",
        replace="    counts = torch.bincount(labels, minlength=num_classes).clamp(max=1)",
        says="Your counts are 1 for every class that occurs: count[labels] += 1 adds only once for an index "
        "that stands there several times. Use bincount, scatter_add_ or index_add_.",
    ),
    Mistake(
        "counts-filled-from-the-front",
        find="    counts = torch.bincount(labels, minlength=num_classes)",
        replace="""\
    counts = labels.unique(return_counts=True)[1]
    counts = torch.cat([counts, counts.new_zeros(num_classes - len(counts))])""",
        says="You write the counts of unique to the front, one after the other: behind a class that does not "
        "occur they belong to the wrong classes. Put them at their places, counts[values.long()] = "
        "..., or use bincount with minlength=num_classes.",
    ),
    Mistake(
        "epsilon-in-the-denominator",
        find="    weights = 1 / counts",
        replace="    weights = 1 / (counts + 1e-6)",
        says="You add a small number to the counts, so as not to divide by 0: an absent class gets the "
        "weight 1e6, the largest of all. It gets 0.",
    ),
    Mistake(
        "small-number-added-to-every-count",
        find="    weights = 1 / counts",
        replace="    weights = 1 / (counts + 1e-3)",
        says="You add a small number to the counts, so as not to divide by 0, and every weight is a little "
        "too small. Divide by the counts themselves, and set the weight to 0 where the count is 0.",
    ),
    Mistake(
        "minlength-forgotten",
        find="torch.bincount(labels, minlength=num_classes)",
        replace="torch.bincount(labels)",
        says="Your result ends with the largest label that occurs, so it is too short for the loss if the "
        "last classes are absent. bincount needs minlength=num_classes.",
    ),
    Mistake(
        "only-classes-that-occur",
        find="torch.bincount(labels, minlength=num_classes)",
        replace="labels.unique(return_counts=True)[1]",
        says="You count with unique, which leaves out the classes that do not occur: the weights behind a "
        "gap belong to the wrong classes. Use bincount with minlength=num_classes, or put the counts "
        "at the places of their classes.",
    ),
    Mistake(
        "divided-by-the-classes-that-occur",
        find="weights * labels.numel() / num_classes",
        replace="weights * labels.numel() / (counts > 0).sum()",
        says="You divide by the number of classes that occur. Balanced is n / (num_classes * count), with "
        "num_classes as it is given.",
    ),
    Mistake(
        "balanced-without-num-classes",
        find="weights * labels.numel() / num_classes",
        replace="weights * labels.numel()",
        says="Your balanced weights are n / count. Divide by num_classes too: n / (num_classes * count), so "
        "that they are about 1.",
    ),
    Mistake(
        "balanced-without-n",
        find="weights * labels.numel() / num_classes",
        replace="weights / num_classes",
        says="Your balanced weights are 1 / (num_classes * count). The number of labels is missing: n / "
        "(num_classes * count), so that they are about 1.",
    ),
    Mistake(
        "normalized-to-one",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="    weights = weights.masked_fill(counts == 0, 0)\n    return weights / weights.sum()",
        says="You divide the weights by their sum. They are not normalized: n / (num_classes * count), or 1 "
        "/ count.",
    ),
    Mistake(
        "normalized-to-num-classes",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="""\
    weights = weights.masked_fill(counts == 0, 0)
    return weights / weights.sum() * num_classes""",
        says="You scale the weights so that their mean over the classes is 1. They are not normalized: n / "
        "(num_classes * count), or 1 / count.",
    ),
    Mistake(
        "inverse-normalized-to-one",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="""\
    weights = weights.masked_fill(counts == 0, 0)
    return weights / weights.sum() if method == "inverse" else weights""",
        says="You divide the inverse weights by their sum. They are not normalized: inverse is 1 / count.",
    ),
    Mistake(
        "inverse-normalized-to-num-classes",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="""\
    weights = weights.masked_fill(counts == 0, 0)
    return weights / weights.sum() * num_classes if method == "inverse" else weights""",
        says="You scale the inverse weights so that their mean over the classes is 1. They are not "
        "normalized: inverse is 1 / count.",
    ),
    Mistake(
        "frequencies",
        find="    weights = 1 / counts",
        replace="    weights = counts / labels.numel() ** 2",
        says="Your weights grow with the count, so frequent classes get the most. It is the rare ones that "
        "need it: divide by the count.",
    ),
    Mistake(
        "relative-to-the-most-frequent",
        find="    weights = 1 / counts",
        replace="    weights = counts.max() / counts",
        says="You divide the largest count by each count. inverse is 1 / count, and balanced n / "
        "(num_classes * count).",
    ),
    Mistake(
        "inverse-of-the-share",
        find="    weights = 1 / counts\n    if",
        replace="""\
    weights = 1 / counts
    if method == "inverse":
        weights = weights * labels.numel()
    if""",
        says="Your inverse weights are n / count, the inverse of the class's share. Here inverse is 1 / "
        "count.",
    ),
    Mistake(
        "method-ignored",
        find='if method == "balanced":',
        replace="if method:",
        says="Your weights are balanced whatever the method is. inverse is 1 / count.",
    ),
    Mistake(
        "int64-only",
        find="torch.bincount(labels, minlength=num_classes)",
        replace="torch.nn.functional.one_hot(labels, num_classes).sum(dim=0)",
        says="one_hot (as scatter_add) takes indices of dtype int64 only, and labels are often uint8 or "
        "int32. Convert them with labels.long(), or use bincount.",
    ),
    Mistake(
        "counted-in-the-labels-dtype",
        find="torch.bincount(labels, minlength=num_classes)",
        replace="torch.bincount(labels, minlength=num_classes).to(labels.dtype)",
        says="You count in the dtype of the labels, and uint8 wraps around after 255 (int8 after 127). "
        "Count in int64 or in floating point.",
    ),
    Mistake(
        "float32-fixed",
        find="    weights = 1 / counts",
        replace="    weights = 1 / counts.float()",
        says="Your weights are float32 although the default dtype is another one at the time of the call. "
        "Use that one, as the model's parameters do: an integer tensor divided gives it, as does "
        "torch.get_default_dtype() if the function calls it, not the module when it is imported.",
    ),
    Mistake(
        "dtype-of-double",
        find="    weights = 1 / counts",
        replace="    weights = 1 / counts.double()",
        says="Your weights are always float64, and F.cross_entropy takes only weights of the logits' dtype. "
        "Use the default dtype, as the model's parameters do: an integer tensor divided gives it.",
    ),
    Mistake(
        "weights-on-the-default-device",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="    return torch.tensor(weights.masked_fill(counts == 0, 0).tolist())",
        says="You make the weights on the default device, which is the CPU for most people also if the "
        "labels are on a GPU. Pass device=labels.device.",
    ),
    Mistake(
        "unknown-method-accepted",
        find="""\
    if method not in ("balanced", "inverse"):
        raise ValueError(f"unknown method {method!r}")
""",
        replace="",
        says="You accept any word for method, so a misspelt one goes unnoticed. Raise a ValueError unless "
        'it is "balanced" or "inverse".',
    ),
]
