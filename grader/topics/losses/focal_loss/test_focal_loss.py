"""Checks of `focal_loss`: both factors and their gradients, alpha, gamma, extreme logits, reductions."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import assert_close, assert_inputs_unchanged, assert_raises, assert_same_gradients
from grader.kit.families.capped_loss import FAR, assert_not_capped
from grader.kit.rounds import is_second_round
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.small import whole

ALPHA = torch.tensor([0.25, 2.0, 0.0, 1.1, 0.7], dtype=torch.float64)
TARGET = torch.tensor([3, 0, 1, 4, 2, 1, 3])
alphas = pytest.mark.parametrize("alpha", [ALPHA, 0.25, 0.0])


def workload(submission, rng):
    logits, target = rng.normal(16, 64, dtype=torch.float32), rng.integers(0, 64, 16)
    return submission.focal_loss.measure(logits, target, 0.25)


def formula(logits, target, alpha=None, gamma=2.0, reduction="mean"):
    """The oracle: all classes' losses as a matrix, of which the targets' are kept."""
    log_p = torch.log_softmax(logits, dim=1)
    factors = torch.ones_like(logits) if alpha is None else torch.ones_like(logits) * alpha
    matrix = factors * (-torch.expm1(log_p)) ** gamma * -log_p
    losses = (matrix * F.one_hot(target, logits.shape[1])).sum(dim=1)
    return {"none": losses, "sum": losses.sum(), "mean": losses.sum() / len(losses)}[reduction]


LADDER = [
    (1, 2, {"reduction": "none"}),
    (2, 2, {}),
    (2, 3, {"gamma": 1.0}),
    (2, 3, {"reduction": "sum", "alpha": 0.5}),
]


def smallest(submission, rng, rows, classes, options):
    """small whole numbers give what the formula gives"""
    logits, target = whole(rng, rows, classes), torch.arange(rows) % classes
    assert_close(submission.focal_loss(logits, target, **options), formula(logits, target, **options))


def several(answer, logits, targets, **options):
    """The losses of several batches."""
    pairs = zip(logits, targets, strict=True)
    return torch.stack([answer.focal_loss(one, target, **options) for one, target in pairs])


def expected(logits, targets, **options):
    """What `several` should give."""
    pairs = zip(logits, targets, strict=True)
    return torch.stack([formula(one, target, **options) for one, target in pairs])


def test_losses_of_the_rows(submission, rng):
    """the loss of a row is (1 - p_t)**2 * -log p_t, where gamma is not given"""
    logits = rng.normal(7, 5, scale=2.0)
    came = submission.focal_loss(logits, TARGET, reduction="none")
    assert_close(came, formula(logits, TARGET, reduction="none"))


@pytest.mark.parametrize("gamma", [1.0, 1.5, 5])
def test_other_gammas(submission, rng, gamma):
    """gamma is the exponent of 1 - p_t, also where it is no integer"""
    logits = rng.normal(7, 5, scale=2.0)
    drawn = (rng.option(1.0, 1.0, 10.0), rng.option(3, 1, 10), rng.option(5.0, 5.0, 10.0))
    for each in (gamma, *(drawn if is_second_round() else ())):
        came = submission.focal_loss(logits, TARGET, gamma=each, reduction="none")
        assert_close(came, formula(logits, TARGET, gamma=each, reduction="none"))


def test_gamma_zero_is_cross_entropy(submission, rng):
    """gamma=0 gives F.cross_entropy, in values and gradients"""
    logits, options = rng.normal(7, 5, scale=2.0), {"target": TARGET, "reduction": "none"}
    came = submission.focal_loss.gradients([torch.ones(7).double()], logits, gamma=0.0, constants=options)
    assert_close(came.value, F.cross_entropy(logits, **options))
    wanted = logits.softmax(dim=1) - F.one_hot(TARGET, 5)
    assert_close(came.inputs[0], wanted, what="gradient of logits")


@pytest.mark.parametrize("reduction", ["none", "sum"])
def test_gradients(submission, rng, reduction):
    """the gradient of the logits flows through both factors: through (1 - p_t)**gamma too"""
    constants = {"target": TARGET, "reduction": reduction}
    assert_same_gradients(submission.focal_loss, formula, rng.normal(7, 5), constants=constants)


def test_gradients_of_the_mean(submission, rng):
    """the mean and its gradients are right, with alpha and another gamma"""
    alpha = ALPHA * rng.option(1.0, 0.01, 100.0)
    constants = {"target": TARGET, "alpha": alpha, "gamma": rng.option(3.0, 1.0, 10.0)}
    assert_same_gradients(submission.focal_loss, formula, rng.normal(7, 5), constants=constants)


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_options_together(submission, rng, reduction):
    """with any alpha and gamma, losses and their gradients are right, in either dtype"""
    dtype = (torch.float64, torch.float32)[int(rng.integers(0, 2, 1))]
    several_alphas = rng.uniform(5, low=0.2, high=2.0, dtype=dtype) * rng.option(1.0, 0.01, 100.0)
    alpha = (several_alphas, float(several_alphas[0]), None)[int(rng.integers(0, 3, 1))]
    constants = {"target": TARGET, "alpha": alpha, "gamma": float(rng.uniform(1, low=1.0, high=4.0))}
    logits = rng.normal(7, 5, dtype=dtype)
    assert_same_gradients(
        submission.focal_loss, formula, logits, constants=constants | {"reduction": reduction}
    )


@pytest.mark.parametrize("rows, classes, reduction", [(269, 2, "mean"), (269, 2, "none"), (2, 269, "sum")])
def test_many_rows_and_classes(submission, rng, rows, classes, reduction):
    """hundreds of rows or classes are right, and their gradients: each row counts as one in the mean"""
    target, alpha = rng.integers(0, classes, rows), rng.uniform(classes, low=0.2, high=3.0)
    # The last rows are easy: a mean of parts of different sizes is another one.
    logits = rng.normal(rows, classes)
    logits[256:, 0] += 4.0
    constants = {"target": target, "alpha": alpha, "reduction": reduction}
    assert_same_gradients(submission.focal_loss, formula, logits, constants=constants)


def test_backward_changes_nothing(submission, rng):
    """a backward pass writes neither to the gradient that it gets nor to what a second pass needs"""
    constants = {"target": TARGET, "alpha": ALPHA, "reduction": "none"}
    assert_backward_leaves_all(submission.focal_loss, formula, rng.normal(7, 5), constants=constants)


@alphas
def test_alpha(submission, rng, alpha):
    """a tensor alpha multiplies each row's loss by its class's factor, a float every row's, 0.0 too"""
    logits, gamma = rng.normal(7, 5, scale=2.0), rng.option(1.5, 1.0, 10.0)
    others = (ALPHA * rng.option(1.0, 0.01, 100.0), rng.option(0.25, 0.01, 100.0))
    for each in (alpha, *(others if is_second_round() else ())):
        came = submission.focal_loss(logits, TARGET, each, gamma, "none")
        assert_close(came, formula(logits, TARGET, each, gamma, "none"))


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_mean_and_sum(submission, rng, reduction):
    """the mean is over the rows, of which each counts as one with alpha too; the sum is their sum"""
    logits, targets = rng.normal(2, 7, 5), torch.stack([TARGET, TARGET.clamp(max=2)])
    options = {"alpha": ALPHA * rng.option(1.0, 0.01, 100.0), "reduction": reduction}
    assert_close(submission.run(several, logits, targets, **options), expected(logits, targets, **options))


def test_mean_by_default(submission, rng):
    """the mean over the rows is the default, also with a float alpha or none"""
    logits = rng.normal(7, 5)
    came = [submission.focal_loss(logits, TARGET), submission.focal_loss(logits, TARGET, alpha=0.25)]
    assert_close(came, [formula(logits, TARGET), formula(logits, TARGET, alpha=0.25)])


def test_mean_with_gamma_zero(submission, rng):
    """with gamma=0 too the mean is the plain mean over the rows, of alpha_t times the cross entropy"""
    logits = rng.normal(7, 5)
    came = [submission.focal_loss(logits, TARGET, alpha, 0.0) for alpha in (ALPHA, 0.25)]
    assert_close(came, [formula(logits, TARGET, alpha, 0.0) for alpha in (ALPHA, 0.25)])


@pytest.mark.parametrize("gamma", [0.0, 1.0, 1.5, 2.0])
def test_certain_and_right(submission, gamma):
    """where p_t is 1 (or rounds to it) the loss is 0 and the gradient finite"""
    logits = torch.tensor([[800.0, 0.0, -3.0], [0.0, 45.0, 1.0], [2.0, 1.0, 0.0]], dtype=torch.float64)
    constants = {"target": torch.tensor([0, 1, 2]), "gamma": gamma, "reduction": "none"}
    assert_same_gradients(submission.focal_loss, formula, logits, constants=constants)


@pytest.mark.parametrize(
    "dtype, alpha, gamma, reduction",
    [
        (torch.float64, None, 2.0, "none"),
        (torch.float32, None, 2.0, "none"),
        (torch.float32, ALPHA, 2.0, "none"),
        (torch.float64, 0.25, 1.5, "none"),
        (torch.float64, ALPHA, 0.0, "mean"),
    ],
)
def test_large_logits(submission, rng, dtype, alpha, gamma, reduction):
    """logits of ±1e4 give finite, right losses and gradients with alpha too, also where p_t is 0"""
    alpha = alpha.to(dtype) if isinstance(alpha, torch.Tensor) else alpha
    far, target = torch.zeros(3, 5, dtype=dtype), torch.ones(3).long()
    far[:, 0] = FAR
    assert_not_capped(submission.focal_loss(far, target, alpha, gamma, "none"))
    near = rng.normal(3, 5) + torch.tensor([[1e4], [-1e4], [0.0]])
    logits = torch.cat([near, rng.uniform(4, 5, low=-1e4, high=1e4)]).to(dtype)
    constants = {"target": TARGET, "alpha": alpha, "gamma": gamma, "reduction": reduction}
    # The losses are up to 2e4, which float32 rounds by 1e-3.
    assert_same_gradients(submission.focal_loss, formula, logits, constants=constants, absolute=2e-2)


def test_float32_stays(submission, rng):
    """float32 gives float32, with a tensor alpha, a float and none"""
    logits = rng.normal(7, 5, dtype=torch.float32)
    came = [submission.focal_loss(logits, TARGET, alpha) for alpha in (ALPHA.float(), 0.25, None)]
    assert_close(came, [formula(logits, TARGET, alpha) for alpha in (ALPHA.float(), 0.25, None)])


def test_other_sizes_and_layouts(submission, rng):
    """arguments that are not contiguous, a batch of one, many classes, two and a single one are right"""
    cases = [
        (rng.normal(5, 4).T, TARGET[::2], ALPHA.repeat_interleave(3)[::3]),
        (rng.normal(1, 5), TARGET[:1], ALPHA),
    ]
    cases += [(rng.normal(2, 31), TARGET[:2], None), (rng.normal(7, 1), TARGET * 0, 0.5)]
    cases += [(rng.normal(1, 5), TARGET[:1], None), (rng.normal(7, 2), TARGET.clamp(max=1), 0.25)]
    came = [submission.focal_loss(*case, reduction="none") for case in cases]
    assert_close(came, [formula(*case, reduction="none") for case in cases])


@pytest.mark.parametrize("reduction", ["average", "", "Mean"])
def test_unknown_reduction_raises(submission, rng, reduction):
    """an unknown reduction raises a ValueError, also one of the three words in capitals"""
    assert_raises(submission.focal_loss, rng.normal(7, 5), TARGET, reduction=reduction)


def test_arguments_are_not_modified(submission, rng):
    """logits, target and alpha are not modified"""
    assert_inputs_unchanged(submission.focal_loss, rng.normal(7, 5), TARGET, alpha=ALPHA)
    assert_inputs_unchanged(submission.focal_loss, rng.normal(7, 5), TARGET, reduction="none")
    for gamma in (0.0, float(rng.uniform(1, low=1.0, high=4.0))):
        assert_inputs_unchanged(submission.focal_loss, rng.normal(7, 5), TARGET, 0.5, gamma, "sum")
