"""Checks of `newton_schulz` and `Muon`: against the polynomial on singular values; costs, steps, tensors."""

import pytest
import torch

from grader.kit import (
    assert_at_most,
    assert_close,
    assert_equal,
    assert_fits,
    assert_inputs_unchanged,
    assert_raises,
)
from grader.kit.families.coarse import assert_close_and_fine, assert_close_or_coarse
from grader.kit.families.optimizers import assert_steps, stepped
from grader.kit.measured import anywhere
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device, assert_scenario_keeps_device
from grader.kit.small import whole

pytestmark = pytest.mark.forbid("optimizers", "decompositions")

MUON = (3.4445, -4.7750, 2.0315)
CLOSE = 1e-5
"""eps is added to the norm or a floor of it, and five steps enlarge what it makes of a difference."""
OPTIONS = {"lr": 0.3, "weight_decay": 0.4, "momentum": 0.7}
POLYNOMIALS = [(1, MUON), (3, MUON), (2, (2.0, -1.5, 0.5)), (4, (1.5, -0.5, 0.0))]
POLYNOMIALS += [(3, (1.5, 0.0, -0.5)), (2, (0.0, 2.0, -1.0))]
SHAPES = (3, 5), (12, 3), (4, 4), (3, 5), (5, 3), (3, 5)


def workload(submission, rng):
    return submission.measure(stepped, "Muon", [rng.normal(64, 32)], [[rng.normal(64, 32)]] * 2, {})


LADDER = [(1, 1), (1, 2), (2, 2), (3, 1)]


def smallest(submission, rng, rows, cols):
    """small whole numbers give the polynomial of their singular values"""
    matrix = whole(rng, rows, cols, most=3)
    matrix[0, 0] = 2.0
    came = submission.newton_schulz(matrix, 1, (3.0, -3.0, 1.0))
    assert_close(came, orthogonalized(matrix, 1, (3.0, -3.0, 1.0)), tolerance=CLOSE)


def orthogonalized(matrix, steps=5, coefficients=MUON):
    """The oracle: the polynomial, on the singular values."""
    left, values, right = torch.linalg.svd(matrix.double(), full_matrices=False)
    values = values / values.square().sum().sqrt().clamp(min=1e-30)
    for _ in range(steps):
        values = sum(c * values ** (2 * i + 1) for i, c in enumerate(coefficients))
    return (left @ values.diag() @ right).to(matrix.dtype)


def expected(parameters, gradients, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True, ns_steps=5):
    """The oracle of the steps: by step the parameters."""
    values, after = [parameter.clone() for parameter in parameters], []
    sums = [torch.zeros_like(parameter) for parameter in parameters]
    for each in gradients:
        for number, gradient in enumerate(each):
            if gradient is None:
                continue
            sums[number] = momentum * sums[number] + gradient
            update = gradient + momentum * sums[number] if nesterov else sums[number]
            rate = lr * max(1.0, gradient.shape[0] / gradient.shape[1]) ** 0.5
            step = rate * orthogonalized(update, ns_steps) + lr * weight_decay * values[number]
            values[number] = values[number] - step
        after.append(list(values))
    return after


def directions(parameters, after, lr=1e-3, weight_decay=0.1, **_):
    """What Newton-Schulz gave in all steps, as the parameters tell, and the same times its rate."""
    found, moved = [torch.empty(0)], [torch.empty(0)]
    for before, now in zip([parameters, *after], after, strict=False):
        for old, new in zip(before, now, strict=True):
            if new.shape == old.shape:
                moved.append((old * (1 - lr * weight_decay) - new).flatten())
                found.append(moved[-1] / (lr * max(1.0, old.shape[0] / old.shape[1]) ** 0.5))
    return torch.cat(found), torch.cat(moved)


def assert_followed(submission, parameters, gradients, *, given="list", tolerance=CLOSE, **options):
    wanted = expected(parameters, gradients, **options)
    own = {"tolerance": tolerance, "computed": lambda after: directions(parameters, after, **options)}
    assert_steps(submission, "Muon", parameters, gradients, wanted, given=given, **own, **options)


def not_small(matrix):
    """A matrix, where it has only one element at least 0.5 in size: a small norm would make eps count."""
    return matrix if matrix.numel() > 1 else matrix.abs() + 0.5


def drawn(rng, steps, *shapes, dtype=torch.float64):
    """Parameters of these shapes, and their gradients in so many steps."""
    parameters = [rng.normal(*shape, dtype=dtype) for shape in shapes]
    gradients = [[not_small(rng.normal(*shape, dtype=dtype)) * 9 for shape in shapes] for _ in range(steps)]
    return parameters, gradients


# Newton-Schulz


@pytest.mark.parametrize("shape", [(5, 7), (4, 4), (1, 6), (6, 1), (1, 1), (29, 3)])
def test_polynomial_of_the_singular_values(submission, rng, shape):
    """it applies the polynomial five times to the singular values, for wide, tall and square matrices"""
    matrix = not_small(rng.normal(*shape))
    assert_close_and_fine(submission.newton_schulz(matrix), orthogonalized(matrix), tolerance=CLOSE)


@pytest.mark.parametrize("steps, coefficients", POLYNOMIALS)
def test_other_steps_and_coefficients(submission, rng, steps, coefficients):
    """steps and coefficients are those given"""
    matrix, eps, cases = rng.normal(3, 5), {}, [(steps, coefficients)]
    if is_second_round():
        others = (rng.uniform(3, low=0.7, high=1.3) * torch.tensor(MUON)).tolist()
        cases += [(rng.option(2, 1, 3), tuple(others)), (rng.option(5, 1, 9), MUON)]
        eps = {"eps": rng.option(1e-9, 1e-12, 1e-8)}
    for steps, coefficients in cases:
        came = submission.newton_schulz(matrix, steps=steps, coefficients=coefficients, **eps)
        assert_close_and_fine(came, orthogonalized(matrix, steps, coefficients), tolerance=CLOSE)


@pytest.mark.parametrize("norm, eps", [(0.1, {"eps": 1e-9}), (1.0, {}), (1e4, {})])
def test_scale_does_not_count(submission, rng, norm, eps):
    """the matrix is divided by its Frobenius norm, whatever that is"""
    # Beside a norm of 0.1 the default eps counts: five steps can make more than CLOSE of it.
    matrix = rng.normal(5, 3)
    matrix *= norm / matrix.norm()
    assert_close_and_fine(submission.newton_schulz(matrix, **eps), orthogonalized(matrix), tolerance=CLOSE)


def test_zeros(submission):
    """zeros give zeros"""
    zeros = torch.zeros(3, 5, dtype=torch.float64)
    assert_close(submission.newton_schulz(zeros), zeros)
    assert_close(submission.newton_schulz(zeros.T, eps=1e-12), zeros.T, what="with eps=1e-12")


def test_matrix_of_rank_one(submission, rng):
    """singular values of 0 stay 0"""
    matrix = rng.normal(5, 1) @ rng.normal(1, 7)
    assert_close_and_fine(submission.newton_schulz(matrix), orthogonalized(matrix), tolerance=CLOSE)


def test_float32_and_layouts(submission, rng):
    """float32 is kept, and computed in; a matrix that is not contiguous is right; it is not modified"""
    more = (rng.option(3, 1, 6), (2.0, -1.5, 0.5)) if is_second_round() else ()
    for matrix in (rng.normal(7, 5, dtype=torch.float32), rng.normal(7, 10, dtype=torch.float32)[:, ::2].T):
        assert_close_and_fine(submission.newton_schulz(matrix, *more), orthogonalized(matrix, *more))
        assert_inputs_unchanged(submission.newton_schulz, matrix, *more)


@pytest.mark.parametrize("rows, cols", [(8, 24), (24, 8)])
def test_flops(submission, rng, rows, cols):
    """matrix products have the smaller of both sizes: steps * (4 m² n + 2 m³) + 4 m n FLOPs at most"""
    matrix, (m, n) = rng.normal(rows, cols), sorted((rows, cols))
    with anywhere():
        measured = submission.newton_schulz.measure(matrix)
    cause = (
        "A Gram matrix of the larger size gives the same values at a higher price. Transpose a tall matrix "
        "first, and the result back; and multiply (b A + c A²) with X only once"
    )
    limit = 5 * (4 * m * m * n + 2 * m**3) + 4 * m * n
    assert_at_most(measured.matmul_flops, limit, f"FLOPs for {rows} x {cols}", cause=cause)
    assert_close_and_fine(measured.value, orthogonalized(matrix), tolerance=CLOSE)
    long = rng.normal(1, 16384, dtype=torch.float32).reshape((1, -1) if rows < cols else (-1, 1))
    assert_fits(submission, of_a_long_matrix, long, expected=lambda: orthogonalized(long), memory=2**25)


def of_a_long_matrix(answer, matrix):
    return answer.newton_schulz(matrix)


# Steps


@pytest.mark.parametrize("nesterov", [True, False])
def test_steps(submission, rng, nesterov):
    """after each of three steps wide, tall and square matrices are right, with nesterov and without"""
    options = {"lr": rng.option(0.3, 0.01, 1.0), "weight_decay": rng.option(0.4, 0.01, 1.0)}
    options["momentum"] = 1 - rng.option(0.3, 0.001, 0.999)
    assert_followed(submission, *drawn(rng, 3, *SHAPES), nesterov=nesterov, **options)


@pytest.mark.parametrize("momentum", [0.0, 0.95])
def test_other_momentum(submission, rng, momentum):
    """momentum is that given, also none, and goes on for many steps"""
    steps = int(rng.integers(41, 61, 1)) if is_second_round() else 2
    assert_followed(submission, *drawn(rng, steps, (2, 3)), **{**OPTIONS, "momentum": momentum})


def test_defaults(submission, rng):
    """lr, weight_decay, momentum, nesterov and ns_steps have the defaults of torch.optim.Muon"""
    # The steps are small beside the parameters: they have to be right, not only their sum.
    assert_followed(submission, *drawn(rng, 2, (3, 5), (5, 3)), tolerance=1e-9)


@pytest.mark.parametrize("ns_steps", [1, 3])
def test_other_steps_of_newton_schulz(submission, rng, ns_steps):
    """ns_steps is the number of steps of Newton-Schulz"""
    assert_followed(submission, *drawn(rng, 1, (3, 5)), ns_steps=rng.option(ns_steps, 1, 8), **OPTIONS)


def test_without_weight_decay(submission, rng):
    """with weight_decay=0 nothing decays"""
    assert_followed(submission, *drawn(rng, 2, (3, 5), (7, 2)), **{**OPTIONS, "weight_decay": 0.0})


def test_float32_is_kept(submission, rng):
    """float32 parameters stay float32"""
    options = {**OPTIONS, "momentum": 1 - rng.option(0.3, 0.001, 0.999), "lr": rng.option(0.3, 0.01, 1.0)}
    assert_followed(submission, *drawn(rng, 2, *SHAPES, dtype=torch.float32), tolerance=1e-4, **options)


def test_gradients_of_zeros(submission, rng):
    """a gradient of zeros is a gradient: the weights decay and the momentum goes on, or is zero"""
    (parameter,), gradients = drawn(rng, 3, (3, 5))
    gradients[0][0] = gradients[2][0] = torch.zeros(3, 5, dtype=torch.float64)
    assert_followed(submission, [parameter], gradients, **OPTIONS)


def test_parameters_without_a_gradient(submission, rng):
    """a parameter whose gradient is None is left alone, and its buffer stays"""
    parameters, gradients = drawn(rng, 3, (3, 5), (5, 3), (3, 5), (3, 5))
    gradients[0][0] = gradients[1][1] = gradients[2][2] = None
    assert_followed(submission, parameters, gradients, **OPTIONS)


def test_iterator_and_layouts(submission, rng):
    """the parameters may come from an iterator, over which one can go only once, and be non-contiguous"""
    _, gradients = drawn(rng, 2, (3, 5), (1, 1))
    parameters, gradients[1][0] = [rng.normal(5, 3).T, rng.normal(1, 1)], rng.normal(5, 3).T
    assert_followed(submission, parameters, gradients, given="iterator", **OPTIONS)


@pytest.mark.parametrize("shape", [(5,), (2, 3, 5), ()])
def test_other_dimensions(submission, rng, shape):
    """a parameter that is no matrix raises when constructed, wherever it stands"""
    assert_raises(submission.Muon, [rng.normal(3, 5), rng.normal(*shape)])


def with_own_gradients(answer, parameter, gradient, options):
    """A parameter after two steps, whether it is still to be trained, and what is left of the gradients."""
    leaf, last = (parameter.clone().requires_grad_() for _ in range(2))
    optimizer = answer.Muon([leaf, last], **options)
    own = [gradient.clone(), gradient.clone()]
    for each in own:
        leaf.grad, last.grad = each, gradient.clone()
        optimizer.step()
    # Not which of them: an update that is written into the gradient may come to what that was.
    kept = leaf.grad is not None and all(torch.equal(each, gradient) for each in own)
    optimizer.zero_grad()
    return leaf.detach(), [kept, leaf.is_leaf, leaf.requires_grad, leaf.grad is None, last.grad is None]


def test_gradients_and_leaves(submission, rng):
    """step leaves gradients as they are and parameters leaves; zero_grad sets gradients to None"""
    names = ("the gradients are what they were", "is_leaf", "requires_grad")
    names += ("zero_grad sets None", "zero_grad sets all None")
    for options in [OPTIONS, {**OPTIONS, "momentum": 0.0}] if is_second_round() else [OPTIONS]:
        _, came = submission.run(with_own_gradients, rng.normal(3, 5), rng.normal(3, 5), options)
        assert_equal(dict(zip(names, came, strict=True)), dict.fromkeys(names, True))


def by_turns(answer, parameters, gradients, options):
    """Two optimizers of one parameter each, by turns, and for the last gradients a third of both."""
    leaves, after = [parameter.requires_grad_() for parameter in parameters], []
    optimizers = [answer.Muon([leaf], **each) for leaf, each in zip(leaves, options, strict=True)]
    for number, each in enumerate(gradients, 1):
        for leaf, gradient in zip(leaves, each, strict=True):
            leaf.grad = gradient
        for optimizer in optimizers if number < len(gradients) else [answer.Muon(leaves, **options[0])]:
            optimizer.step()
        after.append([leaf.detach().clone() for leaf in leaves])
    return after


def test_optimizers_by_turns(submission, rng):
    """two optimizers with other options know nothing of each other, and a later one begins anew"""
    parameters, gradients = drawn(rng, 3, (3, 5), (5, 3))
    other = {"lr": 0.1, "weight_decay": 0.0, "momentum": 0.3, "nesterov": False, "ns_steps": 2}
    tracks = [
        expected([one], [[each[place]] for each in gradients[:2]], **options)
        for place, (one, options) in enumerate(zip(parameters, (OPTIONS, other), strict=True))
    ]
    wanted = [[one, another] for (one,), (another,) in zip(*tracks, strict=True)]
    wanted += expected(wanted[-1], gradients[2:], **OPTIONS)
    came = submission.run(by_turns, parameters, gradients, [OPTIONS, other])
    computed = directions(parameters[:1], [after[:1] for after in came], **OPTIONS)
    assert_close_or_coarse(came, wanted, *computed, tolerance=CLOSE)


def test_device(submission, rng):
    """nothing is made on the default device where matrix and parameters are on another one"""
    more = [3, (2.0, -1.5, 0.5), 1e-9] if is_second_round() else []
    assert_keeps_device(submission, "newton_schulz", rng.normal(3, 5), *more)
    given = [rng.normal(5, 3)], [[rng.normal(5, 3)]], OPTIONS if is_second_round() else {}
    assert_scenario_keeps_device(submission, stepped, "Muon", *given)
