"""Checks of `layer_norm_backward`: gradients of input, weight and bias, for layer norm and RMS norm."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import assert_at_most, assert_close, assert_fits, assert_inputs_unchanged
from grader.kit.measured import anywhere
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.small import whole

pytestmark = pytest.mark.forbid("autograd")

LAYER, RMS = NAMES = "layer_norm_backward", "rms_norm_backward"
both = pytest.mark.parametrize("name", NAMES)


def workload(submission, rng):
    arguments = saved(LAYER, rng.normal(8, 32, 128).float(), rng.normal(8, 32, 128).float(), rng.normal(128))
    return submission.layer_norm_backward.measure(*arguments)


LADDER = [(LAYER, (3,)), (RMS, (3,)), (LAYER, (2, 3)), (RMS, (2, 3)), (LAYER, (2, 2, 3)), (RMS, (2, 2, 3))]


def smallest(submission, rng, name, shape):
    """small whole numbers give what autograd gives, with an eps of 1"""
    x, grad_output, weight = whole(rng, *shape, most=3), whole(rng, *shape), whole(rng, shape[-1])
    assert_right(submission, name, x, grad_output, weight, eps=1.0)


def saved(name, x, grad_output, weight, eps=1e-5):
    """The arguments, with what a forward saves (in float64, whatever comes)."""
    wide = x.double()
    if name == RMS:
        kept = [(wide.square().mean(-1, keepdim=True) + eps).rsqrt()]
    else:
        kept = list(torch.native_layer_norm(wide, x.shape[-1:], None, None, eps)[1:])
    return [grad_output, x, *(one.to(x.dtype) for one in kept), weight.to(x.dtype)]


def expected(name, x, grad_output, weight, eps=1e-5):
    """By autograd, in float64."""
    leaf, scale = (one.detach().double().requires_grad_() for one in (x, weight))
    shift = torch.zeros_like(scale).requires_grad_()
    shape, leaves = x.shape[-1:], [leaf, scale]
    if name == RMS:
        result = F.rms_norm(leaf, shape, scale, eps)
    else:
        result, leaves = F.layer_norm(leaf, shape, scale, shift, eps), [leaf, scale, shift]
    gradients = torch.autograd.grad(result, leaves, grad_output.double())
    return tuple(gradient.to(x.dtype) for gradient in gradients)


def assert_right(submission, name, x, grad_output, weight, *, eps=1e-5, tolerance=None):
    came = getattr(submission, name)(*saved(name, x, grad_output, weight, eps))
    assert_close(came, expected(name, x, grad_output, weight, eps), tolerance=tolerance)


@both
@pytest.mark.parametrize(
    "shape", [(2, 3, 5), (4, 7), (1, 1, 3), (2, 1, 3, 5), (5, 2, 31), (2, 137, 3), (3, 139)]
)
def test_equals_autograd(submission, rng, name, shape):
    """the gradients equal those of the built-in norm by autograd, for any leading dimensions"""
    x, weight = rng.normal(*shape, scale=1.7) + 0.6, rng.normal(shape[-1])
    assert_right(submission, name, x, rng.normal(*shape), weight)


@both
def test_one_vector(submission, rng, name):
    """x may be a single vector: there is nothing to sum over"""
    assert_right(submission, name, rng.normal(7) + 0.5, rng.normal(7), rng.normal(7))


@both
@pytest.mark.parametrize("eps, scale", [(0.5, 1.0), (1e-2, 0.1), (1e-9, 1e-3)])
def test_any_eps(submission, rng, name, eps, scale):
    """rstd is used as it is, whatever eps the forward had"""
    x = rng.normal(3, 2, 5, scale=scale)
    assert_right(submission, name, x, rng.normal(3, 2, 5), rng.normal(5), eps=eps)


@both
def test_vectors_without_variance(submission, rng, name):
    """vectors of zeros, or of one number, have finite, right gradients"""
    x = torch.tensor([0.0, 1.5, 0.0]).double().unsqueeze(1).expand(3, 5).clone()
    assert_right(submission, name, x, rng.normal(3, 5), rng.normal(5), eps=1e-2)


@both
def test_a_constant_upstream(submission, rng, name):
    """an upstream gradient of ones is right, as is a weight of ones"""
    x, ones = rng.normal(3, 2, 5) + 0.5, torch.ones(3, 2, 5).double()
    assert_right(submission, name, x, ones, rng.normal(5))
    assert_right(submission, name, x, rng.normal(3, 2, 5), ones[0, 0])


@both
def test_weights_of_zero(submission, rng, name):
    """gradients are right where weights are 0, that of these weights too"""
    weight = rng.normal(7)
    weight[1::2] = 0.0
    assert_right(submission, name, rng.normal(3, 2, 7) + 0.5, rng.normal(3, 2, 7), weight)


@both
def test_float32_is_kept(submission, rng, name):
    """float32 gives float32"""
    x, grad_output = rng.normal(3, 2, 7).float() + 0.5, rng.normal(3, 2, 7).float()
    assert_right(submission, name, x, grad_output, rng.normal(7))


@both
def test_large_means(submission, rng, name):
    """in float32, vectors with a mean of 1e3 and a deviation of 1 give accurate gradients"""
    x, grad_output = rng.normal(3, 2, 61).float() + 1e3, rng.normal(3, 2, 61).float()
    assert_right(submission, name, x, grad_output, rng.normal(61), tolerance=1e-2)


@both
def test_other_layouts(submission, rng, name):
    """arguments that are transposed or expanded are right, mean and rstd too"""
    x, grad_output = rng.normal(5, 3, 2).permute(1, 2, 0) + 0.5, rng.normal(3, 1, 1).expand(3, 2, 5)
    given = saved(name, x, grad_output, rng.normal(10)[::2])
    given[2:-1] = [one.transpose(0, 1).contiguous().transpose(0, 1) for one in given[2:-1]]
    assert_close(getattr(submission, name)(*given), expected(name, x, grad_output, given[-1]))


def one_vector(answer, name, arguments):
    return getattr(answer, name)(*arguments)[0]


@both
def test_no_jacobian(submission, rng, name):
    """no operation makes a tensor larger than x"""
    x, grad_output, weight = rng.normal(2, 3, 31) + 0.5, rng.normal(2, 3, 31), rng.normal(31)
    with anywhere():
        measured = getattr(submission, name).measure(*saved(name, x, grad_output, weight))
    cause = (
        "So there is a matrix of hidden x hidden for each vector, or the gradients of several are kept "
        "together. What the Jacobian does to a vector can be had with one or two means over it"
    )
    assert_at_most(measured.largest_tensor, x.numel(), "elements of the largest tensor made", cause=cause)
    assert_close(measured.value, expected(name, x, grad_output, weight))
    for each in NAMES if is_second_round() else ():
        # A single vector is no larger than its weight.
        with anywhere():
            measured = getattr(submission, each).measure(*saved(each, x[0, 0], grad_output[0, 0], weight))
        assert_at_most(measured.largest_tensor, 31, "elements of the largest tensor made of one vector of 31")
    long, above, scale = (rng.normal(1, 8192, dtype=torch.float32) for _ in range(3))
    # Its Jacobian would take 256 MiB.
    assert_fits(
        submission,
        one_vector,
        name,
        saved(name, long, above, scale[0]),
        expected=lambda: expected(name, long, above, scale[0])[0],
        memory=3 * 2**25,
    )


@both
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
def test_arguments_are_not_modified(submission, rng, name, dtype):
    """no argument is written to, nor where the mean is 0, and rstd and the weight are 1"""
    x, grad_output = rng.normal(3, 2, 5, dtype=dtype), rng.normal(3, 2, 5, dtype=dtype)
    assert_inputs_unchanged(getattr(submission, name), *saved(name, x, grad_output, rng.normal(5)))
    signs, ones = torch.tensor([1.0, -1.0], dtype=dtype).repeat(3, 2, 2), torch.ones(4)
    plain = saved(name, signs, rng.normal(3, 2, 4, dtype=dtype), ones, eps=0.0)
    assert_inputs_unchanged(getattr(submission, name), *plain)


@both
def test_device(submission, rng, name):
    """nothing is made on the default device where that is another one"""
    x, grad_output = rng.normal(3, 2, 5), rng.normal(3, 2, 5)
    assert_keeps_device(submission, name, *saved(name, x, grad_output, rng.normal(5)))
