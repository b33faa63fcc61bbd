"""Checks of `mlp_numpy`: initial weights, forward, backward, what is kept between calls."""

import math

import numpy as np
import pytest
import torch

from grader.kit import Mistake, assert_close, assert_equal, assert_true

sizes = pytest.mark.parametrize("batch, sizes", [(11, (5, 7, 3)), (1, (3, 13, 2)), (2, (1, 7, 1))])
NAMES = ("W1", "b1", "W2", "b2")


def shapes(n, hidden, m):
    return dict(zip(NAMES, ((n, hidden), (hidden,), (hidden, m), (m,)), strict=True))


def network(submission, rng, sizes):
    """An MLP of these sizes with random weights, and the weights."""
    weights = {name: rng.normal(*shape).numpy() for name, shape in shapes(*sizes).items()}
    mlp = submission.MLP(*sizes)
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


def inputs_after_one_round(answer, mlp, x, grad_output):
    mlp.forward(x)
    mlp.backward(grad_output)
    return x, grad_output


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
        # Five standard deviations of the mean, and more of the spread, for 61,000 draws.
        assert_close(float(share.mean()), 0.0, absolute=0.012, what=f"mean of {name} / max |{name}|")
        assert_close(
            float(share.std()),
            1 / math.sqrt(3),
            absolute=0.006,
            what=f"standard deviation of {name} / max |{name}|",
        )


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


def test_nothing_else_is_modified(submission, rng):
    """forward and backward modify neither x nor grad_output nor the weights"""
    mlp, weights = network(submission, rng, (5, 7, 3))
    x, grad_output = batch_of(rng, 3, (5, 7, 3))
    x_after, grad_output_after = submission.run(inputs_after_one_round, mlp, x, grad_output)
    assert_equal(x_after, x, what="x afterwards")
    assert_equal(grad_output_after, grad_output, what="grad_output afterwards")
    assert_equal({name: mlp.attribute(name) for name in NAMES}, weights, what="weights afterwards")


MISTAKES = [
    Mistake(
        "bias-gradient-averaged",
        find="""\
            "b1": grad_pre.sum(axis=0),  # forward broadcasts the bias over the batch; backward sums over it
            "W2": self._hidden.T @ grad_output,
            "b2": grad_output.sum(axis=0),""",
        replace="""\
            "b1": grad_pre.mean(axis=0),
            "W2": self._hidden.T @ grad_output,
            "b2": grad_output.mean(axis=0),""",
        says="You average the gradients of the biases over the batch. A bias is added to every row, so its"
        " gradient is the sum of theirs. If the loss is a mean, its 1 / batch is already in "
        "grad_output.",
    ),
    Mistake(
        "gradients-accumulated",
        find="        return grad_pre @ self.W1.T  # (batch, input)",
        replace="""\
        self._sums = {k: getattr(self, "_sums", {}).get(k, 0) + g for k, g in self.grads.items()}
        self.grads = self._sums
        return grad_pre @ self.W1.T  # (batch, input)""",
        says="You add the gradients to those of the call before. PyTorch does that, and needs zero_grad "
        "for it; this backward replaces what an earlier call left in grads.",
    ),
    Mistake(
        "relu-mask-missing",
        find="        grad_pre = grad_hidden * (self._pre > 0)",
        replace="        grad_pre = grad_hidden",
        says="You pass the gradient through ReLU as if it were the identity. Where the input of ReLU was "
        "not positive the output is constant, so the gradient there is 0: multiply by (pre > 0).",
    ),
    Mistake(
        "relu-mask-from-the-gradient",
        find="        grad_pre = grad_hidden * (self._pre > 0)",
        replace="        grad_pre = grad_hidden * (grad_hidden > 0)",
        says="You apply ReLU to the gradient: the mask tests the sign of the gradient. What decides is the"
        " sign of the forward input: multiply by (pre > 0), saved in forward. Negative gradients "
        "pass.",
    ),
    Mistake(
        "w2-not-transposed",
        find="        grad_hidden = grad_output @ self.W2.T",
        replace="        grad_hidden = grad_output @ self.W2",
        says="You send the gradient back through W2 instead of its transpose: an error unless hidden_size "
        "equals output_size, and wrong values then. Forward multiplies by W2, so backward multiplies "
        "by W2.T; the shapes (batch, output) @ (output, hidden) say so.",
    ),
    Mistake(
        "weight-gradient-from-the-pre-activation",
        find='"W2": self._hidden.T @ grad_output,',
        replace='"W2": self._pre.T @ grad_output,',
        says="You build the gradient of W2 from the values before ReLU. The input of the second layer is "
        "what comes out of ReLU: hidden.T @ grad_output.",
    ),
    Mistake(
        "weight-gradient-transposed",
        find="""\
            "W1": self._x.T @ grad_pre,
            "b1": grad_pre.sum(axis=0),  # forward broadcasts the bias over the batch; backward sums over it
            "W2": self._hidden.T @ grad_output,
            "b2": grad_output.sum(axis=0),""",
        replace="""\
            "W1": grad_pre.T @ self._x,
            "b1": grad_pre.sum(axis=0),
            "W2": grad_output.T @ self._hidden,
            "b2": grad_output.sum(axis=0),""",
        says="Your gradients of W1 and W2 are transposed, (output, input), as PyTorch's nn.Linear stores "
        "its weight. Here W1 is (input, hidden) and W2 (hidden, output), and a gradient has the shape"
        " of its weight: input.T @ grad.",
    ),
    Mistake(
        "upstream-modified",
        find="        grad_hidden = grad_output @ self.W2.T",
        replace="""\
        grad_output /= len(grad_output)
        grad_hidden = grad_output @ self.W2.T""",
        says="You divide grad_output by the batch size in place: the caller's array is changed, and "
        "gradients that are computed from it afterwards are too small. Leave it as it is: if the loss is a "
        "mean, the division is already in it.",
    ),
    Mistake(
        "xavier-with-fan-in-only",
        find="    limit = np.sqrt(6 / (fan_in + fan_out))",
        replace="    limit = np.sqrt(6 / fan_in)",
        says="Your limit is sqrt(6 / fan_in), which is He's (Kaiming) for ReLU. Xavier's has both: sqrt(6 "
        "/ (fan_in + fan_out)), a compromise between the variance of the activations and that of the "
        "gradients.",
    ),
    Mistake(
        "xavier-normal",
        find="    return rng.uniform(-limit, limit, size=(fan_in, fan_out))",
        replace="    return rng.normal(0, limit / np.sqrt(3), size=(fan_in, fan_out))",
        says="You draw from a normal distribution. Its variance is right, but Xavier-uniform was asked "
        "for: no weight lies outside ±sqrt(6 / (fan_in + fan_out)).",
    ),
    Mistake(
        "rng-ignored",
        find="        rng = np.random.default_rng() if rng is None else rng",
        replace="        rng = np.random.default_rng()",
        says="You draw the weights from a generator of your own, or from NumPy's global one, and ignore rng, "
        "so the same seed gives other weights each time. Use the generator that was passed, and a fresh "
        "one only for None.",
    ),
    Mistake(
        "weight-gradient-averaged",
        find="""\
            "W1": self._x.T @ grad_pre,
            "b1": grad_pre.sum(axis=0),  # forward broadcasts the bias over the batch; backward sums over it
            "W2": self._hidden.T @ grad_output,
            "b2": grad_output.sum(axis=0),""",
        replace="""\
            "W1": self._x.T @ grad_pre / len(grad_output),
            "b1": grad_pre.sum(axis=0),
            "W2": self._hidden.T @ grad_output / len(grad_output),
            "b2": grad_output.sum(axis=0),""",
        says="You divide the gradients of W1 and W2 by the batch size. x.T @ grad sums over the batch, as "
        "the chain rule says; if the loss is a mean, its 1 / batch is already in grad_output.",
    ),
    Mistake(
        "relu-mask-inverted",
        find="        grad_pre = grad_hidden * (self._pre > 0)",
        replace="        grad_pre = grad_hidden * (self._pre <= 0)",
        says="Your mask is upside down: the gradient passes where ReLU was closed. It passes where the "
        "input of ReLU was positive: multiply by (pre > 0).",
    ),
    Mistake(
        "bias-gradient-keeps-the-batch-axis",
        find="""\
            "b1": grad_pre.sum(axis=0),  # forward broadcasts the bias over the batch; backward sums over it
            "W2": self._hidden.T @ grad_output,
            "b2": grad_output.sum(axis=0),""",
        replace="""\
            "b1": grad_pre.sum(axis=0, keepdims=True),
            "W2": self._hidden.T @ grad_output,
            "b2": grad_output.sum(axis=0, keepdims=True),""",
        says="Your bias gradients have shape (1, n). A gradient has the shape of its weight, here (n,): "
        "sum over axis 0 without keepdims. Otherwise b1 -= rate * grad fails.",
    ),
    Mistake(
        "relu-on-the-output",
        find="        return self._hidden @ self.W2 + self.b2",
        replace="        return np.maximum(self._hidden @ self.W2 + self.b2, 0)",
        says="You apply ReLU to the output too, so it can never be negative. ReLU stands between the two "
        "layers only; the second one is linear.",
    ),
    Mistake(
        "relu-on-the-output-and-in-backward",
        find="        return self._hidden @ self.W2 + self.b2",
        replace="""\
        self._output = np.maximum(self._hidden @ self.W2 + self.b2, 0)
        return self._output""",
        also=(
            (
                "        grad_hidden = grad_output @ self.W2.T",
                """\
        grad_output = grad_output * (self._output > 0)
        grad_hidden = grad_output @ self.W2.T""",
            ),
        ),
        says="You apply a second ReLU, to the output, and pass grad_output back through it. So the output "
        "can never be negative, and where it is 0 no gradient flows. ReLU stands between the two layers "
        "only; the second one is linear.",
    ),
    Mistake(
        "output-squeezed",
        find="        return self._hidden @ self.W2 + self.b2",
        replace="        return np.squeeze(self._hidden @ self.W2 + self.b2)",
        says="Your output loses a dimension of size 1 (by squeeze, for example): a batch of one comes out as "
        "a single vector. It is (batch, output) for every batch and every output_size.",
    ),
    Mistake(
        "relu-mask-without-the-bias",
        find="        grad_pre = grad_hidden * (self._pre > 0)",
        replace="        grad_pre = grad_hidden * (self._x @ self.W1 > 0)",
        says="Your ReLU mask tests x @ W1 without the bias. What went into ReLU in forward is x @ W1 + b1: "
        "save that, and multiply by (pre > 0). (With biases of zero, as at first, the two are the same.)",
    ),
    Mistake(
        "xavier-standard-deviation-as-limit",
        find="    limit = np.sqrt(6 / (fan_in + fan_out))",
        replace="    limit = np.sqrt(2 / (fan_in + fan_out))",
        says="You use the standard deviation sqrt(2 / (fan_in + fan_out)) as the limit of the uniform "
        "distribution. A uniform on [-limit, limit] has variance limit**2 / 3, so the limit is sqrt(6"
        " / (fan_in + fan_out)).",
    ),
    Mistake(
        "xavier-one-sided",
        find="    return rng.uniform(-limit, limit, size=(fan_in, fan_out))",
        replace="    return rng.uniform(0, limit, size=(fan_in, fan_out))",
        says="You draw from [0, limit], so all weights are positive and the outputs of all neurons are "
        "alike. Xavier-uniform is symmetric about 0: between -limit and limit.",
    ),
    Mistake(
        "all-gradients-averaged",
        find="""\
            "W1": self._x.T @ grad_pre,
            "b1": grad_pre.sum(axis=0),  # forward broadcasts the bias over the batch; backward sums over it
            "W2": self._hidden.T @ grad_output,
            "b2": grad_output.sum(axis=0),""",
        replace="""\
            "W1": self._x.T @ grad_pre / len(grad_output),
            "b1": grad_pre.mean(axis=0),
            "W2": self._hidden.T @ grad_output / len(grad_output),
            "b2": grad_output.mean(axis=0),""",
        says="You average the gradients of all four weights over the batch. They are sums over it: the "
        "loss decides whether it is a mean, and if so, 1 / batch is already in grad_output.",
    ),
    Mistake(
        "rng-from-a-fixed-seed",
        find="        rng = np.random.default_rng() if rng is None else rng",
        replace="        rng = np.random.default_rng(0)",
        says="You draw from a generator with a fixed seed, so every network gets the same weights, "
        "whatever rng is. Use the generator that was passed, and an unseeded one only for None.",
    ),
    Mistake(
        "none-is-a-fixed-seed",
        find="        rng = np.random.default_rng() if rng is None else rng",
        replace="        rng = np.random.default_rng(0) if rng is None else rng",
        says="Without rng you seed the generator with a constant, so all such networks get the same "
        "weights. None stands for a fresh generator: np.random.default_rng(), without a seed.",
    ),
    Mistake(
        "xavier-with-relu-gain",
        find="    limit = np.sqrt(6 / (fan_in + fan_out))",
        replace="    limit = np.sqrt(2) * np.sqrt(6 / (fan_in + fan_out))",
        says="You multiply the limit by sqrt(2), the gain that makes up for ReLU. Asked for is plain "
        "Xavier: sqrt(6 / (fan_in + fan_out)).",
    ),
    Mistake(
        "weights-stored-transposed",
        find="size=(fan_in, fan_out)",
        replace="size=(fan_out, fan_in)",
        says="Your weights are stored as (out, in), as PyTorch's nn.Linear has them. Here W1 is (input, "
        "hidden) and W2 (hidden, output), so that forward is x @ W1 without a transpose.",
    ),
    Mistake(
        "biases-are-rows",
        find="""\
        self.b1 = np.zeros(hidden_size)
        self.W2 = _xavier_uniform(hidden_size, output_size, rng)
        self.b2 = np.zeros(output_size)""",
        replace="""\
        self.b1 = np.zeros((1, hidden_size))
        self.W2 = _xavier_uniform(hidden_size, output_size, rng)
        self.b2 = np.zeros((1, output_size))""",
        says="Your biases have shape (1, n). They are vectors here, (n,): broadcasting puts the batch "
        "dimension in front by itself.",
    ),
    Mistake(
        "weights-in-float32",
        find="    return rng.uniform(-limit, limit, size=(fan_in, fan_out))",
        replace="    return rng.uniform(-limit, limit, size=(fan_in, fan_out)).astype(np.float32)",
        says="Your weights are float32. They are float64 here, which NumPy draws anyway: leave out the "
        "conversion.",
    ),
    Mistake(
        "relu-forgotten",
        find="        self._hidden = np.maximum(self._pre, 0)",
        replace="        self._hidden = self._pre",
        says="Your forward has no ReLU. Without it two linear layers are just one: apply np.maximum(pre, "
        "0) between them.",
    ),
    Mistake(
        "w1-not-transposed",
        find="        return grad_pre @ self.W1.T  # (batch, input)",
        replace="        return grad_pre @ self.W1",
        says="You send the gradient back to x through W1 instead of its transpose: an error unless "
        "input_size equals hidden_size, and wrong values then. Forward multiplies by W1, so backward "
        "multiplies by W1.T.",
    ),
    Mistake(
        "input-gradient-left-at-the-hidden-layer",
        find="        return grad_pre @ self.W1.T  # (batch, input)",
        replace="        return grad_pre",
        says="You return the gradient of what goes into ReLU, (batch, hidden). One step is missing to the "
        "gradient of x: grad_pre @ W1.T, (batch, input).",
    ),
    Mistake(
        "first-layer-averaged",
        find="""\
            "W1": self._x.T @ grad_pre,
            "b1": grad_pre.sum(axis=0),  # forward broadcasts the bias over the batch; backward sums over it
""",
        replace="""\
            "W1": self._x.T @ grad_pre / len(grad_pre),
            "b1": grad_pre.mean(axis=0),
""",
        says="You average the gradients of W1 and b1 over the batch, but not those of W2 and b2. All four "
        "are sums over it: if the loss is a mean, its 1 / batch is already in grad_output.",
    ),
    Mistake(
        "w1-gradient-averaged",
        find='"W1": self._x.T @ grad_pre,',
        replace='"W1": self._x.T @ grad_pre / len(grad_pre),',
        says="You average the gradient of W1 over the batch, unlike the other three. x.T @ grad is the sum "
        "over it, and that is right: if the loss is a mean, its 1 / batch is already in grad_output.",
    ),
    Mistake(
        "b1-gradient-averaged",
        find='"b1": grad_pre.sum(axis=0),',
        replace='"b1": grad_pre.mean(axis=0),',
        says="You average the gradient of b1 over the batch, unlike the other three. A bias is added to "
        "every row, so its gradient is the sum of theirs: sum(axis=0).",
    ),
    Mistake(
        "normal-with-the-limit-as-deviation",
        find="    return rng.uniform(-limit, limit, size=(fan_in, fan_out))",
        replace="    return rng.normal(0, limit, size=(fan_in, fan_out))",
        says="You draw from a normal distribution and take the limit for its standard deviation. "
        "Xavier-uniform is a uniform distribution between -limit and limit: rng.uniform.",
    ),
    Mistake(
        "he-normal",
        find="    return rng.uniform(-limit, limit, size=(fan_in, fan_out))",
        replace="    return rng.normal(0, np.sqrt(2 / fan_in), size=(fan_in, fan_out))",
        says="You draw from a normal distribution with standard deviation sqrt(2 / fan_in): that is He's "
        "(Kaiming) initialization. Xavier-uniform was asked for: uniform in ±sqrt(6 / (fan_in + fan_out)).",
    ),
    Mistake(
        "weights-start-at-zero",
        find="    return rng.uniform(-limit, limit, size=(fan_in, fan_out))",
        replace="    return np.zeros((fan_in, fan_out))",
        says="Your weights start at zero. All hidden neurons are then alike and get the same gradient, here "
        "even none: they never learn to differ. Draw them uniformly in ±sqrt(6 / (fan_in + fan_out)).",
    ),
]
