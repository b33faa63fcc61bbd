"""Checks of `softmax`: values, gradients, stability, any dimension."""

import pytest
import torch

from grader.kit import assert_close, assert_inputs_unchanged, assert_same_gradients
from grader.kit.families.coarse import assert_close_or_coarse
from grader.kit.families.leading_dimensions import of_many_dimensions
from grader.kit.rounds import is_second_round
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.small import whole

pytestmark = pytest.mark.forbid("softmax", "logsumexp", "scaled_dot_product_attention")

BUILT_IN = {"softmax": torch.softmax, "log_softmax": torch.log_softmax}
both = pytest.mark.parametrize("name", ["softmax", "log_softmax"])
INF = float("inf")


def with_minus_infinity(x):
    """x with -inf on its diagonal."""
    return x.masked_fill(torch.eye(*x.shape, dtype=torch.bool), -INF)


def workload(submission, rng):
    return submission.softmax.measure(rng.normal(64, 128), dim=-1)


LADDER = [(1, 2, -1, "softmax"), (1, 2, -1, "log_softmax"), (2, 3, 0, "softmax"), (2, 3, 0, "log_softmax")]


def smallest(submission, rng, rows, columns, dim, name):
    """small whole numbers give what the built-in gives"""
    x = whole(rng, rows, columns)
    assert_close(getattr(submission, name)(x, dim=dim), BUILT_IN[name](x, dim=dim))


@both
@pytest.mark.parametrize(
    "shape, dim",
    [((5, 5), -1), ((3, 5), 0), ((2, 5, 3), 1), ((2, 3, 5), -3), ((7,), 0), ((1, 5), 1), ((3, 1, 5), 0)],
)
def test_equals_the_built_in(submission, rng, name, shape, dim):
    """equals torch.softmax and torch.log_softmax along any dim"""
    if is_second_round():
        shape = of_many_dimensions(rng, shape)
        dim = int(rng.integers(-len(shape), len(shape), 1))
    x = rng.normal(*shape, scale=rng.option(2.0, 0.1, 1500.0))
    for each in BUILT_IN if is_second_round() else (name,):
        assert_close(getattr(submission, each)(x, dim=dim), BUILT_IN[each](x, dim=dim), tolerance=1e-9)
        if is_second_round():
            less = x.float()
            assert_close(getattr(submission, each)(less, dim), BUILT_IN[each](less, dim), absolute=1e-2)


@both
def test_dim_defaults_to_the_last(submission, rng, name):
    """dim is the last one by default"""
    x = rng.normal(2, 3, 5)
    assert_close(getattr(submission, name)(x), BUILT_IN[name](x, dim=-1))


@both
@pytest.mark.parametrize("shape, dim", [((3, 5), -1), ((2, 5, 3), 1)])
def test_gradients_equal_the_built_ins(submission, rng, name, shape, dim):
    """gradients equal those of the built-ins"""
    x = rng.normal(*shape)
    assert_same_gradients(getattr(submission, name), BUILT_IN[name], x, dim=dim)


def around(far, rng, dtype):
    """Rows of logits right below `far`, below 0 and right above -far: exp may be finite, and no sum of it."""
    return (torch.tensor([[far], [0.0], [1 - far]]) - rng.uniform(3, 7)).to(dtype)


@both
def test_large_logits_do_not_overflow(submission, rng, name):
    """logits of ±1e4 give finite, right values and gradients"""
    x = torch.cat([rng.uniform(2, 5, low=-1e4, high=1e4), rng.normal(1, 5) + 1e4, rng.normal(1, 5) - 1e4])
    drawn = [rng.normal(2, 5) + sign * rng.option(1.0, 1.0, 9990.0) for sign in (-1, 1) if is_second_round()]
    for logits in (torch.cat([x, *drawn]), around(709.0, rng, torch.float64)):
        assert_same_gradients(getattr(submission, name), BUILT_IN[name], logits, dim=-1, tolerance=1e-9)


@both
def test_large_logits_in_float32(submission, rng, name):
    """logits of ±1e4 are right in float32, and so are the gradients"""
    x = rng.normal(5, 7, dtype=torch.float32) * 3 + torch.tensor([[1e4], [-1e4], [5e3], [0.0], [-89.0]])
    drawn = [
        (rng.normal(2, 7) + sign * rng.option(1.0, 1.0, 9990.0)).float()
        for sign in (-1, 1)
        if is_second_round()
    ]
    for logits in (torch.cat([x, *drawn]), around(88.0, rng, torch.float32)):
        assert_same_gradients(getattr(submission, name), BUILT_IN[name], logits, dim=-1, absolute=1e-2)


@both
def test_digits_of_float32(submission, rng, name):
    """float32 is right to its own digits"""
    x = rng.normal(11, 13, dtype=torch.float32) * 2
    came, expected = getattr(submission, name)(x), BUILT_IN[name](x, dim=-1)
    computed = [came] if isinstance(came, torch.Tensor) and came.shape == x.shape else []
    if computed and bool(expected.max() > 0):  # of no logarithms
        computed.append(came / came.amax(dim=-1, keepdim=True))
    assert_close_or_coarse(came, expected, *computed, tolerance=1e-5)


@both
@pytest.mark.parametrize("dim", [-1, 0])
def test_minus_infinity_is_allowed(submission, rng, name, dim):
    """entries of -inf give probability 0, log-probability -inf, and right gradients"""
    long = rng.normal(2, 1031)  # no multiple of a usual block
    long[0, :1029], long[1, 2:] = -INF, -INF
    inputs = [
        with_minus_infinity(rng.normal(3, 5) - rng.option(1e4, 1.0, 9990.0)),
        long if dim == -1 else long.T.contiguous(),
    ]
    if is_second_round():
        inputs += [x.float() for x in inputs]
    for x in inputs:
        rough = 1e-2 if x.dtype == torch.float32 else None  # as for other large logits in float32
        # Nothing flows back from the -inf of a log-probability.
        upstream = rng.normal(*x.shape).masked_fill(x == -INF, 0.0)
        leaf = x.clone().requires_grad_()
        (BUILT_IN[name](leaf, dim=dim) * upstream).sum().backward()
        came = getattr(submission, name).gradients([upstream], x, dim=dim)
        assert_close(came.value, BUILT_IN[name](x, dim=dim), absolute=rough)
        assert_close(came.inputs[0], leaf.grad, absolute=rough, what="gradient of x")


@both
def test_other_layouts(submission, rng, name):
    """a transposed input and slices of one element are right"""
    x = rng.normal(5, 3).T
    assert_same_gradients(getattr(submission, name), BUILT_IN[name], x, 1)
    assert_same_gradients(getattr(submission, name), BUILT_IN[name], x[:, :1], 1)


@both
def test_backward_changes_nothing(submission, rng, name):
    """a backward pass writes neither to the gradient that it gets nor to what a second pass needs"""
    assert_backward_leaves_all(getattr(submission, name), BUILT_IN[name], rng.normal(3, 5), dim=-1)


@both
def test_zeros_are_logits_like_others(submission, rng, name):
    """logits of exactly 0 count like any others, and a row of zeros gives equal probabilities"""
    x = whole(rng, 5, 7)
    x[2] = 0.0
    assert_close(getattr(submission, name)(x), BUILT_IN[name](x, dim=-1))


@both
def test_gradients_of_equal_logits(submission, rng, name):
    """gradients are right where several logits are the largest"""
    x = whole(rng, 139, 7)
    x[2] = 0.0
    assert_same_gradients(getattr(submission, name), BUILT_IN[name], x, dim=-1)


@both
def test_input_is_not_modified(submission, rng, name):
    """x is not modified"""
    for dim in (0, 1):  # contiguous() and reshape copy x, or give x itself
        assert_inputs_unchanged(getattr(submission, name), with_minus_infinity(rng.normal(3, 5)), dim=dim)
