"""Checks of `clip_grad_norm_`: against PyTorch's, and whose tensors change."""

import math

import pytest
import torch
from torch.nn.utils import clip_grad_norm_, get_total_norm

from grader.kit import assert_close, assert_equal, assert_true
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_scenario_keeps_device
from grader.kit.small import whole

pytestmark = pytest.mark.forbid("clipping")

SHAPES = (3, 5), (7,), (2, 2, 3)
CLOSE = 1e-5
"""The 1e-6 beside the norm may be left out."""

every_norm = pytest.mark.parametrize("norm_type", [2, 1.0, 3.0, math.inf])


def workload(submission, rng):
    return submission.measure(clipped, [rng.normal(64, 64) for _ in range(4)], 1.0)


LADDER = [(1, 1), (1, 2), (2, 2)]


def smallest(submission, rng, count, size):
    """small whole numbers give what PyTorch gives"""
    gradients = [whole(rng, size, most=4) for _ in range(count)]
    for gradient in gradients:
        gradient[0] = 3.0
    assert_clipped(submission, gradients, 1.0)


def clipped(answer, gradients, max_norm, norm_type=None, given="list"):
    """What came for parameters of zeros with these gradients (None for none), and the gradients after it."""
    leaves = [torch.zeros(3) if gradient is None else torch.zeros_like(gradient) for gradient in gradients]
    for leaf, gradient in zip(leaves, gradients, strict=True):
        leaf.requires_grad_()
        leaf.grad = gradient
    parameters = iter(leaves) if given == "iterator" else leaves
    norm = answer.clip_grad_norm_(parameters, max_norm, *([] if norm_type is None else [norm_type]))
    return {"norm": norm, "gradients": {f"gradient {n}": leaf.grad for n, leaf in enumerate(leaves, 1)}}


def expected(gradients, max_norm, norm_type=2.0):
    """The oracle: PyTorch's, on copies."""
    leaves = [torch.zeros(3) if each is None else torch.zeros_like(each) for each in gradients]
    for leaf, gradient in zip(leaves, gradients, strict=True):
        leaf.grad = None if gradient is None else gradient.clone()
    norm = clip_grad_norm_(leaves, max_norm, norm_type, foreach=False)
    return {"norm": norm, "gradients": {f"gradient {n}": leaf.grad for n, leaf in enumerate(leaves, 1)}}


def assert_clipped(submission, gradients, max_norm, norm_type=None, *, given="list"):
    came = submission.run(clipped, list(gradients), max_norm, norm_type, given)
    kind = 2.0 if norm_type is None else norm_type
    assert_close(came, expected(gradients, max_norm, kind), tolerance=CLOSE)


def drawn(rng, *shapes, dtype=torch.float64):
    """Gradients of several sizes in several scales, so that no norm of one is that of all."""
    shapes = shapes or SHAPES
    return [rng.normal(*shape, dtype=dtype, scale=0.5 + n) for n, shape in enumerate(shapes)]


def norm_of(gradients, norm_type=2.0):
    return float(get_total_norm(gradients, norm_type, foreach=False))


@pytest.mark.parametrize("share", [0.1, 0.9])
def test_long_gradients(submission, rng, share):
    """gradients that are too long together are all scaled by max_norm / norm, and the norm before is given"""
    gradients = [rng.option(1.0, 0.1, 1e4) * gradient for gradient in drawn(rng)]
    assert_clipped(submission, gradients, rng.option(share, 1e-3, 0.99) * norm_of(gradients))


@pytest.mark.parametrize("times", [1.05, 50.0])
def test_short_gradients(submission, rng, times):
    """gradients that are not too long together stay as they are"""
    gradients = drawn(rng)
    assert_clipped(submission, gradients, rng.option(times, 1.05, 1e6) * norm_of(gradients))


@every_norm
def test_other_norms(submission, rng, norm_type):
    """norm_type 1, 2, 3 and inf are those of PyTorch, clipped and not"""
    gradients = drawn(rng)
    gradients[1].view(-1)[4] = -9.0  # of all the largest, and negative
    for share in (0.3, 1.1):
        copies = [gradient.clone() for gradient in gradients]
        assert_clipped(submission, copies, share * norm_of(gradients, norm_type), norm_type)
    for kind in (1, 2, 3, 1.0, 2.0, 3.0, math.inf) if is_second_round() else ():
        gradients = drawn(rng, dtype=torch.float32 if float(rng.uniform(1)) < 0.5 else torch.float64)
        gradients = [rng.option(1.0, 0.1, 1e3) * gradient for gradient in gradients]
        assert_clipped(submission, gradients, rng.option(0.3, 0.01, 2.0) * norm_of(gradients, kind), kind)


def test_numbers_of_other_scales(submission, rng):
    """max_norm may be a whole number, and gradients a thousand times larger or smaller"""
    large, small = rng.option(1e3, 1.0, 1e6), rng.option(1e-3, 1e-6, 1e-2)
    assert_clipped(submission, [large * gradient for gradient in drawn(rng)], rng.option(3, 1, 1000))
    assert_clipped(submission, [small * gradient for gradient in drawn(rng)], 1)


def test_short_gradients_that_are_clipped(submission, rng):
    """where a short gradient is clipped, too, what is added to the norm is no more than 1e-6"""
    gradients = drawn(rng)
    norm = norm_of(gradients)
    assert_clipped(submission, [0.15 * gradient / norm for gradient in gradients], 0.05)


def test_one_parameter(submission, rng):
    """a single parameter, with a single entry too, is right"""
    assert_clipped(submission, [rng.normal(11)], 0.5)
    assert_clipped(submission, [torch.tensor([-3.0], dtype=torch.float64)], 0.5)


def test_parameters_from_an_iterator(submission, rng):
    """the parameters may come from an iterator, over which one can go only once"""
    assert_clipped(submission, drawn(rng), 0.5, given="iterator")


def test_parameters_without_a_gradient(submission, rng):
    """parameters without a gradient are skipped: these stay None"""
    first, second, third = drawn(rng)
    assert_clipped(submission, [None, first, second, None, third, None], 0.5)
    for norm_type in (1.0, 3.0, math.inf) if is_second_round() else ():
        assert_clipped(submission, [None, first, None], 0.5, norm_type)


def without_any(answer, count, norm_type=2.0):
    """How many dimensions the norm has, whether it is a floating-point number, and which."""
    leaves = [torch.ones(2, requires_grad=True) for _ in range(count)]
    norm = answer.clip_grad_norm_(leaves, 0.5, norm_type)
    is_float = isinstance(norm, torch.Tensor) and norm.is_floating_point()
    return [type(norm).__name__, norm.dim(), float(norm)] if is_float else [type(norm).__name__]


@pytest.mark.parametrize("count", [2, 0])
def test_no_gradient_at_all(submission, count):
    """without any gradient the norm is a 0-dimensional tensor that is 0"""
    what = "type, dimensions and norm"
    assert_equal(submission.run(without_any, count), ["Tensor", 0, 0.0], what=what)
    for norm_type in (1.0, 3.0, math.inf) if is_second_round() else ():
        assert_equal(submission.run(without_any, count, norm_type), ["Tensor", 0, 0.0], what=what)


@every_norm
def test_zeros_stay(submission, norm_type):
    """gradients of zeros have the norm 0 and stay zeros"""
    assert_clipped(submission, [torch.zeros(3).double(), torch.zeros(2, 2).double()], 0.5, norm_type)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
@every_norm
def test_not_finite(submission, rng, norm_type, value):
    """with inf, -inf or NaN among the gradients the norm is not finite, also behind a finite one"""
    for place in (0, 1):
        gradients = drawn(rng)
        gradients[place].view(-1)[place] = value
        norm = submission.run(clipped, gradients, 0.5, norm_type)["norm"]
        finite = bool(torch.as_tensor(norm).isfinite().all())
        message = f"{value} in gradient {place + 1} of 3, and the norm is finite: nobody notices"
        assert_true(not finite, message, seen=finite)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_layouts_and_dtypes(submission, rng, dtype):
    """gradients without dimensions, with many and non-contiguous ones are right; the norm has their dtype"""
    flat, wide = rng.normal(dtype=dtype), rng.normal(5, 3, dtype=dtype).T
    many = [rng.normal(*shape, dtype=dtype) for shape in ((3, 2, 1, 2), (1, 2, 1, 3, 2), (139, 2))]
    many += [rng.normal(2, dtype=dtype) for _ in range(int(rng.integers(9, 60, 1)))]
    assert_clipped(submission, [flat, wide, rng.normal(2, 7, dtype=dtype)[:, ::2]], 0.5)
    assert_clipped(submission, many, 0.5)


def objects(answer, parameters, gradients, norm_type=2.0):
    """Whether the gradients are the same objects afterwards, and what has become of the parameters."""
    leaves = [parameter.requires_grad_() for parameter in parameters]
    for leaf, gradient in zip(leaves, gradients, strict=True):
        leaf.grad = gradient
    answer.clip_grad_norm_(leaves, 0.5, norm_type)
    same = [leaf.grad is gradient for leaf, gradient in zip(leaves, gradients, strict=True)]
    return same, gradients, [leaf.detach().clone() for leaf in leaves]


@every_norm
def test_in_place(submission, rng, norm_type):
    """the gradients are scaled in place: .grad is the same tensor with other numbers"""
    parameters, gradients = ([*drawn(rng), rng.normal(5, 3).T, rng.normal()] for _ in range(2))
    same, came, _ = submission.run(objects, parameters, gradients, norm_type)
    assert_equal(same, [True] * 5, what=".grad is the tensor that it was")
    wanted = list(expected(gradients, 0.5, norm_type)["gradients"].values())
    assert_close(came, wanted, tolerance=CLOSE, what="the tensors that were .grad before")


def test_parameters_are_not_modified(submission, rng):
    """the parameters themselves stay as they are"""
    parameters = drawn(rng)
    _, _, came = submission.run(objects, parameters, drawn(rng))
    assert_equal(came, parameters)


def with_a_graph(answer, parameter, norm_type, max_norm):
    """A gradient that carries a gradient, as after backward(create_graph=True)."""
    leaf = parameter.requires_grad_()
    leaf.grad = gradient = leaf * leaf
    norm = answer.clip_grad_norm_([leaf], max_norm, norm_type)
    return norm.requires_grad, leaf.grad is gradient, leaf.grad.detach(), gradient.detach()


@every_norm
def test_norm_is_detached(submission, rng, norm_type):
    """the norm carries no gradient, also where the gradients carry one"""
    recorded, _, came, _ = submission.run(with_a_graph, parameter := rng.normal(5), norm_type, 0.5)
    wanted = expected([parameter**2], 0.5, norm_type)["gradients"]["gradient 1"]
    assert_close(came, wanted, tolerance=CLOSE)
    assert_equal(recorded, False, what="requires_grad of the norm")
    if is_second_round():  # where nothing is clipped, too
        recorded, *_ = submission.run(with_a_graph, rng.normal(5), norm_type, 1e3)
        assert_equal(recorded, False, what="requires_grad of the norm")


@pytest.mark.parametrize("max_norm", [0.5, 1e3])
def test_in_place_with_a_graph(submission, rng, max_norm):
    """gradients that carry a gradient, too, are scaled in place: .grad is the same tensor"""
    _, same, _, came = submission.run(with_a_graph, parameter := rng.normal(5), 2.0, max_norm)
    assert_equal(same, True, what=".grad is the tensor that it was")
    wanted = expected([parameter**2], max_norm)["gradients"]["gradient 1"]
    assert_close(came, wanted, tolerance=CLOSE, what="the tensor that was .grad before")


def twice(answer, gradients, others):
    """The norms of two calls, of which the first has changed all its gradients."""
    leaves = [torch.zeros_like(gradient) for gradient in gradients]
    norms = []
    for each in (gradients, others):
        for leaf, gradient in zip(leaves, each, strict=True):
            leaf.grad = gradient
        norms.append(answer.clip_grad_norm_(leaves, 0.5))
    return norms


def test_two_calls(submission, rng):
    """a second call with other gradients knows nothing of the first; the first's norm stays what it was"""
    pair = drawn(rng), drawn(rng)
    wanted = [expected(gradients, 0.5)["norm"] for gradients in pair]
    assert_close(submission.run(twice, *pair), wanted, tolerance=CLOSE)


def on_its_device(answer, gradients, max_norm, *norm_type):
    leaves = [torch.zeros_like(gradient) for gradient in gradients]
    for leaf, gradient in zip(leaves, gradients, strict=True):
        leaf.grad = gradient
    return answer.clip_grad_norm_(leaves, max_norm, *norm_type)


def test_device(submission, rng):
    """norm and gradients are on the gradients' device, whatever the default device is"""
    assert_scenario_keeps_device(submission, on_its_device, drawn(rng), 0.5)
    for norm_type in (1, 3.0, math.inf) if is_second_round() else ():
        assert_scenario_keeps_device(submission, on_its_device, drawn(rng), 0.5, norm_type)
