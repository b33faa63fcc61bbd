"""Checks of `gradient_descent`: the slope, PyTorch's steps, and when the gradient is asked for."""

import pytest
import torch
from torch.optim.sgd import sgd

from grader.kit import assert_close, assert_equal, assert_numbers
from grader.kit.rounds import is_second_round

pytestmark = pytest.mark.forbid("optimizers", "schedulers")

PRECISE = 1e-9
SHAPES = {"bowl": (-2.0, 3.0), "well": (0.5, -1.0, 0.3, 0.4), "slope": (0.7,), "hill": (1.0, -0.5)}
"""Gradients by the coefficients of 1, x, x², x³."""


def workload(submission, rng):
    return submission.quadratic_gradient.measure(0.3)


def at_rest(answer):
    """Take out what earlier checks left in an answer that keeps its list or its velocity: so what comes in a
    check does not depend on which they were.
    """
    left = answer.gradient_descent(lambda x: 0.0, 0.0, 1.0, 1)
    if type(left) is list:
        left.clear()


def descended(answer, coefficients, options):
    def gradient(x):
        return sum(c * x**n for n, c in enumerate(coefficients))

    return answer.gradient_descent(gradient, **options)


def watched(submission, coefficients, options, changing=False):
    """The points of a call, and those at which it asks for the gradient. That is the judge's: in the worker
    who asks could write to what is noted.
    """
    asked = []

    def gradient(x, *_):
        if type(x) not in (float, int) or (abs(x) > 1e100 and len(coefficients) > 2):
            raise ValueError(f"the gradient is asked for at {x!r:.30}")
        asked.append(x)
        factor = len(asked) if changing else 1
        return factor * sum(c * x**n for n, c in enumerate(coefficients))

    return submission.gradient_descent(gradient, **options), asked


def expected(coefficients, start, learning_rate, steps, momentum=0.0, changing=False):
    """The oracle: the function behind torch.optim.SGD (to make an optimizer takes a second)."""
    x, buffers, points = torch.tensor([start], dtype=torch.float64), [None], [start]
    for step in range(1, steps + 1):
        factor = step if changing else 1
        slope = factor * sum(c * x**n for n, c in enumerate(coefficients)) * torch.ones_like(x)
        options = {"weight_decay": 0.0, "momentum": momentum, "lr": learning_rate, "dampening": 0.0}
        sgd([x], [slope], buffers, nesterov=False, maximize=False, foreach=False, **options)
        points.append(x.item())
    return points


def assert_points(submission, coefficients, *calls, changing=False):
    """Points, and where the gradient was asked for, of calls one after the other."""
    submission.run(at_rest)
    results = [watched(submission, coefficients, options, changing) for options in calls]
    for options, (came, asked) in zip(calls, results, strict=True):
        wanted = expected(coefficients, changing=changing, **options)
        assert_floats(came, wanted, "point")
        assert_floats(asked, wanted[:-1], "the gradient is asked for: time")


def assert_floats(came, wanted, what):
    """A list (or tuple) of Python floats, or ints, with these values."""
    is_list = type(came) in (list, tuple) and all(type(each) in (float, int) for each in came)
    if not is_list or len(came) != len(wanted):
        assert_close(came, wanted, what=f"{what}s")
        return
    rows = [{f"{what} {number}": each for number, each in enumerate(row)} for row in (came, wanted)]
    assert_numbers(*rows, tolerance=PRECISE)


def call(start, learning_rate, steps, **momentum):
    return {"start": start, "learning_rate": learning_rate, "steps": steps, **momentum}


def test_gradient_of_the_quadratic(submission):
    """quadratic_gradient is the derivative of x² + x + 1, as a Python float"""
    places = [0.0, -0.5, 1.0, -2.25, 1e-3, 17.3, -4321.5, 98765.25]
    came = [submission.quadratic_gradient(x) for x in places]
    leaves = torch.tensor(places, dtype=torch.float64, requires_grad=True)
    (slopes,) = torch.autograd.grad((leaves**2 + leaves + 1).sum(), leaves)
    for x, one, other in zip(places, came, slopes.tolist(), strict=True):
        assert_floats([one], [other], f"at x = {x:g}, number")


def any_call(rng, **momentum):
    """A call with any options, whose points do not run away."""
    start, steps = rng.option(1.7, 0.01, 30.0), rng.option(7, 1, 12)
    return call(start, rng.option(0.1, 1e-6, 0.3), steps, **momentum)


@pytest.mark.parametrize("kind", SHAPES)
def test_equals_pytorchs(submission, rng, kind):
    """without momentum the points are those of torch.optim.SGD"""
    assert_points(submission, SHAPES[kind], call(1.7, 0.13, 7), call(-0.4, 0.05, 3))
    if is_second_round():
        assert_points(submission, SHAPES["bowl"], *(any_call(rng) for _ in range(3)))


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("momentum", [0.9, 0.3])
def test_momentum_equals_pytorchs(submission, rng, kind, momentum):
    """with momentum the points are those of torch.optim.SGD"""
    assert_points(submission, SHAPES[kind], call(1.7, 0.07, 8, momentum=momentum))
    if is_second_round():
        momenta = [1 - rng.option(0.1, 0.001, 0.999) for _ in range(3)]
        assert_points(submission, SHAPES["bowl"], *(any_call(rng, momentum=each) for each in momenta))


@pytest.mark.parametrize("momentum", [0.0, 0.7])
def test_no_steps_and_one(submission, momentum):
    """no step gives the start alone, one step the start and one more point"""
    calls = [call(1.7, 0.07, steps, momentum=momentum) for steps in (0, 1)]
    assert_points(submission, SHAPES["bowl"], *calls)


@pytest.mark.parametrize("momentum", [0.0, 0.7])
def test_points_that_run_away(submission, momentum):
    """too large a rate leads away, and no step is shortened or left out"""
    assert_points(submission, SHAPES["bowl"], call(10.0, 1.3, 12, momentum=momentum))


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_slope_of_zero(submission, momentum):
    """at a place without slope, and near one, all steps are taken"""
    # The first step of the second call hits 0.
    calls = [call(*how, momentum=momentum) for how in ((0.0, 0.1, 4), (1.0, 1.0, 6), (1e-7, 0.1, 6))]
    assert_points(submission, (0.0, 1.0), *calls)


@pytest.mark.parametrize("momentum", [0.0, 0.7])
def test_points_beyond_all_numbers(submission, momentum):
    """steps are taken on to infinity, and to NaN beyond it"""
    submission.run(at_rest)
    options = call(1.0, 0.5, 2, momentum=0.7)
    first, second = (submission.run(descended, [0.0, 1.0], options) for _ in range(2))
    if repr(first) != repr(second):  # infinity would stay in what it keeps, and decide what comes later
        assert_floats(second, first, "the same call once more: point")
        return
    assert_points(submission, (0.0, 1.0), call(1e307, 1e5, 4, momentum=momentum))


def test_many_steps(submission, rng):
    """some hundred steps, or a thousand, are right, as Python's floats are"""
    submission.run(at_rest)
    # Beside large points that swing around 0, rounding would count where they come near it.
    start, rate, lost = rng.option(1e3, 0.1, 10.0), rng.option(1e-3, 1e-6, 0.3), rng.option(0.5, 0.01, 0.99)
    options = call(start, rate, rng.option(311, 1100, 1500), momentum=1 - lost)
    assert_floats(submission.run(descended, [0.0, 1.0], options), expected((0.0, 1.0), **options), "point")


@pytest.mark.parametrize("momentum", [0.0, 0.6])
def test_gradient_that_changes(submission, momentum):
    """a gradient that is different at each call is asked for once a step, at the present point"""
    assert_points(submission, SHAPES["bowl"], call(1.7, 0.05, 5, momentum=momentum), changing=True)


def test_calls_are_independent(submission):
    """a second call starts afresh, from its own start and without velocity"""
    momenta = [0.9, 0.0, 0.9, 0.5]
    calls = [call(1.7 - n, 0.05, 4, momentum=momentum) for n, momentum in enumerate(momenta)]
    assert_points(submission, SHAPES["bowl"], *calls)


def of_one_function(answer):
    def gradient(x):
        return 2 * x

    return [answer.gradient_descent(gradient, 1.0, 0.25, steps, 0.5) for steps in (2, 2, 3)]


def test_nothing_is_kept_of_a_function(submission):
    """calls with the same function and start do the same"""
    submission.run(at_rest)
    points = expected((0.0, 2.0), 1.0, 0.25, 3, 0.5)
    assert_close(submission.run(of_one_function), [points[:3], points[:3], points])


def of_one_that_descends(answer):
    def gradient(x):
        # Two steps from 0 to x: 0.5 x, x.
        return 2 * answer.gradient_descent(lambda y: 2 * (y - x), 0.0, 0.25, 2, 0.5)[-1]

    return answer.gradient_descent(gradient, 1.0, 0.25, 5, 0.5)


def test_gradient_that_descends(submission):
    """a gradient may itself run gradient_descent: its velocity and its points are others"""
    submission.run(at_rest)
    assert_close(submission.run(of_one_that_descends), expected((0.0, 2.0), 1.0, 0.25, 5, 0.5))


def with_the_first_kept(answer):
    def gradient(x):
        return 2 * x

    first = answer.gradient_descent(gradient, 1.0, 0.25, 2)
    answer.gradient_descent(gradient, 8.0, 0.25, 3)
    return first


def test_a_new_list(submission):
    """the list of an earlier call stays as it is"""
    submission.run(at_rest)
    assert_equal(submission.run(with_the_first_kept), [1.0, 0.5, 0.25])
