"""Checks of `mlp_numpy`: initial weights, forward, backward, what is kept between calls."""

import math

import numpy as np
import pytest
import torch

from grader.kit import assert_close, assert_equal, assert_true
from grader.kit.rules.draws import assert_drawn, uniform

sizes = pytest.mark.parametrize(
    "batch, sizes", [(11, (5, 7, 3)), (1, (3, 13, 2)), (2, (1, 7, 1)), (139, (3, 5, 2))]
)
NAMES = ("W1", "b1", "W2", "b2")


def shapes(n, hidden, m):
    return dict(zip(NAMES, ((n, hidden), (hidden,), (hidden, m), (m,)), strict=True))


def network(submission, rng, sizes):
    """An MLP of these sizes with random weights, and the weights."""
    weights = {name: rng.normal(*shape).numpy() for name, shape in shapes(*sizes).items()}
    mlp = submission.MLP(*sizes, rng.as_numpy_generator())
    mlp.assign(**weights)
    return mlp, weights


def batch_of(rng, batch, sizes):
    """x and grad_output, both transposed in memory."""
    return rng.normal(sizes[0], batch).numpy().T, rng.normal(sizes[2], batch).numpy().T


def oracle(weights, x, grad_output):
    """The output, its gradient for x and those for the weights, by autograd."""
    leaves = {name: torch.tensor(value, requires_grad=True) for name, value in weights.items()}
    inputs = torch.tensor(x, requires_grad=True)
    output = torch.relu(inputs @ leaves["W1"] + leaves["b1"]) @ leaves["W2"] + leaves["b2"]
    (output * torch.tensor(grad_output)).sum().backward()
    grads = {name: leaf.grad.numpy() for name, leaf in leaves.items()}
    return output.detach().numpy(), inputs.grad.numpy(), grads


def drawn(submission, rng):
    """The initial weights of an MLP, in one row."""
    mlp = submission.MLP(5, 7, 3, rng)
    return np.concatenate([mlp.attribute("W1").ravel(), mlp.attribute("W2").ravel()])


def two_without_rng(answer):
    first, second = answer.MLP(5, 7, 3), answer.MLP(5, 7, 3)
    return [first.W1, first.W2], [second.W1, second.W2]


def drawn_without_rng(answer):
    """Weights of small networks, in units of their limit."""
    made = [answer.MLP(5, 7, 3) for _ in range(2)]
    return [value / (6 / sum(value.shape)) ** 0.5 for mlp in made for value in (mlp.W1, mlp.W2)]


def first_numbers(seed):
    """What generators with this seed draw first, between -1 and 1, and this turned round."""
    drawn = [np.random.default_rng(seed).random(), np.random.RandomState(seed).random_sample()]
    return [sign * (2 * each - 1) for each in drawn for sign in (1, -1)]


def inputs_after_one_round(answer, mlp, x, grad_output):
    mlp.forward(x)
    mlp.backward(grad_output)
    return x, grad_output


def of_a_second_backward(answer, mlp, x, first, second):
    """The gradients that it gives; None if it raises an error, as where nothing is kept any more."""
    mlp.forward(x)
    mlp.backward(first)
    try:
        grad_x = mlp.backward(second)
    except Exception:
        return None
    return grad_x, dict(mlp.grads)


def overwritten(answer, mlp, rounds):
    """Which results of forward and backward are no longer as they were, after all rounds."""
    found = {}
    for x, upstream in rounds:
        for name, argument in (("forward", x), ("backward", upstream)):
            result = getattr(mlp, name)(argument)
            found.setdefault(name, []).append((result, result.copy()))
    return {name: any((old != now).any() for now, old in pairs) for name, pairs in found.items()}


def test_shapes_of_the_weights(submission, rng):
    """the weights are float64 arrays of the stated shapes"""
    mlp = submission.MLP(5, 7, 3, rng=rng.as_numpy_generator())
    for name, shape in shapes(5, 7, 3).items():
        assert_close(mlp.attribute(name) * 0.0, np.zeros(shape), what=name)


def test_biases_start_at_zero(submission, rng):
    """the biases start at zero"""
    mlp = submission.MLP(5, 7, 3, rng.as_numpy_generator())
    assert_equal(mlp.attribute("b1"), np.zeros(7), what="b1")
    assert_equal(mlp.attribute("b2"), np.zeros(3), what="b2")


def test_weights_reach_the_limit(submission, rng):
    """the weights lie within ±sqrt(6 / (fan_in + fan_out)), and reach that far"""
    mlp = submission.MLP(211, 307, 199, rng.as_numpy_generator())
    for name, fans in {"W1": 211 + 307, "W2": 307 + 199}.items():
        share = np.abs(mlp.attribute(name)).max() / math.sqrt(6 / fans)
        assert_close(round(float(share), 2), 1.0, absolute=0.001, what=f"max |{name}| / limit")


def test_weights_are_spread_evenly(submission, rng):
    """the weights are spread evenly between -limit and limit"""
    mlp = submission.MLP(211, 307, 199, rng.as_numpy_generator())
    for name in ("W1", "W2"):
        share = mlp.attribute(name) / max(np.abs(mlp.attribute(name)).max(), 1e-12)
        # More than six standard deviations of the mean, and of the spread, for 61,000 draws.
        assert_close(float(share.mean()), 0.0, absolute=0.015, what=f"mean of {name} / max |{name}|")
        assert_close(
            float(share.std()),
            1 / math.sqrt(3),
            absolute=0.007,
            what=f"standard deviation of {name} / max |{name}|",
        )


def test_weights_are_drawn_each_by_itself(submission, rng):
    """each weight is drawn by itself: no unit starts as a copy of another one"""
    mlp = submission.MLP(101, 131, 101, rng.as_numpy_generator())
    first, second = (torch.from_numpy(mlp.attribute(name)) for name in ("W1", "W2"))
    limit = uniform(math.sqrt(6 / (101 + 131)))
    assert_drawn(first, limit, again=second.T, what="W1")
    assert_drawn(second, limit, again=first.reshape(131, 101), what="W2")


def test_the_same_rng_gives_the_same_weights(submission, rng):
    """generators with the same seed give the same weights"""
    seed = rng.as_numpy_generator()
    same = np.array_equal(drawn(submission, seed), drawn(submission, seed))
    assert_true(same, "the weights differ: they are not drawn from rng alone")


def test_another_rng_gives_other_weights(submission, rng):
    """generators with different seeds give different weights"""
    first, second = (drawn(submission, rng.as_numpy_generator()) for _ in range(2))
    assert_true(bool((first != second).all()), "weights are the same: they are not drawn from rng")


def test_without_rng(submission):
    """without rng, every network gets weights of its own"""
    first, second = submission.run(two_without_rng)
    differ = all((one != other).all() for one, other in zip(first, second, strict=True))
    assert_true(differ, "two networks made without rng have the same weights")


def test_without_rng_there_is_no_seed(submission):
    """without rng the generator has no seed: another program gets other weights"""
    weights = np.concatenate([each.ravel() for each in submission.run(drawn_without_rng)])
    known = np.array([first_numbers(seed) for seed in (*range(101), 123, 1234, 12345, 1337, 2023, 2024)])
    seeded = bool((np.abs(weights - known.reshape(-1, 1)) < 1e-12).any())
    assert_true(not seeded, "the weights are those of a generator with a small number as its seed")


@sizes
def test_forward(submission, rng, batch, sizes):
    """forward gives relu(x @ W1 + b1) @ W2 + b2"""
    mlp, weights = network(submission, rng, sizes)
    x, grad_output = batch_of(rng, batch, sizes)
    assert_close(mlp.forward(x), oracle(weights, x, grad_output)[0])


@sizes
def test_gradient_of_the_input(submission, rng, batch, sizes):
    """backward returns autograd's gradient of x"""
    mlp, weights = network(submission, rng, sizes)
    x, grad_output = batch_of(rng, batch, sizes)
    mlp.forward(x)
    assert_close(mlp.backward(grad_output), oracle(weights, x, grad_output)[1])


@sizes
def test_gradients_of_the_weights(submission, rng, batch, sizes):
    """grads holds autograd's gradients of the four weights, and nothing else"""
    mlp, weights = network(submission, rng, sizes)
    x, grad_output = batch_of(rng, batch, sizes)
    mlp.forward(x)
    mlp.backward(grad_output)
    assert_close(mlp.attribute("grads"), oracle(weights, x, grad_output)[2])


def test_backward_belongs_to_the_last_forward(submission, rng):
    """backward belongs to the last forward"""
    mlp, weights = network(submission, rng, (5, 7, 3))
    mlp.forward(rng.normal(2, 5).numpy())
    x, grad_output = batch_of(rng, 3, (5, 7, 3))
    mlp.forward(x)
    grad_x = mlp.backward(grad_output)
    assert_close(grad_x, oracle(weights, x, grad_output)[1])
    assert_close(mlp.attribute("grads"), oracle(weights, x, grad_output)[2])


def test_gradients_are_replaced(submission, rng):
    """a second forward and backward replace the gradients of the first"""
    mlp, weights = network(submission, rng, (5, 7, 3))
    for batch in (3, 2):
        x, grad_output = batch_of(rng, batch, (5, 7, 3))
        mlp.forward(x)
        mlp.backward(grad_output)
    assert_close(mlp.attribute("grads"), oracle(weights, x, grad_output)[2])


def test_a_second_backward(submission, rng):
    """a second backward for the same forward, with another grad_output, is right too, or raises an error"""
    mlp, weights = network(submission, rng, (5, 7, 3))
    x, grad_output = batch_of(rng, 4, (5, 7, 3))
    other = batch_of(rng, 4, (5, 7, 3))[1]
    came = submission.run(of_a_second_backward, mlp, x, grad_output, other)
    if came is not None:
        assert_close(came, oracle(weights, x, other)[1:])


def test_weights_may_change_between_forwards(submission, rng):
    """values written into the weights count from the next forward on"""
    mlp, weights = network(submission, rng, (5, 7, 3))
    x, grad_output = batch_of(rng, 2, (5, 7, 3))
    mlp.forward(x)
    other = {name: value[..., ::-1].copy() for name, value in weights.items()}
    mlp.assign(**other)
    assert_close(mlp.forward(x), oracle(other, x, grad_output)[0])
    assert_close(mlp.backward(grad_output), oracle(other, x, grad_output)[1])


def test_two_networks(submission, rng):
    """two networks do not disturb each other"""
    mlp, weights = network(submission, rng, (5, 7, 3))
    x, grad_output = batch_of(rng, 2, (5, 7, 3))
    mlp.forward(x)
    network(submission, rng, (5, 7, 3))[0].forward(-x)
    assert_close(mlp.backward(grad_output), oracle(weights, x, grad_output)[1])


def test_instances_keep_apart(submission, rng):
    """two networks of other sizes, used by turns, give what each alone gives, call after call"""
    made = [network(submission, rng, sizes) for sizes in ((5, 7, 3), (5, 4, 3))]
    rounds = [[batch_of(rng, 2, (5, 7, 3)) for _ in range(3)] for _ in made]
    for each in zip(*rounds, strict=True):
        expected = [oracle(weights, *pair) for (_, weights), pair in zip(made, each, strict=True)]
        forward = [mlp.forward(x) for (mlp, _), (x, _) in zip(made, each, strict=True)]
        backward = [mlp.backward(upstream) for (mlp, _), (_, upstream) in zip(made, each, strict=True)]
        grads = [mlp.attribute("grads") for mlp, _ in made]
        assert_close(list(zip(forward, backward, grads, strict=True)), expected)


def test_results_stay_as_they_are(submission, rng):
    """what forward and backward gave stays as it was, also when they are called again"""
    mlp, _ = network(submission, rng, (5, 7, 3))
    seen = submission.run(overwritten, mlp, [batch_of(rng, batch, (5, 7, 3)) for batch in (4, 4, 2)])
    first = next((name for name, is_overwritten in seen.items() if is_overwritten), "")
    assert_true(not any(seen.values()), f"a later call writes to what {first} gave", seen=seen)


def test_zeros_are_numbers_like_others(submission, rng):
    """zeros in x and in grad_output count like any other values"""
    mlp, weights = network(submission, rng, (5, 7, 3))
    x, grad_output = (array.copy() for array in batch_of(rng, 4, (5, 7, 3)))
    x[0], x[1, 2:], grad_output[2], grad_output[3, :2] = 0.0, 0.0, 0.0, 0.0
    for upstream in (grad_output, np.zeros_like(grad_output)):
        came = mlp.forward(x), mlp.backward(upstream), mlp.attribute("grads")
        assert_close(came, oracle(weights, x, upstream))


def test_nothing_else_is_modified(submission, rng):
    """forward and backward modify neither x nor grad_output nor the weights"""
    mlp, weights = network(submission, rng, (5, 7, 3))
    x, grad_output = batch_of(rng, 3, (5, 7, 3))
    x_after, grad_output_after = submission.run(inputs_after_one_round, mlp, x, grad_output)
    assert_equal(x_after, x, what="x afterwards")
    assert_equal(grad_output_after, grad_output, what="grad_output afterwards")
    assert_equal({name: mlp.attribute(name) for name in NAMES}, weights, what="weights afterwards")
