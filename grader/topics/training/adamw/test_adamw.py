"""Checks of `AdamW`: steps against PyTorch's AdamW, skipped parameters, whose tensors change."""

import pytest
import torch

from grader.kit import assert_close, assert_equal
from grader.kit.families.optimizers import adam_steps, assert_steps, stepped
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_scenario_keeps_device

pytestmark = pytest.mark.forbid("optimizers")

OPTIONS = {"lr": 0.3, "betas": (0.7, 0.9), "eps": 0.05, "weight_decay": 0.4}
DEFAULTS = {"weight_decay": 1e-2}


def any_options(rng):
    """OPTIONS, and in the second round others."""
    if not is_second_round():
        return OPTIONS
    return {
        "lr": rng.option(0.3, 1e-3, 1.0),
        "betas": (1 - rng.option(0.1, 1e-3, 1.0), 1 - rng.option(0.1, 1e-3, 1.0)),
        "eps": rng.option(0.05, 1e-8, 0.5),
        "weight_decay": rng.option(0.4, 1e-3, 0.5),
    }


def workload(submission, rng):
    return submission.measure(stepped, "AdamW", [rng.normal(64, 64)], [[rng.normal(64, 64)]] * 2, {})


LADDER = [(1,), (2,)]


def smallest(submission, rng, steps):
    """small whole numbers give what torch.optim.AdamW gives"""
    parameter, gradient = rng.integers(1, 4, 2).double(), rng.integers(1, 3, 2).double()
    options = {"lr": 0.5, "betas": (0.5, 0.5), "eps": 0.5, "weight_decay": 0.5}
    came = submission.run(with_one_gradient, parameter, gradient, steps, options)
    assert_close(came, expected([parameter], [[gradient]] * steps, **options)[-1][0])


def with_one_gradient(answer, parameter, gradient, steps, options):
    """A parameter after so many steps, each with the same gradient."""
    leaf = parameter.clone().requires_grad_()
    optimizer = answer.AdamW([leaf], **options)
    for _ in range(steps):
        leaf.grad = gradient.clone()
        optimizer.step()
    return leaf.detach()


def expected(parameters, gradients, **options):
    """The oracle: by step the parameters."""
    columns = list(zip(*gradients, strict=True))
    options = {**DEFAULTS, **options, "decoupled": True}
    tracks = [adam_steps(one, each, **options) for one, each in zip(parameters, columns, strict=True)]
    return [[followed.values for followed in after] for after in zip(*tracks, strict=True)]


def assert_followed(submission, parameters, gradients, *, given="list", tolerance=None, **options):
    wanted = expected(parameters, gradients, **options)
    kind, own = "AdamW", {"given": given, "tolerance": tolerance, **options}
    assert_steps(submission, kind, parameters, gradients, wanted, **own)


def drawn(rng, steps, *shapes, dtype=torch.float64):
    """Parameters of these shapes, and their gradients in so many steps."""
    parameters = [rng.normal(*shape, dtype=dtype) for shape in shapes]
    return parameters, [[rng.normal(*shape, dtype=dtype) for shape in shapes] for _ in range(steps)]


def test_equals_adamw(submission, rng):
    """after each of three steps all parameters are those of torch.optim.AdamW"""
    assert_followed(submission, *drawn(rng, 3, (3, 5), (7,), (7,)), **OPTIONS)
    if is_second_round():
        for dtype in (torch.float64, torch.float32):
            assert_followed(submission, *drawn(rng, 3, (3, 5), (7,), dtype=dtype), **any_options(rng))
        for options in ({"lr": 0.0}, {"betas": (0.0, 0.9)}, {"betas": (0.9, 0.0)}):
            assert_followed(submission, *drawn(rng, 3, (3, 5)), **options)


def test_many_steps(submission, rng):
    """after each of dozens of steps with the default betas too"""
    steps = int(rng.integers(20, 50, 1))
    assert_followed(submission, *drawn(rng, steps, (5,)), lr=rng.option(0.1, 1e-3, 1.0))


def test_defaults(submission, rng):
    """lr, betas, eps and weight_decay have the defaults of torch.optim.AdamW, and float32 stays"""
    parameters, gradients = drawn(rng, 2, (11,), dtype=torch.float32)
    for (gradient,) in gradients:
        gradient[::2] *= 1e-8  # only beside such gradients does the default eps count
    # The steps are small beside the parameters: they have to be right, not only their sum.
    assert_followed(submission, [parameters[0] * 10], gradients, tolerance=1e-6)


def test_default_weight_decay(submission, rng):
    """by default weights are decayed by 1e-2 times the learning rate"""
    assert_followed(submission, *drawn(rng, 2, (7,), (2, 3)), lr=rng.option(0.5, 0.01, 1.0))


def test_without_weight_decay(submission, rng):
    """with weight_decay=0 the steps are those of Adam"""
    assert_followed(submission, *drawn(rng, 2, (7,)), **{**any_options(rng), "weight_decay": 0.0})


def test_gradients_of_zeros(submission, rng):
    """a gradient of zeros is a gradient: the weights decay and the averages go on"""
    (parameter,), gradients = drawn(rng, 3, (7,))
    gradients[0][0] = gradients[2][0] = torch.zeros(7, dtype=torch.float64)
    assert_followed(submission, [parameter], gradients, **any_options(rng))


# Of one shape first: who takes a neighbour's averages comes to values, and with other shapes to an exception.
@pytest.mark.parametrize("shapes", [((5,), (5,), (5,)), ((5,), (3, 2), (7,))], ids=["alike", "different"])
def test_parameters_without_a_gradient(submission, rng, shapes):
    """a parameter whose gradient is None is left alone, and neither its count nor its averages go on"""
    parameters, gradients = drawn(rng, 4, *shapes)
    gradients[0][0] = gradients[1][0] = gradients[1][1] = gradients[2][1] = None
    gradients[1][2] = None  # in the second step nobody has one
    assert_followed(submission, parameters, gradients, **any_options(rng))


def test_parameters_from_an_iterator(submission, rng):
    """the parameters may come from an iterator, over which one can go only once"""
    assert_followed(submission, *drawn(rng, 2, (3,), (5,)), given="iterator", **any_options(rng))


def test_other_shapes_and_layouts(submission, rng):
    """parameters without dimensions, with many, of one element and non-contiguous ones are right"""
    shapes = (5, 3), (139, 2), (2, 3, 5), (3, 2, 1, 2), (1, 2, 1, 3, 2), *[(2,)] * int(rng.integers(9, 60, 1))
    parameters, gradients = drawn(rng, 1, (), (1, 1), (3, 5), *shapes)
    parameters[2], gradients[0][3] = rng.normal(5, 3).T, rng.normal(3, 5).T
    assert_followed(submission, parameters, gradients, **any_options(rng))


def after_zero_grad(answer, parameters):
    leaves = [parameter.requires_grad_() for parameter in parameters]
    optimizer = answer.AdamW(iter(leaves))
    leaves[0].grad = torch.ones_like(leaves[0])
    optimizer.step()
    leaves[1].grad = torch.ones_like(leaves[1])
    optimizer.zero_grad()
    return ["None" if leaf.grad is None else "a tensor" for leaf in leaves]


def test_zero_grad(submission, rng):
    """zero_grad sets the gradients to None, not to zeros"""
    came = submission.run(after_zero_grad, [rng.normal(3), rng.normal(2, 2)])
    assert_equal(came, ["None", "None"], what="gradients")


def with_views(answer, parameter, gradient, options):
    """Whether the parameter is still to be trained after two steps, and each left its gradient as it was."""
    leaf = parameter.requires_grad_()
    optimizer = answer.AdamW([leaf], **options)
    leaf.grad = gradient
    before = torch.clone(gradient)
    optimizer.step()
    kept = [torch.equal(leaf.grad, before)]
    (leaf * leaf).sum().backward()  # adds to the gradient
    before = torch.clone(leaf.grad)
    optimizer.step()
    kept.append(torch.equal(leaf.grad, before))
    return {"is_leaf": leaf.is_leaf, "requires_grad": leaf.requires_grad}, kept


def test_parameters_stay_leaves(submission, rng):
    """the parameters stay leaves that require gradients, and backward between the steps works"""
    came = submission.run(with_views, rng.normal(5), rng.normal(5), OPTIONS)
    assert_equal(came[0], {"is_leaf": True, "requires_grad": True})


def test_gradients_are_not_modified(submission, rng):
    """step leaves the gradients as they are"""
    # Whether, and not to what: it is squared, scaled, or lent to the denominator.
    _, kept = submission.run(with_views, rng.normal(5), rng.normal(5), OPTIONS)
    assert_equal(kept, [True, True], what="each step left the gradient as it was")


def by_turns(answer, parameters, gradients, options):
    """Two optimizers of one parameter each; both parameters after every step."""
    leaves = [parameter.requires_grad_() for parameter in parameters]
    optimizers = [answer.AdamW([leaf], **each) for leaf, each in zip(leaves, options, strict=True)]
    after = []
    for each in gradients:
        for leaf, gradient, optimizer in zip(leaves, each, optimizers, strict=True):
            leaf.grad = gradient.clone()
            optimizer.step()
        after.append([leaf.detach().clone() for leaf in leaves])
    return after


def test_optimizers_by_turns(submission, rng):
    """two optimizers with other options, used by turns, know nothing of each other"""
    parameters, gradients = drawn(rng, 2, (5,), (5,))
    options = [any_options(rng), {"lr": 0.1, "betas": (0.5, 0.8), "eps": 0.2, "weight_decay": 0.0}]
    tracks = [
        expected([one], [[each[place]] for each in gradients], **options[place])
        for place, one in enumerate(parameters)
    ]
    wanted = [[one, other] for (one,), (other,) in zip(*tracks, strict=True)]
    assert_close(submission.run(by_turns, parameters, gradients, options), wanted)


def one_after_the_other(answer, parameter, gradients, options):
    """The parameter after each step, where every step is that of an optimizer of its own."""
    leaf = parameter.requires_grad_()
    after = []
    for gradient in gradients:
        optimizer = answer.AdamW([leaf], **options)
        leaf.grad = gradient
        optimizer.step()
        after.append(leaf.detach().clone())
    return after


def test_an_optimizer_made_later_begins_anew(submission, rng):
    """a second optimizer over the same tensors knows nothing of the averages and the count of the first"""
    (parameter,), gradients = drawn(rng, 3, (5,))
    options = any_options(rng)
    wanted = [parameter]
    for each in gradients:
        wanted.append(expected([wanted[-1]], [each], **options)[0][0])
    came = submission.run(one_after_the_other, parameter, [each for (each,) in gradients], options)
    assert_close(came, wanted[1:])


def test_device_of_the_parameters(submission, rng):
    """nothing is made on the default device where the parameters are on another one"""
    assert_scenario_keeps_device(submission, with_one_gradient, rng.normal(5), rng.normal(5), 2, {})
