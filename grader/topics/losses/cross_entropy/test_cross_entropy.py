"""Checks of `cross_entropy`: values, gradients, class weights, ignored rows, smoothing, reductions."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import Mistake, assert_close, assert_inputs_unchanged, assert_raises, assert_same_gradients
from grader.kit.families.capped_loss import FAR, assert_not_capped

pytestmark = pytest.mark.forbid("cross_entropy", "softmax", "logsumexp")

WEIGHT = torch.tensor([0.3, 2.0, 0.0, 1.1, 0.7], dtype=torch.float64)
TARGET = torch.tensor([3, 0, 1, 4, 2, 1, 3])


def workload(submission, rng):
    logits, target = rng.normal(16, 64, dtype=torch.float32), rng.integers(0, 64, 16)
    return submission.cross_entropy.measure(logits, target, label_smoothing=0.1)


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
    logits = rng.normal(7, 5, scale=2.0)
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
    options = {"weight": WEIGHT.float(), "label_smoothing": 0.2}
    came = submission.cross_entropy(logits, target, **options)
    assert_close(came, F.cross_entropy(logits, target, **options))


def test_weights_of_the_classes(submission, rng):
    """the loss of a row is multiplied by the weight of its class"""
    logits = rng.normal(7, 5, scale=2.0)
    came = submission.cross_entropy(logits, TARGET, WEIGHT, reduction="none")
    assert_close(came, F.cross_entropy(logits, TARGET, WEIGHT, reduction="none"))


def test_weighted_mean(submission, rng):
    """with class weights the mean divides by the sum of the rows' weights"""
    logits, targets = batches(rng)
    targets[0, :3] = 1  # so that the sums are not the same
    came = submission.run(several, logits, targets, weight=WEIGHT)
    assert_close(came, expected(logits, targets, weight=WEIGHT))


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
    logits, targets = batches(rng, ignore_index)
    options = {"ignore_index": ignore_index, "label_smoothing": 0.2}
    assert_close(submission.run(several, logits, targets, **options), expected(logits, targets, **options))


def test_loss_of_zero_is_counted(submission):
    """a row whose loss is exactly 0 is not ignored: the mean counts it"""
    logits, target = torch.tensor([[40.0, 0.0, 0.0], [1.0, 2.0, 3.0]]).double(), torch.tensor([0, 1])
    assert_close(submission.cross_entropy(logits, target), F.cross_entropy(logits, target))


def test_label_smoothing(submission, rng):
    """label smoothing spreads its share evenly over all classes, that of the target included"""
    logits, options = rng.normal(7, 5, scale=2.0), {"reduction": "none", "label_smoothing": 0.3}
    came = submission.cross_entropy(logits, TARGET, **options)
    assert_close(came, F.cross_entropy(logits, TARGET, **options))


def test_label_smoothing_with_weights(submission, rng):
    """with label smoothing every class adds its loss times its own weight, and ignored rows add nothing"""
    logits, targets = batches(rng, -100)
    options = {"weight": WEIGHT, "reduction": "none", "label_smoothing": 0.3}
    came = submission.cross_entropy(logits[1], targets[1], **options)
    assert_close(came, F.cross_entropy(logits[1], targets[1], **options))


@pytest.mark.parametrize("label_smoothing, reduction", [(0.2, "mean"), (1.0, "mean"), (0.3, "sum")])
def test_smoothed_and_weighted(submission, rng, label_smoothing, reduction):
    """smoothed losses too are summed as they are, and the mean divides by the kept rows' weights"""
    logits, targets = batches(rng, -100)
    options = {"weight": WEIGHT, "label_smoothing": label_smoothing, "reduction": reduction}
    assert_close(submission.run(several, logits, targets, **options), expected(logits, targets, **options))


@pytest.mark.parametrize("reduction", ["none", "mean"])
def test_gradients_equal_the_built_ins(submission, rng, reduction):
    """the gradients of the logits equal those of F.cross_entropy, and are 0 in ignored rows"""
    target = TARGET.masked_fill(TARGET == 4, -100)
    constants = {"target": target, "weight": WEIGHT, "reduction": reduction, "label_smoothing": 0.2}
    assert_same_gradients(submission.cross_entropy, F.cross_entropy, rng.normal(7, 5), constants=constants)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_large_logits(submission, rng, dtype):
    """logits of ±1e4 give finite, right losses and gradients"""
    far, target = torch.stack([FAR, torch.zeros(3)], dim=1).to(dtype), torch.ones(3).long()
    assert_not_capped(submission.cross_entropy(far, target, reduction="none"))
    constants = {"target": TARGET, "reduction": "none", "label_smoothing": 0.1}
    # The losses are up to 2e4, which float32 rounds by 1e-3.
    assert_same_gradients(
        submission.cross_entropy,
        F.cross_entropy,
        wide_logits(rng).to(dtype),
        constants=constants,
        absolute=2e-2,
    )


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


@pytest.mark.parametrize("reduction", ["average", ""])
def test_unknown_reduction_raises(submission, rng, reduction):
    """an unknown reduction raises a ValueError"""
    assert_raises(submission.cross_entropy, rng.normal(7, 5), TARGET, reduction=reduction)


def test_arguments_are_not_modified(submission, rng):
    """logits, target and weight are not modified"""
    logits, target = rng.normal(7, 5), TARGET.masked_fill(TARGET == 4, -100)
    assert_inputs_unchanged(submission.cross_entropy, logits, target, weight=WEIGHT, label_smoothing=0.2)
    assert_inputs_unchanged(submission.cross_entropy, logits, target, reduction="none")


MISTAKES = [
    Mistake(
        "weighted-mean-divided-by-rows",
        find="target_weight[kept].sum()",
        replace="kept.sum()",
        says="You divide the weighted sum by the number of kept rows. The mean with class weights is a "
        "weighted mean: divide by the sum of weight[y] over the kept rows, or the size of the loss "
        "depends on which classes are in the batch.",
    ),
    Mistake(
        "mean-over-all-rows",
        find="losses.sum() / target_weight[kept].sum()",
        replace="losses.mean()",
        says="You take the plain mean over the batch. It divides by N: ignored rows are counted as losses "
        "of 0, and class weights do not cancel. Divide the sum by the sum of weight[y] over the kept "
        "rows.",
    ),
    Mistake(
        "ignored-rows-counted",
        find="target_weight[kept].sum()",
        replace="target_weight.sum()",
        says="The ignored rows count in what your mean divides by: it is the number of all rows, or the sum "
        "of all their weights, whatever class stands in for an ignored target. Only the kept rows count, or "
        "padding makes the loss smaller.",
    ),
    Mistake(
        "divided-by-all-class-weights",
        find="target_weight[kept].sum()",
        replace="weight.sum()",
        says="You divide by the sum of the class weights, one for each class. The mean is over rows: divide "
        "by the sum of weight[target] over the kept rows.",
    ),
    Mistake(
        "divided-by-at-least-one",
        find="target_weight[kept].sum()",
        replace="target_weight[kept].sum().clamp(min=1)",
        says="You divide by 1 where the sum of the weights is smaller, so the mean is too small for small "
        "weights. Some kept row has a weight above 0, so the sum needs no guard.",
    ),
    Mistake(
        "loss-of-zero-taken-for-ignored",
        find="target_weight[kept].sum()",
        replace="target_weight[losses != 0].sum()",
        says="You tell the ignored rows by their loss of 0. A row of which the model is certain and right "
        "has that too, and counts in the mean. Compare the targets with ignore_index.",
    ),
    Mistake(
        "divided-by-the-smoothed-weights",
        find="target_weight[kept].sum()",
        replace="((1 - label_smoothing) * target_weight + label_smoothing * weight.mean())[kept].sum()",
        says="You divide by the weights as label smoothing mixes them. The mean divides by the sum of "
        "weight[y] over the kept rows, whatever label_smoothing is.",
    ),
    Mistake(
        "smooth-part-divided-by-rows",
        find="    return losses.sum() / target_weight[kept].sum()",
        replace="""\
    smoothed = label_smoothing * smooth_loss[kept].mean()
    return (1 - label_smoothing) * target_loss[kept].sum() / target_weight[kept].sum() + smoothed""",
        says="You take the plain mean of the smoothed part over the rows. In the mean both parts are "
        "divided by the same number, the sum of weight[y] over the kept rows.",
    ),
    Mistake(
        "smoothing-over-the-other-classes",
        find="    losses = (1 - label_smoothing) * target_loss",
        replace="""\
    smooth_loss = (smooth_loss * logits.shape[1] - target_loss) / (logits.shape[1] - 1)
    losses = (1 - label_smoothing) * target_loss""",
        says="You spread the smoothing over the other num_classes - 1 classes. Here (as in PyTorch and in "
        "Szegedy et al.) the uniform part goes to all classes: s / num_classes each, and the target "
        "has 1 - s + s / num_classes in all.",
    ),
    Mistake(
        "smoothing-without-the-target",
        find="    losses = (1 - label_smoothing) * target_loss",
        replace="""\
    smooth_loss = smooth_loss - target_loss / logits.shape[1]
    losses = (1 - label_smoothing) * target_loss""",
        says="You give s / num_classes to every class but the target, so the smoothed target adds up to less "
        "than 1. The uniform part goes to all classes: the target has 1 - s + s / num_classes.",
    ),
    Mistake(
        "smoothing-divided-by-one-less",
        find="    smooth_loss = -(weight * log_probs).mean(dim=1)",
        replace="    smooth_loss = -(weight * log_probs).sum(dim=1) / (logits.shape[1] - 1)",
        says="You give every class s / (num_classes - 1), the target's too, so the smoothed target adds up "
        "to more than 1. The uniform part goes to all num_classes classes: s / num_classes each.",
    ),
    Mistake(
        "smoothing-without-weights",
        find="-(weight * log_probs).mean(dim=1)",
        replace="-log_probs.mean(dim=1)",
        says="Your smoothed part leaves the class weights out. Every class c adds weight[c] * -log p[c] to "
        "it, as if it were the target.",
    ),
    Mistake(
        "smoothing-with-the-targets-weight",
        find="-(weight * log_probs).mean(dim=1)",
        replace="-target_weight * log_probs.mean(dim=1)",
        says="You multiply the whole smoothed part by the weight of the row's target. Every class c in it "
        "has its own weight: the mean over c of weight[c] * -log p[c].",
    ),
    Mistake(
        "target-keeps-its-full-share",
        find="(1 - label_smoothing) * target_loss",
        replace="target_loss",
        says="You add the smoothed part to the whole loss of the target, so the target distribution adds up "
        "to more than 1. The target's own part is multiplied by 1 - label_smoothing.",
    ),
    Mistake(
        "smoothing-ignored",
        find="    losses = (1 - label_smoothing) * target_loss + label_smoothing * smooth_loss",
        replace="    losses = target_loss",
        says="Your loss does not depend on label_smoothing. With s = label_smoothing it is (1 - s) times "
        "the target's loss plus s times the mean over all classes c of weight[c] * -log p[c].",
    ),
    Mistake(
        "ignored-target-as-an-index",
        find="target.masked_fill(~kept, 0)",
        replace="target",
        says="You index with the target of an ignored row: -100 is no class, and gather raises (an index of "
        "-1 even gives the last class silently). Put any class there first, target.masked_fill(~kept, "
        "0), and set the row's loss to 0 afterwards.",
    ),
    Mistake(
        "only-negative-targets-made-safe",
        find="target.masked_fill(~kept, 0)",
        replace="target.clamp(min=0)",
        says="You make targets safe with clamp, which catches a negative ignore_index only: 255, which is "
        "usual in segmentation, still is an index beyond the classes. Replace what equals "
        "ignore_index, whatever it is.",
    ),
    Mistake(
        "ignore-index-hard-coded",
        find="kept = target != ignore_index",
        replace="kept = target != -100",
        says="You compare the target with -100 and not with ignore_index, so another ignore_index is taken "
        "for a class.",
    ),
    Mistake(
        "negative-targets-ignored",
        find="kept = target != ignore_index",
        replace="kept = target >= 0",
        says="You ignore negative targets instead of those that equal ignore_index, which may also be a "
        "class or a number beyond the classes. Compare: target != ignore_index.",
    ),
    Mistake(
        "target-overwritten",
        find="target.masked_fill(~kept, 0)",
        replace="target.masked_fill_(~kept, 0)",
        says="You overwrite the ignored targets in the caller's tensor, where they count as class 0 from "
        "then on. masked_fill, without the underscore, makes a new tensor.",
    ),
    Mistake(
        "logits-overwritten",
        find="shifted = logits - logits.amax(dim=1, keepdim=True)",
        replace="shifted = logits.sub_(logits.amax(dim=1, keepdim=True))",
        says="You compute in the caller's logits (you subtract the maximum in place, for example). They must "
        "stay as they are, and those that need a gradient refuse it. logits - maximum makes a new tensor.",
    ),
    Mistake(
        "data-of-the-logits-overwritten",
        find="shifted = logits - logits.amax(dim=1, keepdim=True)",
        replace="logits.data.sub_(logits.amax(dim=1, keepdim=True))\n    shifted = logits",
        says="You write to the caller's logits past autograd (by .data or detach(), for example), which "
        "must stay as they are. logits - maximum makes a new tensor.",
    ),
    Mistake(
        "ignored-rows-keep-their-smoothed-part",
        find="    losses = losses.masked_fill(~kept, 0)",
        replace="    losses = losses - (1 - label_smoothing) * target_loss.masked_fill(kept, 0)",
        says="You drop the ignored rows' target loss, but not their smoothed part, so padding has a loss "
        "and a gradient. Set the whole row to 0.",
    ),
    Mistake(
        "ignored-rows-not-dropped",
        find="""\
    losses = losses.masked_fill(~kept, 0)
""",
        replace="",
        says="Your ignored rows keep a loss, that of the class which you put in for their target. Set their "
        "losses to 0.",
    ),
    Mistake(
        "ignored-rows-taken-out",
        find="        return losses\n",
        replace="        return losses[kept]\n",
        says='You leave the ignored rows out of the result of reduction="none". They keep their place, with '
        "a loss of 0, so that the result has the shape of target.",
    ),
    Mistake(
        "weights-ignored",
        find="""\
    if weight is None:
        weight""",
        replace="    weight",
        says="Your loss does not depend on the class weights. Multiply the loss of each row by weight[y], "
        "and let the mean divide by the sum of these weights.",
    ),
    Mistake(
        "weights-only-in-the-mean",
        find="-target_weight * target_log_probs",
        replace="-target_log_probs",
        says="You divide by the weights but do not multiply the rows' losses by them. Each row's loss is "
        "weight[y] * -log p[y], whatever the reduction.",
    ),
    Mistake(
        "no-max-subtracted",
        find="    shifted = logits - logits.amax(dim=1, keepdim=True)",
        replace="    shifted = logits",
        says="You exponentiate the logits as they are: exp overflows above 88.7 in float32 and 709 in "
        "float64, and for very negative rows the sum is 0. Subtract the maximum of each row first: the "
        "log-softmax does not change.",
    ),
    Mistake(
        "max-of-everything",
        find="logits.amax(dim=1, keepdim=True)",
        replace="logits.max()",
        says="You subtract the maximum of all logits. In a row that lies far below it all exponentials are "
        "0, and log(0) is -inf. Subtract each row's own maximum: amax(dim=1, keepdim=True).",
    ),
    Mistake(
        "log-of-softmax",
        find="shifted - shifted.exp().sum(dim=1, keepdim=True).log()",
        replace="(shifted.exp() / shifted.exp().sum(dim=1, keepdim=True)).log()",
        says="You take the logarithm of the probability. Where it underflows to 0 the loss is inf and the "
        "gradient NaN, although -log p is an ordinary number. Use the difference: shifted - "
        "log(sum(exp(shifted))).",
    ),
    Mistake(
        "log-of-softmax-plus-epsilon",
        find="shifted - shifted.exp().sum(dim=1, keepdim=True).log()",
        replace="(shifted.exp() / shifted.exp().sum(dim=1, keepdim=True) + 1e-9).log()",
        says="You take the logarithm of a probability and keep it finite, by adding a small number to the "
        "probability or by clamping it. No loss can then exceed a certain size, and where the model is most "
        "wrong there is no gradient. shifted - log(sum(exp(shifted))) needs no such number.",
    ),
    Mistake(
        "softmax-over-the-batch",
        find="""\
    shifted = logits - logits.amax(dim=1, keepdim=True)
    log_probs = shifted - shifted.exp().sum(dim=1, keepdim=True).log()""",
        replace="""\
    shifted = logits - logits.amax(dim=0, keepdim=True)
    log_probs = shifted - shifted.exp().sum(dim=0, keepdim=True).log()""",
        says="Your softmax runs over the rows of the batch. Each row is a distribution over the classes: "
        "maximum and sum along dim 1.",
    ),
    Mistake(
        "log-sum-detached",
        find="shifted.exp().sum(dim=1, keepdim=True).log()",
        replace="shifted.exp().sum(dim=1, keepdim=True).log().detach()",
        says="Your losses are right, but the logarithm of the sum is cut off from the graph, so the "
        "gradient lacks p: it has to be p - onehot. Only the maximum may be detached.",
    ),
    Mistake(
        "sign-forgotten",
        find="""\
    target_loss = -target_weight * target_log_probs
    smooth_loss = -(weight""",
        replace="""\
    target_loss = target_weight * target_log_probs
    smooth_loss = (weight""",
        says="Your loss is the log-probability itself, which is negative and grows with the quality of the "
        "model. The loss is minus the log-probability.",
    ),
    Mistake(
        "unknown-reduction-accepted",
        find="""\
    if reduction not in ("none", "sum", "mean"):
        raise ValueError(f"unknown reduction {reduction!r}")
""",
        replace="",
        says="You accept any word for reduction and treat it as one of the three, so a misspelt one goes "
        'unnoticed. Raise a ValueError unless it is "none", "sum" or "mean".',
    ),
    Mistake(
        "mean-as-a-python-number",
        find="    return losses.sum() / target_weight[kept].sum()",
        replace="    return (losses.sum() / target_weight[kept].sum()).item()",
        says="Your mean is a Python number, so nothing can be trained with it: the graph is gone. Return "
        "the tensor, without item() or float().",
    ),
]
