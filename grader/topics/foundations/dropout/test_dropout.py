"""Checks of `dropout`: what is kept and dropped, how often, how independently; evaluation; p of 0 and 1."""

import math
from dataclasses import replace

import pytest
import torch

from grader.kit import (
    assert_accepts,
    assert_at_most,
    assert_close,
    assert_equal,
    assert_inputs_unchanged,
    assert_numbers,
    assert_parameters,
    assert_raises,
    assert_true,
)
from grader.kit.comparison import difference
from grader.kit.counts import SIGMAS
from grader.kit.outcomes import Misused
from grader.kit.recording import record
from grader.kit.rounds import is_second_round
from grader.kit.rules.draws import assert_drops_alike, assert_never_again, assert_uncorrelated
from grader.kit.rules.gradients import OVERWRITTEN
from grader.kit.rules.turns import Player, assert_by_turns

pytestmark = pytest.mark.forbid("dropout")

# For diagnosis: who draws for the first or the last dimension alone drops some here, and keeps some.
SHAPE = (101, 3, 103)
PAIRS = 5843
# For diagnosis, too: who does draws a single number in one of these only. The better one counts.
LAYOUTS = ((2 * PAIRS, 1), (1, 2 * PAIRS))
TOLERANCE = {torch.float64: 1e-6, torch.float32: 1e-4}


def workload(submission, rng):
    measured = submission.Dropout(0.1).train().measure(rng.normal(64, 64, 64, dtype=torch.float32))
    return replace(measured, value=None)  # what is drawn is each answer's own


def dropout(submission, p):
    return assert_accepts(submission.Dropout, p).train()


def assert_times(came, x, factors, of="x"):
    """`came` is `x`, each element times one of the factors (smallest, largest), both of which occur."""
    # What is noted is the same whatever is drawn, so that diagnosis can compare two answers by it.
    odd = came.masked_fill(came.isfinite(), 0.0) if isinstance(came, torch.Tensor) else came
    assert_equal(odd, torch.zeros_like(x))
    tolerance, kept = TOLERANCE[x.dtype], (came / x)[came != 0]
    if kept.numel() and float(kept.max() - kept.min()) > tolerance * float(kept.abs().max()):
        # Which they are is left to chance where a draw decides them.
        message = f"kept elements of {of} have several factors, from {kept.min():.4g} to {kept.max():.4g}"
        seen = {"several factors": True, "some dropped": bool((came == 0).any())}
        assert_true(False, f"{message}, expected {factors[1]:.4g}", seen=seen)
        return
    names = (f"smallest factor of {of}", f"largest factor of {of}")
    extremes = dict(zip(names, (came / x).aminmax(), strict=True))
    assert_numbers(extremes, dict(zip(extremes, factors, strict=True)), tolerance=tolerance)
    between = (came / x - torch.where(came == 0, *factors)).abs() > tolerance * factors[1]
    message = f"{between.sum()} of {x.numel()} factors of {of} lie in between"
    assert_true(not between.any(), message, seen=bool(between.any()))


def shaped(came, x):
    """What came for x, if it has the shape of x: their product could fill the memory otherwise."""
    if came.shape != x.shape:
        record(list(came.shape), list(x.shape))
        raise Misused(f"got shape {tuple(came.shape)}, expected {tuple(x.shape)}")
    return came


def signs(came, x):
    """-1 where an element was dropped, else 1: for p = 0.5 the mean is 0 and the variance 1."""
    return 1 - 2 * (shaped(came, x) == 0).double()


def test_no_parameters(submission):
    """it has no parameters"""
    assert_parameters(submission.Dropout(0.5), {})


@pytest.mark.parametrize("p", [0.2, 0.75])
def test_elements_are_dropped_or_scaled(submission, rng, p):
    """in training each element becomes 0 or is divided by 1 - p"""
    x = rng.normal(*SHAPE)
    for each in (p, 0.1, q := rng.option(p, 0.02, 0.5), 1 - q)[: 4 if is_second_round() else 1]:
        assert_times(dropout(submission, each)(x), x, (0.0, 1 / (1 - each)))


@pytest.mark.parametrize("p", [0.25, 0.8])
def test_share_of_dropped_elements(submission, rng, p):
    """an element is dropped with probability p"""
    p = int(rng.integers(1, 20, 1)) / 20 if is_second_round() else p
    module = dropout(submission, p)
    shares = [(module(rng.normal(*shape)) == 0).double().mean() for shape in LAYOUTS]
    share = min(shares, key=lambda share: abs(share - p))
    # First rounded to a twentieth, for diagnosis: what is left is the same whatever is drawn.
    rounded = round(20 * float(share)) / 20
    noted, expected = {"share dropped": rounded, "share kept": 1 - rounded}, (p, 1 - p)
    assert_numbers(noted, dict(zip(noted, expected, strict=True)))
    deviation = abs(float(share) - p) * math.sqrt(2 * PAIRS / (p * (1 - p)))
    assert_at_most(deviation, SIGMAS, "share of dropped elements minus p, in standard deviations of chance")


@pytest.mark.parametrize("p, expected", [(0.004, 480), (0.0003, 180)])
def test_small_p(submission, p, expected):
    """a small p drops some elements, about so many"""
    p, expected = (0.00011, 130) if is_second_round() else (p, expected)  # some draw in ten-thousandths
    x = torch.ones(1, round(expected / p))
    count, allowed = int((dropout(submission, p)(x) == 0).sum()), 6.7 * math.sqrt(expected)  # Poisson's tail
    seen = "as many" if abs(count - expected) < allowed else "fewer" if count < expected else "more"
    message = f"{count} of {x.numel()} elements are dropped, expected are {expected}"
    assert_true(seen == "as many", message, seen=seen)


def test_p_is_one_half_by_default(submission, rng):
    """p is 0.5 if not given"""
    assert_times(submission.Dropout().train()(x := rng.normal(*SHAPE)), x, (0.0, 2.0))


def test_elements_are_independent(submission, rng):
    """two elements that differ in one index only, whichever, are drawn independently"""
    module, correlations = dropout(submission, 0.5), {}
    shapes = [(2 * PAIRS, 1, 1), (1, 2 * PAIRS, 1), (1, 1, 2 * PAIRS)]
    for shape in [*shapes, (2, 1, 1, PAIRS), (1, 2, PAIRS, 1), (1, 1, 1, 2, PAIRS)]:
        drawn = signs(module(x := rng.normal(*shape)), x).flatten()
        neighbours, halves = drawn.view(PAIRS, 2).prod(1), drawn.view(2, PAIRS).prod(0)
        correlations[f"of neighbours in a tensor of shape {shape}"] = neighbours.mean()
        correlations[f"of the two halves of a tensor of shape {shape}"] = halves.mean()
    assert_uncorrelated(correlations, PAIRS)


def test_values_do_not_matter(submission, rng):
    """large and small, positive and negative elements are dropped alike"""
    kept = signs(dropout(submission, 0.5)(x := rng.normal(1, PAIRS)), x)
    sizes = (x.abs() - x.abs().mean()) / x.abs().std()
    assert_uncorrelated({"with x": (kept * x).mean(), "with |x|": (kept * sizes).mean()}, PAIRS)
    assert_drops_alike(dropout(submission, float(rng.uniform(1, low=0.4, high=0.6))), rng, 17)


def at_once(answer, x):
    """What two calls, and another module, give in one program. A call of the judge's is seeded by itself."""
    module, another = answer.Dropout(0.5).train(), answer.Dropout(0.5).train()
    return [module(x), module(x), another(x)]


def test_calls_are_independent(submission, rng):
    """every call draws anew, and so does every module"""
    calls, modules, again, beside, drawn = [], [], [], [], []
    for x in (rng.normal(*shape) for shape in LAYOUTS):
        module, another = dropout(submission, 0.5), dropout(submission, 0.5)
        first, second, third = (signs(one(x), x) for one in (module, module, another))
        calls.append((first * second).mean().abs())
        modules.append((first * third).mean().abs())
        first, second, third = (signs(came, x) for came in submission.run(at_once, x))
        again.append((first * second).mean().abs())
        beside.append((first * third).mean().abs())
        drawn.append(torch.stack([first, second, third]))
    correlations = {"with a second call": min(calls), "with a second module": min(modules)}
    correlations |= {"with a call right before": min(again), "with a module right beside": min(beside)}
    assert_uncorrelated(correlations, 2 * PAIRS)
    assert_never_again(drawn, every=True)


def test_number_of_dropped_elements_varies(submission, rng):
    """the number of dropped elements is left to chance, and each call has numbers of its own"""
    module, x = dropout(submission, 0.5), rng.normal(1, 157)
    # So many that they hardly are equal by chance even where a single number is drawn for all elements.
    drawn = torch.cat([signs(module(x), x) for _ in range(15)])
    numbers = (drawn < 0).sum(dim=1)
    varies = bool((numbers != numbers[0]).any())
    assert_true(varies, f"{len(numbers)} calls each drop {numbers[0]}", seen=varies)
    assert_never_again([drawn, drawn.T])


def test_gradient(submission, rng):
    """the gradient is dropped and scaled where the value is"""
    x, upstream = rng.normal(*SHAPE), rng.normal(*SHAPE)
    came = dropout(submission, p := rng.option(0.2, 0.02, 0.95)).gradients([upstream], x)
    assert_times(came.inputs[0], upstream, (0.0, 1 / (1 - p)), of="the upstream gradient")
    factors = shaped(came.value, x) / x
    assert_close(came.inputs[0] / upstream, factors, what="factors of the gradient and of the value")


def before_backward(answer, x, upstream):
    """Of two calls of one module, and one of another: values, gradients, and those of what is added to it."""
    one, other = answer.Dropout(0.2).train(), answer.Dropout(0.2).train()
    leaves, beside = ([each.clone().requires_grad_() for _ in range(3)] for each in (x, 0 * x))
    added = [2 * each for each in beside]  # before the calls, so that its turn comes after their backward
    values = [module(leaf) for module, leaf in zip((one, one, other), leaves, strict=True)]
    sum(((value + more) * upstream).sum() for value, more in zip(values, added, strict=True)).backward()
    return [value.detach() for value in values], *([leaf.grad for leaf in each] for each in (leaves, beside))


def test_gradients_of_several_calls(submission, rng):
    """the gradient is dropped as the value of the same call was, also where other calls came in between"""
    x, upstream = rng.normal(11, 7), rng.normal(11, 7)
    calls = ("the first call", "a second call", "a second module's")
    values, gradients, beside = submission.run(before_backward, x, upstream)
    pairs = zip(calls, values, gradients, strict=True)
    came = {call: difference(gradient, shaped(value, x) / x * upstream) for call, value, gradient in pairs}
    first = next((f"{call}: {text}" for call, text in came.items() if text is not None), "")
    seen = {call: text is None for call, text in came.items()}
    assert_true(first == "", f"of several calls before backward, gradient of {first}", seen=seen)
    assert_true(difference(beside, [2 * upstream] * 3) is None, OVERWRITTEN)


def test_evaluation_is_the_identity(submission, rng):
    """in evaluation it gives x, and its gradient is the upstream gradient"""
    x, upstream = rng.normal(*SHAPE), rng.normal(*SHAPE)
    came = submission.Dropout(rng.option(0.4, 0.01, 1.0)).eval().gradients([upstream], x)
    assert_times(came.value, x, (1.0, 1.0))
    assert_times(came.inputs[0], upstream, (1.0, 1.0), of="the upstream gradient")


def test_training_again_after_evaluation(submission, rng):
    """back in training it drops again"""
    module, x = dropout(submission, 0.2), rng.normal(*SHAPE)
    module.eval()(x)
    assert_times(module.train()(x), x, (0.0, 1.25))


def test_p_zero_is_the_identity(submission, rng):
    """p = 0 gives x in training, and its gradient is the upstream gradient"""
    x, upstream = rng.normal(*SHAPE), rng.normal(*SHAPE)
    came = dropout(submission, 0 if is_second_round() else 0.0).gradients([upstream], x)
    assert_times(came.value, x, (1.0, 1.0))
    assert_times(came.inputs[0], upstream, (1.0, 1.0), of="the upstream gradient")


def test_p_one_gives_zeros(submission, rng):
    """p = 1 gives zeros in training, not NaN, and a gradient of zeros; in evaluation x"""
    x, module = rng.normal(2, 3, 7), dropout(submission, 1 if is_second_round() else 1.0)
    came = module.gradients([rng.normal(2, 3, 7)], x)
    assert_close(came.value, torch.zeros_like(x))
    assert_close(came.inputs[0], torch.zeros_like(x), what="gradient")
    assert_close(module.eval()(x), x, what="in evaluation")


@pytest.mark.parametrize("p", [-0.1, 1.1])
def test_p_outside_raises(submission, p):
    """a p below 0 or above 1 raises ValueError in the constructor"""
    assert_raises(submission.Dropout, p)


def test_any_shape(submission, rng):
    """one module takes any shape, of one to four dimensions and transposed"""
    # For diagnosis: p is so small and the dimensions are so long that an answer which draws for one dimension
    # alone nearly always drops something, and one with a single draw nothing.
    module = dropout(submission, 0.02)
    for x in (rng.normal(503, 509), rng.normal(5003), rng.normal(503, 1, 1, 509), rng.normal(509, 503).T):
        assert_times(module(x), x, (0.0, 1 / 0.98))


def test_small_tensors(submission, rng):
    """tensors without dimensions or elements keep their shape, and all elements of one may be dropped"""
    module = dropout(submission, 1 - 1e-6)
    for x in (rng.normal(), rng.normal(3), *[torch.zeros(3, 0)] * is_second_round()):
        came = [shaped(module(x), x) for _ in range(2)]
        assert_close([each * 0 for each in came], [torch.zeros_like(x)] * 2)
        kept = all(bool(each.any()) for each in came)  # by chance less than once in a billion
        assert_true(not kept, "with p = 0.999999 something is kept in both of two calls", seen=kept)


def test_float32_is_kept(submission, rng):
    """float32 is kept"""
    x, module = rng.normal(*SHAPE, dtype=torch.float32), dropout(submission, p := rng.option(0.2, 0.02, 0.95))
    assert_times(module(x), x, (0.0, 1 / (1 - p)))
    assert_times(module.eval()(x), x, (1.0, 1.0), of="x in evaluation")


def test_zeros_stay_zeros(submission, rng):
    """elements that are 0 already stay 0, and are drawn like the others: their gradient shows it"""
    x = rng.normal(*SHAPE)
    zeros = rng.uniform(*SHAPE) < 0.3
    module, expected = dropout(submission, 0.2), torch.zeros(int(zeros.sum())).double()
    came = [module(x.masked_fill(zeros, 0.0)), module.eval()(x.masked_fill(zeros, 0.0))]
    assert_close([each[zeros] for each in came], [expected] * 2)
    assert_times(came[0][~zeros], x[~zeros], (0.0, 1.25))
    gradient = module.train().gradients([x], torch.zeros_like(x)).inputs[0]  # x upstream
    assert_times(shaped(gradient, x), x, (0.0, 1.25), of="the upstream gradient where x is 0")


def test_instances_keep_apart(submission, rng):
    """modules with another p, used by turns in training and evaluation, keep apart"""
    first, second, third = (dropout(submission, p) for p in (0.2, 0.75, 0.0))
    xs = [rng.normal(*SHAPE) for _ in range(4)]
    for x in xs[:2]:
        assert_times(first(x), x, (0.0, 1.25), of="x, p = 0.2 beside 0.75")
        assert_times(second(x), x, (0.0, 4.0), of="x, p = 0.75 beside 0.2")
    assert_by_turns(*(Player(each, lambda x: x, [(x[0],) for x in xs]) for each in (third, first.eval())))


def test_input_is_not_modified(submission, rng):
    """x is not modified"""
    assert_inputs_unchanged(dropout(submission, 0.5), rng.normal(5, 7, dtype=torch.float32))
