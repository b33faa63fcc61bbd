"""Checks of `activations`: values, gradients, stability far from 0, the two arguments."""

import pytest
import torch
from torch.nn import functional

from grader.kit import assert_arguments_unchanged, assert_close, assert_same_gradients
from grader.kit.rounds import is_second_round
from grader.kit.rules.second_backward import assert_backward_leaves_all

pytestmark = pytest.mark.forbid("activations", "softmax", "scaled_dot_product_attention")


def gelu_tanh(x):
    return functional.gelu(x, approximate="tanh")


SMOOTH = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "elu": functional.elu,
    "silu": functional.silu,
    "gelu": functional.gelu,
    "gelu_tanh": gelu_tanh,
}
KINKED = {"relu": functional.relu, "leaky_relu": functional.leaky_relu}
BUILT_IN = {**SMOOTH, **KINKED}
every = pytest.mark.parametrize("name", BUILT_IN)
dtypes = pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
# exp overflows from 89 on in float32; below -104 it is 0. In float64: from 710 on, and below -746.
FAR = torch.tensor([30.0, 70.0, 87.0, 89.0, 95.0, 105.0, 350.0, 700.0, 720.0, 1000.0])


def far_off(dtype):
    """What values and gradients there may be off by. In the second round upstream gradients are drawn: they
    may be large just where float32 has few digits, as 1000 sigmoid(1000) has.
    """
    return 1e-4 if is_second_round() and dtype == torch.float32 else 1e-5


def workload(submission, rng):
    return submission.gelu_tanh.measure(rng.normal(64, 128))


LADDER = [(name,) for name in BUILT_IN]


def smallest(submission, rng, name):
    """whole numbers from -2 to 2 give what the built-in gives"""
    x = torch.arange(-2, 3).double()
    assert_close(getattr(submission, name)(x), BUILT_IN[name](x))


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_functions(submission, rng, name):
    """sigmoid, tanh, elu, silu, gelu and gelu_tanh and their gradients equal the built-ins', at 0 too"""
    x = rng.normal(7, 5, 2, scale=2.0).transpose(0, 2)
    x[1, 3] = 0.0
    assert_same_gradients(getattr(submission, name), SMOOTH[name], x)


@pytest.mark.parametrize("name", KINKED)
def test_functions_with_a_kink(submission, rng, name):
    """relu and leaky_relu and their gradients equal the built-ins'"""
    x = rng.normal(7, 5, 2, scale=2.0).transpose(0, 2)
    assert_same_gradients(getattr(submission, name), KINKED[name], x)


@every
def test_value_at_zero(submission, rng, name):
    """each function is right at 0, where some have a kink, and for tensors of no dimensions and of many"""
    many = [rng.normal(*rng.integers(1, 3, 7).tolist())] if is_second_round() else []
    for x in (torch.tensor(0.0), torch.zeros(1, 5), *many):
        assert_close(getattr(submission, name)(x), BUILT_IN[name](x))


@every
@dtypes
def test_far_below_zero(submission, rng, name, dtype):
    """values and gradients down to -1000 are finite and right, in both dtypes"""
    assert_same_gradients(getattr(submission, name), BUILT_IN[name], -FAR.to(dtype), tolerance=far_off(dtype))
    if is_second_round():  # where what is left is small, but no less than 1e-8
        x = -4.0 * 5.0 ** rng.uniform(150)
        for each, built_in in BUILT_IN.items():
            assert_close(getattr(submission, each)(x), built_in(x), absolute=2e-8, what=each)


@every
@dtypes
def test_far_above_zero(submission, rng, name, dtype):
    """values and gradients up to 1000 are finite and right, in both dtypes"""
    assert_same_gradients(getattr(submission, name), BUILT_IN[name], FAR.to(dtype), tolerance=far_off(dtype))
    if is_second_round():
        sizes = 10 ** rng.uniform(200, low=-2.0, high=3.0)
        x = (sizes * rng.integers(0, 2, 200).mul(2).sub(1)).to(dtype)
        for each, built_in in BUILT_IN.items():
            assert_close(getattr(submission, each)(x), built_in(x), tolerance=1e-5)
        assert_same_gradients(getattr(submission, name), BUILT_IN[name], x, tolerance=1e-4)


@pytest.mark.parametrize("negative_slope", [0.3, 0.0])
def test_negative_slope(submission, rng, negative_slope):
    """negative_slope is the slope of leaky_relu below 0"""
    dtype = torch.float32 if is_second_round() else torch.float64
    x = rng.uniform(13, low=-3.0, high=2.0, dtype=dtype)
    for slope in (negative_slope, *(rng.option(0.3, 0.001, 1.0) for _ in range(2) if is_second_round())):
        assert_same_gradients(submission.leaky_relu, functional.leaky_relu, x, negative_slope=slope)


@pytest.mark.parametrize("alpha", [0.3, 2.5])
def test_alpha(submission, rng, alpha):
    """alpha scales what elu gives below 0"""
    x = rng.uniform(13, low=-3.0, high=2.0)
    for each in (alpha, *(rng.option(0.3, 0.02, 10.0) for _ in range(3) if is_second_round())):
        assert_same_gradients(submission.elu, functional.elu, x, each)


@dtypes
@pytest.mark.parametrize("sign", [-1, 1])
def test_alpha_far_from_zero(submission, rng, dtype, sign):
    """with an alpha too, values and gradients of elu are finite and right from -1000 to 1000"""
    alpha = rng.option(0.3, 0.02, 10.0)
    off = far_off(dtype)
    assert_same_gradients(submission.elu, functional.elu, sign * FAR.to(dtype), alpha, tolerance=off)


@every
def test_backward_changes_nothing(submission, rng, name):
    """a backward pass writes neither to the gradient that it gets nor to what a second pass needs"""
    assert_backward_leaves_all(getattr(submission, name), BUILT_IN[name], rng.normal(269, 5, scale=2.0))


@every
def test_input_is_not_modified(submission, rng, name):
    """x is not modified"""
    more = [0.3] if is_second_round() and name in ("leaky_relu", "elu") else []
    assert_arguments_unchanged(getattr(submission, name), rng.normal(3, 5, scale=3.0), *more)
