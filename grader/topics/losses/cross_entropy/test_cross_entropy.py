"""Checks of `cross_entropy`: values, gradients, class weights, ignored rows, smoothing, reductions."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import assert_close, assert_inputs_unchanged, assert_raises, assert_same_gradients
from grader.kit.families.capped_loss import FAR, assert_not_capped
from grader.kit.rounds import is_second_round
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.small import whole

pytestmark = pytest.mark.forbid("cross_entropy", "softmax", "logsumexp", "scaled_dot_product_attention")

WEIGHT = torch.tensor([0.3, 2.0, 0.0, 1.1, 0.7], dtype=torch.float64)
LEAST, MOST = 0.01, 1000.0
"""The factors by which class weights are multiplied in the second round lie between these."""
TARGET = torch.tensor([3, 0, 1, 4, 2, 1, 3])


def workload(submission, rng):
    logits, target = rng.normal(16, 64, dtype=torch.float32), rng.integers(0, 64, 16)
    return submission.cross_entropy.measure(logits, target, label_smoothing=0.1)


LADDER = [
    (1, 2, {}),
    (2, 3, {}),
    (2, 3, {"reduction": "sum"}),
    (3, 3, {"ignore_index": 0}),
    (3, 3, {"label_smoothing": 0.5}),
    (3, 3, {"weighted": True}),
]


def smallest(submission, rng, rows, classes, options):
    """small whole numbers give what the built-in gives"""
    logits, target = whole(rng, rows, classes), torch.arange(rows) % classes
    own = {name: value for name, value in options.items() if name != "weighted"}
    if "weighted" in options:
        own["weight"] = torch.arange(1, classes + 1).double()
    came = submission.cross_entropy(logits, target, **own)
    assert_close(came, F.cross_entropy(logits, target, **own))


def batches(rng, ignore_index=None):
    """Two batches of seven rows and five classes, with their targets; of the first one row is ignored, of the
    second three."""
    targets = torch.stack([TARGET, TARGET.roll(1)])
    lost = torch.tensor([[0, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 1, 0]]).bool() & (ignore_index is not None)
    return rng.normal(2, 7, 5, scale=2.0), targets.masked_fill(lost, ignore_index or 0)


def several(answer, logits, targets, **options):
    """The losses of several batches."""
    pairs = zip(logits, targets, strict=True)
    return torch.stack([answer.cross_entropy(one, target, **options) for one, target in pairs])


def expected(logits, targets, **options):
    """What `several` should give."""
    pairs = zip(logits, targets, strict=True)
    return torch.stack([F.cross_entropy(one, target, **options) for one, target in pairs])


def wide_logits(rng):
    """Rows that lie at 1e4 and at -1e4, and rows that reach from one to the other."""
    near = rng.normal(4, 5) + torch.tensor([[1e4], [-1e4], [-1e4], [0.0]])
    return torch.cat([near, rng.uniform(3, 5, low=-1e4, high=1e4)])


def test_losses_of_the_rows(submission, rng):
    """reduction="none" gives -log p of every row's class, equal to F.cross_entropy's"""
    logits = rng.normal(7, 5, scale=rng.option(2.0, 0.1, 1500.0))
    came = submission.cross_entropy(logits, TARGET, reduction="none")
    assert_close(came, F.cross_entropy(logits, TARGET, reduction="none"))


@pytest.mark.parametrize("options", [{}, {"reduction": "sum"}])
def test_mean_and_sum(submission, rng, options):
    """the mean (which is the default) and the sum over the rows equal F.cross_entropy's"""
    logits, targets = batches(rng)
    assert_close(submission.run(several, logits, targets, **options), expected(logits, targets, **options))


def test_float32_stays(submission, rng):
    """the mean of float32 logits is right and float32, with weights, ignored rows and label smoothing"""
    logits, target = rng.normal(7, 5, dtype=torch.float32), TARGET.masked_fill(TARGET == 4, -100)
    weight = WEIGHT.float() * rng.option(1.0, LEAST, MOST)
    options = {"weight": weight, "label_smoothing": rng.option(0.2, 0.01, 1.0)}
    came = submission.cross_entropy(logits, target, **options)
    assert_close(came, F.cross_entropy(logits, target, **options))


def test_weights_of_the_classes(submission, rng):
    """the loss of a row is multiplied by the weight of its class"""
    logits = rng.normal(7, 5, scale=2.0)
    weight = WEIGHT * rng.option(1.0, LEAST, MOST)
    came = submission.cross_entropy(logits, TARGET, weight, reduction="none")
    assert_close(came, F.cross_entropy(logits, TARGET, weight, reduction="none"))


def test_weighted_mean(submission, rng):
    """with class weights the mean divides by the sum of the rows' weights"""
    logits, targets = batches(rng)
    targets[0, :3] = 1  # so that the sums are not the same
    weight = WEIGHT * rng.option(1.0, LEAST, MOST)
    came = submission.run(several, logits, targets, weight=weight)
    assert_close(came, expected(logits, targets, weight=weight))


def test_ignored_rows_have_no_loss(submission, rng):
    """rows whose target is -100 keep their place, with loss 0"""
    logits, targets = batches(rng, -100)
    came = submission.cross_entropy(logits[1], targets[1], reduction="none")
    assert_close(came, F.cross_entropy(logits[1], targets[1], reduction="none"))


@pytest.mark.parametrize("weight", [None, WEIGHT / 10])
def test_ignored_rows_are_not_counted(submission, rng, weight):
    """ignored rows count neither in the mean's sum nor in what it is divided by, which may be less than 1"""
    logits, targets = batches(rng, -100)
    came = submission.run(several, logits, targets, weight=weight)
    assert_close(came, expected(logits, targets, weight=weight))


@pytest.mark.parametrize("ignore_index", [-1, 3, 255])
def test_any_ignore_index(submission, rng, ignore_index):
    """ignore_index may be negative, beyond the classes, or a class, which other rows still smooth over"""
    if is_second_round():
        ignore_index = (-1) ** int(rng.integers(0, 2, 1)) * rng.option(ignore_index, 1, 2**40)
    logits, targets = batches(rng, ignore_index)
    options = {"ignore_index": ignore_index, "label_smoothing": rng.option(0.2, 0.001, 1.0)}
    assert_close(submission.run(several, logits, targets, **options), expected(logits, targets, **options))


@pytest.mark.parametrize("reduction", ["mean", "none", "sum"])
def test_ignore_index_with_weights(submission, rng, reduction):
    """with any ignore_index, class weights and label smoothing, losses and their gradients are right"""
    drawn, dtype = int(rng.integers(-7, 30, 1)), (torch.float64, torch.float32)[int(rng.integers(0, 2, 1))]
    constants = {
        "target": TARGET.masked_fill(TARGET == 1, drawn),
        "weight": rng.uniform(5, low=0.2, high=2.0, dtype=dtype) * rng.option(1.0, LEAST, MOST),
        "ignore_index": drawn,
        "reduction": reduction,
        "label_smoothing": rng.option(float(rng.integers(0, 3, 1)) / 7, 0.01, 1.0),
    }
    logits = rng.normal(7, 5, dtype=dtype)
    assert_same_gradients(submission.cross_entropy, F.cross_entropy, logits, constants=constants)


def test_loss_of_zero_is_counted(submission):
    """a row whose loss is exactly 0 is not ignored: the mean counts it"""
    logits, target = torch.tensor([[40.0, 0.0, 0.0], [1.0, 2.0, 3.0]]).double(), torch.tensor([0, 1])
    assert_close(submission.cross_entropy(logits, target), F.cross_entropy(logits, target))


def test_label_smoothing(submission, rng):
    """label smoothing spreads its share evenly over all classes, that of the target included"""
    logits = rng.normal(7, 5, scale=2.0)
    options = {"reduction": "none", "label_smoothing": rng.option(0.3, 0.001, 1.0)}
    came = submission.cross_entropy(logits, TARGET, **options)
    assert_close(came, F.cross_entropy(logits, TARGET, **options))


def test_label_smoothing_with_weights(submission, rng):
    """with label smoothing every class adds its loss times its own weight, and ignored rows add nothing"""
    logits, targets = batches(rng, -100)
    weight = WEIGHT * rng.option(1.0, LEAST, MOST)
    options = {"weight": weight, "reduction": "none", "label_smoothing": rng.option(0.3, 0.001, 1.0)}
    came = submission.cross_entropy(logits[1], targets[1], **options)
    assert_close(came, F.cross_entropy(logits[1], targets[1], **options))


@pytest.mark.parametrize("label_smoothing, reduction", [(0.2, "mean"), (1.0, "mean"), (0.3, "sum")])
def test_smoothed_and_weighted(submission, rng, label_smoothing, reduction):
    """smoothed losses too are summed as they are, and the mean divides by the kept rows' weights"""
    logits, targets = batches(rng, -100)
    options = {"weight": WEIGHT, "label_smoothing": label_smoothing, "reduction": reduction}
    assert_close(submission.run(several, logits, targets, **options), expected(logits, targets, **options))


@pytest.mark.parametrize(
    "reduction, weight", [("none", WEIGHT), ("mean", WEIGHT), ("mean", None), ("sum", None)]
)
def test_gradients_equal_the_built_ins(submission, rng, reduction, weight):
    """the gradients of the logits equal those of F.cross_entropy, and are 0 in ignored rows"""
    target = TARGET.masked_fill(TARGET == 4, -100)
    constants = {"target": target, "weight": weight, "reduction": reduction, "label_smoothing": 0.2}
    assert_same_gradients(submission.cross_entropy, F.cross_entropy, rng.normal(7, 5), constants=constants)


@pytest.mark.parametrize(
    "dtype, weight, label_smoothing, reduction",
    [
        (torch.float64, None, 0.1, "none"),
        (torch.float32, None, 0.1, "none"),
        (torch.float64, WEIGHT, 0.1, "none"),
        (torch.float32, None, 0.0, "none"),
        (torch.float64, WEIGHT, 0.0, "mean"),
    ],
)
def test_large_logits(submission, rng, dtype, weight, label_smoothing, reduction):
    """logits of ±1e4 give finite, right losses and gradients, with weights and label smoothing and without"""
    weight = None if weight is None else weight.to(dtype)
    far, target = torch.zeros(3, 5, dtype=dtype), torch.ones(3).long()
    far[:, 0] = FAR
    assert_not_capped(submission.cross_entropy(far, target, weight, reduction="none"))
    constants = {"weight": weight, "label_smoothing": label_smoothing, "reduction": reduction}
    constants["target"] = TARGET.masked_fill(TARGET == 4, -100) if reduction == "mean" else TARGET
    # The losses are up to 2e4, which float32 rounds by 1e-3.
    assert_same_gradients(
        submission.cross_entropy,
        F.cross_entropy,
        wide_logits(rng).to(dtype),
        constants=constants,
        absolute=2e-2,
    )


def one_after_the_other(answer, logits, targets, upstream, **options):
    """The gradients of the logits of several batches: all losses are there before the first backward."""
    leaves = [one.clone().requires_grad_() for one in logits]
    losses = [
        answer.cross_entropy(leaf, target, **options) for leaf, target in zip(leaves, targets, strict=True)
    ]
    for loss, gradient in zip(losses, upstream, strict=True):
        (loss * gradient).sum().backward()
    return torch.stack([torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in leaves])


@pytest.mark.parametrize("reduction, weight, smoothing", [("mean", None, 0.0), ("none", WEIGHT, 0.2)])
def test_losses_before_their_gradients(submission, rng, reduction, weight, smoothing):
    """the gradients of a batch are right where another one's loss was computed before them"""
    logits, targets = batches(rng, -100)
    upstream = rng.normal(2, 7) if reduction == "none" else rng.normal(2, 1)
    options = {"reduction": reduction, "weight": weight, "label_smoothing": smoothing}
    leaf = logits.clone().requires_grad_()
    losses = expected(leaf, targets, **options).reshape(upstream.shape)
    (wanted,) = torch.autograd.grad((losses * upstream).sum(), leaf)
    came = submission.run(one_after_the_other, logits, targets, upstream, **options)
    assert_close(came, wanted, what="gradient of logits")


@pytest.mark.parametrize(
    "rows, classes, reduction, weighted, smoothing",
    [(139, 2, "mean", True, 0.0), (3, 137, "mean", False, 0.1), (2, 139, "sum", True, 1.0)],
)
def test_large_sizes(submission, rng, rows, classes, reduction, weighted, smoothing):
    """more than 128 rows and classes are right to the last one, and so are the gradients"""
    rows = rng.option(rows, 1025, 2100) if rows > classes else rows  # parts of 1024 are not of one size
    target = rng.integers(0, classes, rows)
    target[0] = classes - 1
    constants = {
        "target": target.masked_fill(target == 1, -100),
        "reduction": reduction,
        "label_smoothing": smoothing,
    }
    if weighted:
        constants["weight"] = rng.uniform(2 * classes, low=0.1, high=2.0)[::2]
    logits = rng.normal(rows, classes)
    logits[:, -1] += 9.0  # so that the largest is often the last one
    assert_same_gradients(submission.cross_entropy, F.cross_entropy, logits, constants=constants, alone=False)
    assert_backward_leaves_all(submission.cross_entropy, F.cross_entropy, logits, constants=constants)


def test_other_sizes_and_layouts(submission, rng):
    """logits and targets that are not contiguous, a batch of one and many classes are right"""
    # Not a single class: smoothing over the others divides by 0 there, and every answer ends in another way.
    cases = [
        (rng.normal(5, 4).T, TARGET[::2]),
        (rng.normal(1, 5), TARGET[:1]),
        (rng.normal(2, 31), TARGET[:2]),
    ]
    came = [submission.cross_entropy(*case, None, -100, "none", 0.1) for case in cases]
    assert_close(came, [F.cross_entropy(*case, reduction="none", label_smoothing=0.1) for case in cases])


@pytest.mark.parametrize("reduction", ["average", "", "Mean"])
def test_unknown_reduction_raises(submission, rng, reduction):
    """an unknown reduction raises a ValueError"""
    assert_raises(submission.cross_entropy, rng.normal(7, 5), TARGET, reduction=reduction)


def test_zeros_are_logits_like_others(submission, rng):
    """logits of exactly 0 count like any others, and a row of zeros has the loss log(classes)"""
    logits, target = whole(rng, 7, 5), rng.integers(0, 5, 7)
    logits[2] = 0.0
    came = submission.cross_entropy(logits, target, reduction="none")
    assert_close(came, F.cross_entropy(logits, target, reduction="none"))
    zeros = torch.zeros(3, 5).double()
    assert_close(submission.cross_entropy(zeros, target[:3]), F.cross_entropy(zeros, target[:3]))


def test_arguments_are_not_modified(submission, rng):
    """logits, target and weight are not modified"""
    logits, target = rng.normal(7, 5), TARGET.masked_fill(TARGET == 4, -100)
    assert_inputs_unchanged(submission.cross_entropy, logits, target, weight=WEIGHT, label_smoothing=0.2)
    assert_inputs_unchanged(submission.cross_entropy, logits, target, reduction="none")
    assert_inputs_unchanged(submission.cross_entropy, logits, TARGET, ignore_index=3, reduction="sum")
