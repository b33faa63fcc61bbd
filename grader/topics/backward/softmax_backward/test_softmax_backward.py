"""Checks of `softmax_backward`: the gradients of softmax, log-softmax and cross entropy, and their memory."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import assert_at_most, assert_close, assert_fits, assert_inputs_unchanged
from grader.kit.measured import anywhere
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device

pytestmark = pytest.mark.forbid("autograd")

SOFTMAXES = {"softmax_backward": torch.softmax, "log_softmax_backward": torch.log_softmax}
both = pytest.mark.parametrize("name", SOFTMAXES)
dtypes = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
TARGET = torch.tensor([3, 0, 1, 4, 2, 1, 3])
IGNORED = torch.tensor([3, -100, 1, -100, -100, 1, 4])


def workload(submission, rng):
    output, grad_output = rng.normal(64, 512).float().softmax(-1), rng.normal(64, 512).float()
    return submission.softmax_backward.measure(grad_output, output)


LADDER = [
    ("softmax_backward", 1, 2),
    ("softmax_backward", 2, 3),
    ("log_softmax_backward", 1, 2),
    ("log_softmax_backward", 2, 3),
    ("cross_entropy_backward", 1, 2),
    ("cross_entropy_backward", 2, 3),
]


def smallest(submission, rng, name, rows, classes):
    """probabilities that are small fractions give what autograd gives"""
    x, whole = rng.integers(1, 4, rows, classes).double().log(), rng.integers(-2, 3, rows, classes).double()
    if name == "cross_entropy_backward":
        assert_cross_entropy(submission, x, torch.arange(rows) % classes, 1.0)
    else:
        assert_softmax(submission, name, x, whole, -1)


def backward_of(loss, x, grad_output):
    """The gradient of x by autograd."""
    leaf = x.detach().clone().requires_grad_()
    (gradient,) = torch.autograd.grad(loss(leaf), leaf, grad_output)
    return gradient


def assert_softmax(submission, name, x, grad_output, dim):
    forward = SOFTMAXES[name]
    came = getattr(submission, name)(grad_output, forward(x, dim), dim)
    assert_close(came, backward_of(lambda leaf: forward(leaf, dim), x, grad_output))


def assert_cross_entropy(submission, logits, target, grad_output, **options):
    upstream = torch.tensor(grad_output, dtype=logits.dtype)
    came = submission.cross_entropy_backward(upstream, logits.log_softmax(1), target, **options)
    expected = backward_of(lambda leaf: F.cross_entropy(leaf, target, **options), logits, upstream)
    assert_close(came, expected)


@both
@pytest.mark.parametrize("shape", [(7,), (2, 3, 5), (4, 1), (1, 6), (137, 3), (3, 1, 139)])
def test_equals_autograd(submission, rng, name, shape):
    """along the last dimension, equals the gradient by autograd"""
    x, grad_output = rng.normal(*shape, scale=2.0), rng.normal(*shape)
    forward = SOFTMAXES[name]
    came = getattr(submission, name)(grad_output, forward(x, -1))
    assert_close(came, backward_of(lambda leaf: forward(leaf, -1), x, grad_output))


@both
@pytest.mark.parametrize("dim", [0, 1, -2, -3])
def test_any_dimension(submission, rng, name, dim):
    """dim may be any dimension, counted from either end"""
    assert_softmax(submission, name, rng.normal(2, 3, 5, scale=2.0), rng.normal(2, 3, 5), dim)


@both
def test_float32_is_kept(submission, rng, name):
    """float32 gives float32"""
    assert_softmax(submission, name, rng.normal(3, 5).float(), rng.normal(3, 5).float(), 1)


@both
def test_other_layouts(submission, rng, name):
    """arguments that are transposed or expanded are right"""
    assert_softmax(submission, name, rng.normal(5, 3).T, rng.normal(5, 3).T, -1)
    assert_softmax(submission, name, rng.normal(3, 5), rng.normal(3, 1).expand(3, 5), -1)


@pytest.mark.parametrize("dim", [0, 1])
def test_masked_entries(submission, rng, dim):
    """outputs of exactly 0 or 1 have the gradient 0, in whichever dimension"""
    x = rng.normal(5, 5, scale=2.0).masked_fill(~rng.mask(5, 5), -torch.inf)
    x[0], x[:, 0] = -torch.inf, -torch.inf
    x[0, 0] = 0.0
    x[2, 1] = x[1, 2] = x[3, 3] = x[4, 4] = 1.0
    output, grad_output = x.softmax(dim), rng.normal(5, 5)
    came = submission.softmax_backward(grad_output, output, dim)
    assert_close(came, backward_of(lambda leaf: leaf.softmax(dim), x, grad_output))
    exactly = {"where": output == 0, "absolute": 0.0}
    assert_close(came, torch.zeros_like(x), **exactly, what="where the output is exactly 0")


def test_far_logarithms(submission, rng):
    """log-probabilities down to -1e4 give finite, right gradients"""
    x = rng.normal(4, 5) * torch.tensor([1.0, 10.0, 1e3, 1e4]).unsqueeze(1)
    assert_softmax(submission, "log_softmax_backward", x, rng.normal(4, 5), -1)
    assert_cross_entropy(submission, x, torch.tensor([0, 1, 2, 3]), 1.0)


@both
def test_a_constant_upstream(submission, rng, name):
    """an upstream gradient of the same number everywhere, as that of a sum, is right"""
    assert_softmax(submission, name, rng.normal(3, 5, scale=2.0), torch.full((3, 5), 2.5).double(), -1)


@pytest.mark.parametrize("batch, classes", [(137, 5), (1, 5), (7, 11), (3, 139)])
def test_cross_entropy_equals_autograd(submission, rng, batch, classes):
    """the gradient of the logits equals that of F.cross_entropy by autograd"""
    target = rng.integers(0, classes, batch)
    assert_cross_entropy(submission, rng.normal(batch, classes, scale=2.0), target, 1.0)


@pytest.mark.parametrize("grad_output", [2.5, -0.75, 0.0])
def test_cross_entropy_times_its_upstream(submission, rng, grad_output):
    """it is multiplied by grad_output"""
    assert_cross_entropy(submission, rng.normal(7, 5, scale=2.0), TARGET, grad_output)


def test_ignored_rows(submission, rng):
    """rows whose target is -100 get zeros, and do not count in the mean"""
    assert_cross_entropy(submission, rng.normal(7, 5, scale=2.0), IGNORED, 1.5)


def test_one_kept_row(submission, rng):
    """where a single row is kept, its gradient is divided by 1"""
    assert_cross_entropy(submission, rng.normal(7, 5), TARGET.where(torch.arange(7) == 2, -100), 1.0)


@pytest.mark.parametrize("ignore_index", [-1, 0, 3, 255])
def test_any_ignore_index(submission, rng, ignore_index):
    """ignore_index may be negative, a class, or beyond the classes"""
    target = torch.tensor([3, 0, 1, 4, 2, 0, 3])
    target[[1, 6]] = ignore_index
    assert_cross_entropy(submission, rng.normal(7, 5, scale=2.0), target, 1.5, ignore_index=ignore_index)


def test_minus_100_is_nothing_special(submission, rng):
    """with another ignore_index all classes are kept"""
    assert_cross_entropy(submission, rng.normal(7, 5, scale=2.0), TARGET, 1.0, ignore_index=9)


def test_cross_entropy_in_float32(submission, rng):
    """cross entropy keeps float32, also of log-probabilities and targets that are not contiguous"""
    logits, target = rng.normal(5, 7).float(), torch.stack([IGNORED, IGNORED], dim=1)[:, 0]
    upstream, log_probs = torch.tensor(1.5), logits.T.log_softmax(1)
    came = submission.cross_entropy_backward(upstream, log_probs.T.contiguous().T, target)
    expected = backward_of(lambda leaf: F.cross_entropy(leaf, target), logits.T, upstream)
    assert_close(came, expected)


def one_row(answer, name, grad_output, output):
    return getattr(answer, name)(grad_output, output)


@both
@pytest.mark.parametrize("shape, dim", [((2, 61), -1), ((61, 2), 0)])
def test_no_jacobian(submission, rng, name, shape, dim):
    """no operation makes a tensor larger than output: the Jacobian of a row is never there"""
    forward, grad_output = SOFTMAXES[name], rng.normal(*shape)
    x = rng.normal(*shape)
    with anywhere():
        measured = getattr(submission, name).measure(grad_output, forward(x, dim), dim)
    cause = (
        "So there is a matrix of n x n for a row of n, or several rows' worth at once. What the Jacobian "
        "does to a vector can be had without it: each of its rows differs from a multiple of the same vector "
        "in one entry only"
    )
    assert_close(measured.value, backward_of(lambda leaf: forward(leaf, dim), x, grad_output))
    assert_at_most(measured.largest_tensor, x.numel(), "elements of the largest tensor made", cause=cause)
    long, above = rng.normal(1, 8192, dtype=torch.float32), rng.normal(1, 8192, dtype=torch.float32)
    # Its Jacobian would take 256 MiB.
    assert_fits(
        submission,
        one_row,
        name,
        above,
        forward(long, -1),
        expected=lambda: backward_of(lambda leaf: forward(leaf, -1), long, above),
        memory=3 * 2**25,
    )


def test_cross_entropy_needs_no_more_than_its_argument(submission, rng):
    """in cross entropy too no operation makes a tensor larger than log_probs"""
    logits, target, upstream = rng.normal(5, 61), rng.integers(0, 61, 5), torch.tensor(1.0).double()
    with anywhere():
        measured = submission.cross_entropy_backward.measure(upstream, logits.log_softmax(1), target)
    # The value first: where it is wrong, how many there are is no evidence of what makes it so.
    assert_close(measured.value, backward_of(lambda leaf: F.cross_entropy(leaf, target), logits, upstream))
    assert_at_most(measured.largest_tensor, logits.numel(), "elements of the largest tensor made")


@both
def test_saved_output_stays(submission, rng, name):
    """neither grad_output nor the saved output is written to, nor if they are transposed"""
    output = SOFTMAXES[name](rng.normal(3, 5, dtype=torch.float32), -1)
    assert_inputs_unchanged(getattr(submission, name), rng.normal(3, 5, dtype=torch.float32), output)
    output = SOFTMAXES[name](rng.normal(3, 5), -1)
    assert_inputs_unchanged(getattr(submission, name), rng.normal(3, 5).T, output.T, 0)


@dtypes
def test_saved_log_probs_stay(submission, rng, dtype):
    """log_probs and target are not written to"""
    log_probs, upstream = rng.normal(7, 5, dtype=dtype).log_softmax(1), torch.tensor(2.0, dtype=dtype)
    assert_inputs_unchanged(submission.cross_entropy_backward, upstream, log_probs, IGNORED)
    if is_second_round():
        options = {"ignore_index": 1}
        assert_inputs_unchanged(submission.cross_entropy_backward, upstream, log_probs, TARGET, **options)


def test_device(submission, rng):
    """nothing is made on the default device where that is another one"""
    output, grad_output = rng.normal(7, 5).softmax(-1), rng.normal(7, 5)
    for name in SOFTMAXES:
        assert_keeps_device(submission, name, grad_output, output)
    log_probs, upstream = output.log(), torch.tensor(1.0).double()
    assert_keeps_device(submission, "cross_entropy_backward", upstream, log_probs, IGNORED)
