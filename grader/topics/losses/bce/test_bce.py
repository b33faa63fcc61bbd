"""Checks of `binary_cross_entropy_with_logits`: values, weights, gradients (at 0 too), large logits."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import assert_close, assert_inputs_unchanged, assert_raises, assert_same_gradients
from grader.kit.families.capped_loss import FAR, assert_not_capped
from grader.kit.rounds import is_second_round
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.small import whole

pytestmark = pytest.mark.forbid("binary_cross_entropy", "logsumexp")

WEIGHT = torch.tensor([0.3, 3.0, 1.7, 0.9, 7.0], dtype=torch.float64)
BUILT_IN = F.binary_cross_entropy_with_logits
weights = pytest.mark.parametrize("pos_weight", [None, WEIGHT])


def workload(submission, rng):
    logits, target = rng.normal(16, 64, dtype=torch.float32), rng.uniform(16, 64, dtype=torch.float32)
    return submission.binary_cross_entropy_with_logits.measure(logits, target)


LADDER = [
    (1, 1, {}),
    (1, 2, {"reduction": "none"}),
    (2, 2, {"reduction": "sum"}),
    (2, 2, {"pos_weight": torch.tensor(2.0, dtype=torch.float64)}),
]


def smallest(submission, rng, rows, columns, options):
    """small whole numbers give what the built-in gives"""
    logits, target = whole(rng, rows, columns), rng.integers(0, 2, rows, columns).double()
    came = submission.binary_cross_entropy_with_logits(logits, target, **options)
    assert_close(came, BUILT_IN(logits, target, **options))


def soft_targets(rng, *shape):
    """Targets between 0 and 1, some of them 0 or 1."""
    return rng.uniform(*shape, low=-0.4, high=1.4).clamp(0, 1)


def several(answer, logits, targets, **options):
    """The losses of several batches."""
    pairs = zip(logits, targets, strict=True)
    return torch.stack([answer.binary_cross_entropy_with_logits(*pair, **options) for pair in pairs])


def expected(logits, targets, **options):
    """What `several` should give."""
    return torch.stack([BUILT_IN(*pair, **options) for pair in zip(logits, targets, strict=True)])


def test_losses_of_the_elements(submission, rng):
    """reduction="none" gives -log p where the target is 1 and -log(1 - p) where it is 0"""
    logits = rng.normal(7, 5, scale=rng.option(2.0, 0.1, 1500.0))
    target = rng.integers(0, 2, 7, 5).double()
    came = submission.binary_cross_entropy_with_logits(logits, target, reduction="none")
    assert_close(came, BUILT_IN(logits, target, reduction="none"))


def test_soft_targets(submission, rng):
    """targets between 0 and 1 mix the two losses"""
    logits, target = rng.normal(7, 5, scale=2.0), soft_targets(rng, 7, 5)
    came = submission.binary_cross_entropy_with_logits(logits, target, reduction="none")
    assert_close(came, BUILT_IN(logits, target, reduction="none"))


@pytest.mark.parametrize("options", [{}, {"reduction": "sum"}])
def test_mean_and_sum(submission, rng, options):
    """the mean (which is the default) and the sum run over all elements"""
    rows = rng.option(7, 1025, 2100)  # parts of 1024, say, are not of one size
    logits, targets = rng.normal(2, rows, 5), soft_targets(rng, 2, rows, 5)
    assert_close(submission.run(several, logits, targets, **options), expected(logits, targets, **options))


def test_float32_stays(submission, rng):
    """the mean of float32 arguments is right and float32, with pos_weight too"""
    logits, target = rng.normal(7, 5, dtype=torch.float32), soft_targets(rng, 7, 5).float()
    pos_weight = WEIGHT.float() * rng.option(1.0, 0.01, 1000.0)
    came = submission.binary_cross_entropy_with_logits(logits, target, pos_weight)
    assert_close(came, BUILT_IN(logits, target, pos_weight=pos_weight))


@pytest.mark.parametrize("shape", [(5,), (7, 5), (7, 1), ()])
def test_pos_weight(submission, rng, shape):
    """pos_weight multiplies the loss of the positive part alone, in every shape that broadcasts"""
    logits, target = rng.normal(7, 5, scale=2.0), soft_targets(rng, 7, 5)
    pos_weight = rng.uniform(*shape, low=0.2, high=5.0) * rng.option(1.0, 0.01, 1000.0)
    came = submission.binary_cross_entropy_with_logits(logits, target, pos_weight, "none")
    assert_close(came, BUILT_IN(logits, target, pos_weight=pos_weight, reduction="none"))
    if is_second_round():  # of one row, without a dimension for rows
        given = logits[0], target[0], rng.uniform(5, low=0.2, high=5.0)
        came = submission.binary_cross_entropy_with_logits(*given, "none")
        assert_close(came, BUILT_IN(*given[:2], pos_weight=given[2], reduction="none"))


@pytest.mark.parametrize("shape", [(5,), (5, 1)])
def test_as_many_rows_as_classes(submission, rng, shape):
    """pos_weight of shape (classes,) is one for each class, also where there are as many rows"""
    logits, target = rng.normal(5, 5, scale=2.0), soft_targets(rng, 5, 5)
    pos_weight = rng.uniform(*shape, low=0.2, high=5.0) * rng.option(1.0, 0.01, 1000.0)
    came = submission.binary_cross_entropy_with_logits(logits, target, pos_weight, "none")
    assert_close(came, BUILT_IN(logits, target, pos_weight=pos_weight, reduction="none"))


@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_many_rows_and_classes(submission, rng, reduction):
    """losses of 139 rows and 137 classes, and their gradients, are right: each row and class counts alike"""
    # Weights and targets that are not contiguous.
    target, pos_weight = soft_targets(rng, 137, 139).T, rng.uniform(274, low=0.2, high=5.0)[::2]
    constants = {"target": target, "pos_weight": pos_weight, "reduction": reduction}
    answer = submission.binary_cross_entropy_with_logits
    assert_same_gradients(answer, BUILT_IN, rng.normal(139, 137), constants=constants)


@pytest.mark.parametrize("shape", [(5,), (5, 1)])
def test_pos_weight_in_three_dimensions(submission, rng, shape):
    """pos_weight is aligned with the last dimensions, where the logits have more than two as well"""
    # Of equal sizes, so that weights along another dimension give values, too.
    logits, target = rng.normal(2, 5, 5, scale=2.0), soft_targets(rng, 2, 5, 5)
    pos_weight = rng.uniform(*shape, low=0.2, high=5.0) * rng.option(1.0, 0.01, 1000.0)
    came = submission.binary_cross_entropy_with_logits(logits, target, pos_weight, "none")
    assert_close(came, BUILT_IN(logits, target, pos_weight=pos_weight, reduction="none"))


def test_pos_weight_of_zero(submission, rng):
    """a pos_weight of 0 takes the positive part away"""
    logits, target = rng.normal(7, 5), soft_targets(rng, 7, 5)
    pos_weight = torch.zeros((), dtype=torch.float64)
    came = submission.binary_cross_entropy_with_logits(logits, target, pos_weight)
    assert_close(came, BUILT_IN(logits, target, pos_weight=pos_weight))


def test_weighted_mean_is_plain(submission, rng):
    """the mean divides by the number of elements with pos_weight too"""
    logits, targets = rng.normal(2, 7, 5), soft_targets(rng, 2, 7, 5)
    targets[1] = targets[1].round()
    pos_weight = WEIGHT * rng.option(1.0, 0.01, 1000.0)
    came = submission.run(several, logits, targets, pos_weight=pos_weight)
    assert_close(came, expected(logits, targets, pos_weight=pos_weight))


@pytest.mark.parametrize(
    "reduction, pos_weight", [("none", WEIGHT), ("mean", WEIGHT), ("mean", None), ("sum", None)]
)
def test_gradients_equal_the_built_ins(submission, rng, reduction, pos_weight):
    """the gradients of the logits equal the built-in's, for each reduction"""
    if is_second_round():
        pos_weight = WEIGHT * rng.option(1.0, 0.01, 1000.0)
    constants = {"target": soft_targets(rng, 7, 5), "pos_weight": pos_weight, "reduction": reduction}
    answer = submission.binary_cross_entropy_with_logits
    assert_same_gradients(answer, BUILT_IN, rng.normal(7, 5), constants=constants)


def test_a_second_backward(submission, rng):
    """a backward pass changes nothing that is others', and may run twice"""
    constants = {"target": soft_targets(rng, 7, 5), "pos_weight": WEIGHT, "reduction": "none"}
    answer = submission.binary_cross_entropy_with_logits
    assert_backward_leaves_all(answer, BUILT_IN, rng.normal(7, 5), constants=constants)


@weights
def test_gradient_at_zero(submission, rng, pos_weight):
    """at a logit of exactly 0 the gradient of a loss is 0.5 * (1 - y) - 0.5 * y * pos_weight"""
    logits, target = torch.zeros(3, 5, dtype=torch.float64), soft_targets(rng, 3, 5)
    constants = {"target": target, "pos_weight": pos_weight, "reduction": "none"}
    # Not random upstream: the learner is to recognize the numbers.
    upstream = [torch.ones_like(logits)]
    came = submission.binary_cross_entropy_with_logits.gradients(upstream, logits, constants=constants)
    assert_close(came.value, BUILT_IN(logits, **constants))
    wanted = 0.5 * (1 - target) - 0.5 * target * (1.0 if pos_weight is None else pos_weight)
    assert_close(came.inputs[0], wanted, what="gradient of logits")


@pytest.mark.parametrize(
    "dtype, factor, reduction",
    [
        (torch.float64, None, "none"),
        (torch.float32, None, "none"),
        (torch.float64, 3.0, "none"),
        (torch.float32, 3.0, "sum"),
        (torch.float64, None, "mean"),
    ],
)
def test_large_logits(submission, rng, dtype, factor, reduction):
    """logits of ±1e4 give finite, right losses and gradients, with pos_weight too"""
    pos_weight = None if factor is None else torch.tensor(factor, dtype=dtype)
    far, answers = torch.stack([-FAR, FAR]).to(dtype), torch.tensor([[1.0], [0.0]], dtype=dtype).expand(2, 3)
    assert_not_capped(submission.binary_cross_entropy_with_logits(far, answers, pos_weight, "none"))
    sizes = torch.tensor([1e4, 800.0, 100.0, 40.0, 19.5, 18.0, 17.0], dtype=dtype)
    logits = torch.cat([sizes, -sizes])
    target = torch.tensor([[0.0], [1.0], [0.3]], dtype=dtype).expand(3, 14)
    constants = {"target": target, "pos_weight": pos_weight, "reduction": reduction}
    answer = submission.binary_cross_entropy_with_logits
    # The losses are up to 1e4 times the factor, which float32 rounds by 1e-3; their sum is larger.
    absolute = 1.0 if reduction == "sum" else 1e-2
    assert_same_gradients(answer, BUILT_IN, logits.repeat(3, 1), constants=constants, absolute=absolute)


def test_other_sizes_and_layouts(submission, rng):
    """other numbers of dimensions and tensors that are not contiguous are right"""
    shapes = [(7,), (2, 3, 5), tuple(rng.integers(1, 3, 7).tolist())]
    cases = [(rng.normal(*shape), soft_targets(rng, *shape)) for shape in shapes]
    cases += [(rng.normal(5, 7).T, soft_targets(rng, 7, 10)[:, ::2])]
    came = [submission.binary_cross_entropy_with_logits(*case) for case in cases]
    assert_close(came, [BUILT_IN(*case) for case in cases])


@pytest.mark.parametrize("shape", [(7, 1), (1, 7)])
def test_dimension_of_size_one(submission, rng, shape):
    """reduction="none" keeps the shape, with a dimension of size 1 too"""
    logits, target = rng.normal(*shape), soft_targets(rng, *shape)
    came = submission.binary_cross_entropy_with_logits(logits, target, reduction="none")
    assert_close(came, BUILT_IN(logits, target, reduction="none"))


@pytest.mark.parametrize("answer", [0.0, 1.0])
def test_one_answer_alone(submission, rng, answer):
    """a batch whose targets are all 0, or all 1, is right, with logits of exactly 0 too"""
    logits, target = whole(rng, 7, 5), torch.full((7, 5), answer, dtype=torch.float64)
    came = submission.binary_cross_entropy_with_logits(logits, target, WEIGHT)
    assert_close(came, BUILT_IN(logits, target, pos_weight=WEIGHT))


@pytest.mark.parametrize("reduction", ["average", "", "me", "Mean"])
def test_unknown_reduction_raises(submission, rng, reduction):
    """an unknown reduction raises a ValueError"""
    answer = submission.binary_cross_entropy_with_logits
    assert_raises(answer, rng.normal(7, 5), soft_targets(rng, 7, 5), reduction=reduction)


@pytest.mark.parametrize("shape", [None, (5,), (7, 5)])
def test_arguments_are_not_modified(submission, rng, shape):
    """logits, target and pos_weight are not modified"""
    answer, logits, target = (
        submission.binary_cross_entropy_with_logits,
        rng.normal(7, 5),
        soft_targets(rng, 7, 5),
    )
    # Weights of the shape of the logits need no expansion, which would be a new tensor or refuse a write.
    pos_weight = None if shape is None else rng.uniform(*shape, low=0.2, high=5.0)
    assert_inputs_unchanged(answer, logits, target, pos_weight=pos_weight)
