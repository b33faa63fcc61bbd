"""Checks of `batch_norm`: training, running averages, evaluation, gradients, state dict."""

import pytest
import torch
from torch.nn import functional

from grader.kit import (
    Mistake,
    assert_close,
    assert_equal,
    assert_inputs_unchanged,
    assert_parameters,
    assert_same_gradients,
    assert_true,
)

pytestmark = pytest.mark.forbid("normalization")

shapes = pytest.mark.parametrize("shape", [(11, 5), (3, 5, 7), (2, 5, 3, 7), (1, 5, 13)])


def workload(submission, rng):
    return submission.BatchNorm(16).train().measure(rng.normal(8, 16, 16, 16, dtype=torch.float32))


def draw(rng, layer, dtype=torch.float64):
    """Random parameters and running averages, which the layer gets."""
    weights = layer.randomize(rng, dtype=dtype)
    averages_of(layer)  # fails in the learner's words where there are none
    averages = {
        "running_mean": rng.normal(5, dtype=dtype),
        "running_var": rng.uniform(5, low=0.5, high=2.0, dtype=dtype),
    }
    layer.load(averages)
    return weights, averages


def averages_of(layer):
    buffers = layer.buffers()
    missing = [name for name in ("running_mean", "running_var") if name not in buffers]
    text = f"not among its buffers: {', '.join(missing)} (a plain tensor attribute is not in the state dict)"
    assert_true(not missing, text, seen=missing)
    return {name: buffers[name] for name in ("running_mean", "running_var")}


def training(weights, x, averages=None, eps=1e-5, momentum=0.1):
    """The built-in in training. It updates the averages in place."""
    mean, variance = (averages or {}).get("running_mean"), (averages or {}).get("running_var")
    return functional.batch_norm(x, mean, variance, weights["weight"], weights["bias"], True, momentum, eps)


def evaluation(averages, eps=1e-5):
    """The built-in in evaluation, as a function of weights and x."""
    return lambda weights, x: functional.batch_norm(
        x, averages["running_mean"], averages["running_var"], weights["weight"], weights["bias"], eps=eps
    )


def test_parameters(submission):
    """its parameters are weight and bias, (num_features,) each"""
    assert_parameters(submission.BatchNorm(5), {"weight": (5,), "bias": (5,)})


def test_initial_values(submission):
    """weight and running_var start at ones, bias and running_mean at zeros"""
    layer = submission.BatchNorm(5)
    assert_equal(layer.parameters(), {"weight": torch.ones(5), "bias": torch.zeros(5)})
    assert_equal(averages_of(layer), {"running_mean": torch.zeros(5), "running_var": torch.ones(5)})


@shapes
def test_training_equals_the_built_in(submission, rng, shape):
    """in training it equals F.batch_norm with training=True, and so do its gradients"""
    layer = submission.BatchNorm(5).train()
    weights, _ = draw(rng, layer)
    assert_same_gradients(layer, training, rng.normal(*shape, scale=2.0) + 0.5, weights=weights)


@pytest.mark.parametrize("shape", [(5, 5), (3, 5, 5), (2, 5, 5, 5)])
def test_channels_are_dimension_one(submission, rng, shape):
    """the channels are dimension 1, also where other dimensions have the same size"""
    layer = submission.BatchNorm(5).train()
    weights, _ = draw(rng, layer)
    x = rng.normal(*shape, scale=2.0) + 0.5
    assert_close(layer(x), training(weights, x))


@shapes
def test_running_averages(submission, rng, shape):
    """a training batch moves running_mean and running_var as it does those of nn.BatchNorm"""
    layer = submission.BatchNorm(5).train()
    weights, averages = draw(rng, layer)
    x = rng.normal(*shape, scale=2.0) + 0.5
    layer(x)
    training(weights, x, averages)
    assert_close(averages_of(layer), averages)


def test_several_batches(submission, rng):
    """running averages are right after several batches of different sizes, with any momentum"""
    layer = submission.BatchNorm(5, momentum=0.3)
    weights, averages = draw(rng, layer)
    for shape in [(2, 5), (3, 5, 7), (13, 5)]:
        x = rng.normal(*shape, scale=2.0) + 0.5
        layer.train()(x)
        layer.eval()(x)
        training(weights, x, averages, momentum=0.3)
    assert_close(averages_of(layer), averages)


@pytest.mark.parametrize("shape", [(1, 5), (3, 5, 7), (2, 5, 3, 7), (1, 5, 1)])
def test_evaluation_equals_the_built_in(submission, rng, shape):
    """in evaluation it normalizes with the running averages, a batch of one too; gradients are right"""
    layer = submission.BatchNorm(5).eval()
    weights, averages = draw(rng, layer)
    assert_same_gradients(layer, evaluation(averages), rng.normal(*shape), weights=weights)


def test_evaluation_changes_nothing(submission, rng):
    """in evaluation the running averages stay as they are"""
    layer = submission.BatchNorm(5).eval()
    _, averages = draw(rng, layer)
    layer(rng.normal(11, 5))
    assert_equal(averages_of(layer), averages)


def test_eps_is_added_to_the_variance(submission, rng):
    """eps is added to the variance, inside the root, in training and in evaluation"""
    layer = submission.BatchNorm(5, eps=0.5).train()
    weights, averages = draw(rng, layer)
    x = rng.normal(11, 5)
    assert_close(layer.eval()(x), evaluation(averages, 0.5)(weights, x), what="evaluation")
    assert_close(layer.train()(x), training(weights, x, eps=0.5), what="training")


def test_channel_of_equal_values(submission, rng):
    """channels of equal values give their bias in training, and finite gradients"""
    layer = submission.BatchNorm(5).train()
    weights, _ = draw(rng, layer)
    x = torch.arange(5.0, dtype=torch.float64).repeat(3, 1)
    # What the mean is off by rounding is multiplied by 1 / sqrt(eps) here.
    assert_same_gradients(layer, training, x, weights=weights, absolute=1e-4)


def test_averages_require_no_gradient(submission, rng):
    """the running averages do not require a gradient after a batch that does"""
    layer = submission.BatchNorm(5).train()
    draw(rng, layer)
    came = submission.run(averages_require_grad, layer, rng.normal(11, 5))
    assert_equal(came, {"running_mean": False, "running_var": False})


def averages_require_grad(answer, layer, x):
    layer(x.requires_grad_())
    return {name: getattr(layer, name).requires_grad for name in ("running_mean", "running_var")}


def test_evaluation_after_training(submission, rng):
    """in evaluation no gradient reaches the batches that were trained on before"""
    layer = submission.BatchNorm(5)
    weights, averages = draw(rng, layer)
    batches, x, upstream = rng.normal(2, 11, 5), rng.normal(3, 5), rng.normal(3, 5)
    came = submission.run(train_and_evaluate, layer, batches, x, upstream)
    for batch in batches:
        training(weights, batch, averages)
    scale = weights["weight"] / torch.sqrt(averages["running_var"] + 1e-5)
    assert_close(came, (upstream * scale, torch.zeros_like(batches)))


def train_and_evaluate(answer, layer, batches, x, upstream):
    batches.requires_grad_()
    layer.train()
    for batch in batches:
        layer(batch)
    layer.eval()
    (layer(x.requires_grad_()) * upstream).sum().backward()
    return x.grad, torch.zeros_like(batches) if batches.grad is None else batches.grad


def test_state_dict(submission, rng):
    """a layer that loads the state dict of another gives the same in evaluation"""
    layer = submission.BatchNorm(5).train()
    x = rng.normal(11, 5, scale=2.0, dtype=torch.float32) + 0.5
    came = submission.run(train_and_copy, layer, x)
    averages = {"running_mean": torch.zeros(5), "running_var": torch.ones(5)}
    weights = {"weight": torch.ones(5), "bias": torch.zeros(5)}
    training(weights, x, averages)
    assert_close(came, evaluation(averages)(weights, x))


def train_and_copy(answer, layer, x):
    layer(x)
    copy = answer.BatchNorm(5)
    copy.load_state_dict(layer.state_dict())
    return copy.eval()(x)


def test_float32_is_kept(submission, rng):
    """float32 is kept, in training, evaluation, running averages and gradients"""
    layer = submission.BatchNorm(5).train()
    weights, averages = draw(rng, layer, dtype=torch.float32)
    x = rng.normal(3, 5, 7, dtype=torch.float32)
    assert_same_gradients(layer, training, x, weights=weights)
    training(weights, x, averages)
    assert_close(averages_of(layer), averages)
    assert_close(layer.eval()(x), evaluation(averages)(weights, x), what="evaluation")


def test_other_layouts(submission, rng):
    """an x that is not contiguous is right"""
    layer = submission.BatchNorm(5).train()
    weights, _ = draw(rng, layer)
    x = rng.normal(2, 3, 7, 5).movedim(-1, 1)
    assert_close(layer(x), training(weights, x))


def test_input_is_not_modified(submission, rng):
    """x is not modified"""
    x = rng.normal(3, 5, 7, dtype=torch.float32)
    assert_inputs_unchanged(submission.BatchNorm(5).train(), x)
    assert_inputs_unchanged(submission.BatchNorm(5).eval(), x)


MISTAKES = [
    Mistake(
        "running-variance-biased",
        find="                unbiased = variance * n / (n - 1)",
        replace="                unbiased = variance",
        says="You update running_var with the biased variance, by which the batch is normalized. "
        "PyTorch stores the unbiased one, n / (n - 1) times as large: an estimate of the variance of the "
        "data, not of the batch.",
    ),
    Mistake(
        "unbiased-by-the-batch-size",
        find="                n = x.numel() // x.shape[1]",
        replace="                n = x.shape[0]",
        says="You correct the variance with the batch size. n is the number of values per channel: the "
        "batch size times the number of positions, x.numel() / num_features. Only for (batch, channels) "
        "are they the same.",
    ),
    Mistake(
        "normalized-by-the-unbiased-variance",
        find="            variance = x.var(dim=dims, correction=0)  # (num_features,)",
        replace="            variance = x.var(dim=dims)  # (num_features,)",
        says="You normalize with the unbiased variance: torch.var divides by n - 1 unless told "
        "correction=0. The batch is normalized by the biased one, divided by n; the unbiased one is for "
        "running_var alone.",
    ),
    Mistake(
        "unbiased-variance-for-both",
        find="""\
            variance = x.var(dim=dims, correction=0)  # (num_features,)
            # Without no_grad the averages would hold on to the graphs of all batches so far.
            with torch.no_grad():
                n = x.numel() // x.shape[1]
                # The batch is a sample: n / (n - 1) makes its variance an unbiased estimate of the data's.
                unbiased = variance * n / (n - 1)""",
        replace="""\
            variance = x.var(dim=dims)  # (num_features,)
            with torch.no_grad():
                unbiased = variance""",
        says="You use the unbiased variance for both. It is right for running_var; the batch itself is "
        "normalized by the biased one, divided by n: x.var(correction=0).",
    ),
    Mistake(
        "momentum-reversed",
        find="""\
                self.running_mean += self.momentum * (mean - self.running_mean)
                self.running_var += self.momentum * (unbiased - self.running_var)""",
        replace="""\
                self.running_mean += (1 - self.momentum) * (mean - self.running_mean)
                self.running_var += (1 - self.momentum) * (unbiased - self.running_var)""",
        says="Your momentum is reversed: you keep 0.1 of the old average and take 0.9 of the new batch. "
        "In PyTorch momentum is the part of the new value: running = (1 - momentum) * running + momentum "
        "* new.",
    ),
    Mistake(
        "channels-last",
        find="        dims = [dim for dim in range(x.dim()) if dim != 1]  # all but the channels",
        replace="        dims = list(range(x.dim() - 1))",
        says="You average over all dimensions but the last, as if the channels stood there. They are "
        "dimension 1: for (batch, channels, length) average over dimensions 0 and 2.",
    ),
    Mistake(
        "flattened-without-transposing",
        find="        dims = [dim for dim in range(x.dim()) if dim != 1]  # all but the channels",
        replace="""\
        if x.dim() > 2:
            return self.forward(x.reshape(-1, x.shape[1])).reshape(x.shape)
        dims = [0]""",
        says="You reshape to (-1, channels) although the channels are not the last dimension, which "
        "mixes the channels up. Move dimension 1 to the end before (x.movedim(1, -1)), or average over "
        "all dimensions but 1.",
    ),
    Mistake(
        "not-transposed-back",
        find="        dims = [dim for dim in range(x.dim()) if dim != 1]  # all but the channels",
        replace="""\
        if x.dim() > 2:
            return self.forward(x.movedim(1, -1).flatten(0, -2)).reshape(x.shape)
        dims = [0]""",
        says="You move the channels to the end to flatten the rest, which is fine, but reshape the "
        "result straight to the old shape, which puts the values in other places. Undo the steps in "
        "reverse order: unflatten, then move the last dimension back to 1.",
    ),
    Mistake(
        "statistics-over-the-batch-only",
        find="        dims = [dim for dim in range(x.dim()) if dim != 1]  # all but the channels",
        replace="        dims = [0]",
        says="You average over the batch alone, so with (batch, channels, length) every position has "
        "its own mean. A channel has one mean and one variance: average over all dimensions but "
        "dimension 1.",
    ),
    Mistake(
        "variances-of-positions-averaged",
        find="            variance = x.var(dim=dims, correction=0)  # (num_features,)",
        replace="            variance = x.var(dim=0, correction=0).reshape(x.shape[1], -1).mean(dim=1)",
        says="You take a variance over the batch at each position and average these. That leaves out "
        "how the positions' means differ. Take one variance over the batch and all positions together.",
    ),
    Mistake(
        "evaluation-uses-the-batch",
        find="""\
            mean = self.running_mean
            variance = self.running_var""",
        replace="""\
            mean = x.mean(dim=dims)
            variance = x.var(dim=dims, correction=0)""",
        says="You normalize with the batch's own mean and variance in evaluation too, so a sample's "
        "result depends on its batch, and a batch of one (with no positions) gives just the bias. Use "
        "running_mean and running_var there.",
    ),
    Mistake(
        "updated-in-evaluation",
        find="""\
        if self.training:
            mean = x.mean(dim=dims)  # (num_features,)
            variance = x.var(dim=dims, correction=0)  # (num_features,)
            # Without no_grad the averages would hold on to the graphs of all batches so far.
            with torch.no_grad():
                n = x.numel() // x.shape[1]
                # The batch is a sample: n / (n - 1) makes its variance an unbiased estimate of the data's.
                unbiased = variance * n / (n - 1)
                self.running_mean += self.momentum * (mean - self.running_mean)
                self.running_var += self.momentum * (unbiased - self.running_var)
        else:
            mean = self.running_mean
            variance = self.running_var""",
        replace="""\
        mean = x.mean(dim=dims)
        variance = x.var(dim=dims, correction=0)
        averages = self.running_mean.clone(), self.running_var.clone()
        with torch.no_grad():
            n = x.numel() // x.shape[1]
            unbiased = variance * n / max(n - 1, 1)
            self.running_mean += self.momentum * (mean - self.running_mean)
            self.running_var += self.momentum * (unbiased - self.running_var)
        if not self.training:
            mean, variance = averages""",
        says="You update the running averages in evaluation too, so validation data gets into the "
        "model, and the result depends on what was evaluated before. Update them only if self.training.",
    ),
    Mistake(
        "averages-keep-the-graph",
        find="            with torch.no_grad():",
        replace="            if True:",
        says="You update the running averages with tensors that are part of the graph, so they require "
        "gradients, keep the graphs of all earlier batches in memory, and backward runs into them in "
        "evaluation. Update under torch.no_grad() (or with mean.detach()).",
    ),
    Mistake(
        "statistics-without-gradient",
        find="""\
            mean = x.mean(dim=dims)  # (num_features,)
            variance = x.var(dim=dims, correction=0)  # (num_features,)
""",
        replace="""\
            mean = x.mean(dim=dims).detach()
            variance = x.var(dim=dims, correction=0).detach()
""",
        says="Your values are right, but the batch's mean and variance are cut off from the graph, so "
        "the gradient of x is just that of a scaling. Both depend on x: only the update of the running "
        "averages belongs under no_grad.",
    ),
    Mistake(
        "variance-without-gradient",
        find="            variance = x.var(dim=dims, correction=0)  # (num_features,)",
        replace="            variance = x.var(dim=dims, correction=0).detach()",
        says="Your values are right, but the batch's variance is cut off from the graph, so the "
        "gradient of x lacks the part that flows through it. Only the update of the running averages "
        "belongs under no_grad.",
    ),
    Mistake(
        "buffers-not-registered",
        find="""\
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))""",
        replace="""\
        self.running_mean = torch.zeros(num_features)
        self.running_var = torch.ones(num_features)""",
        says="You keep the running averages as plain attributes, so they are not in the state dict (a "
        "loaded model evaluates with zeros and ones), and to() does not convert or move them. Use "
        "register_buffer.",
    ),
    Mistake(
        "buffers-not-persistent",
        find="""\
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))""",
        replace="""\
        self.register_buffer("running_mean", torch.zeros(num_features), persistent=False)
        self.register_buffer("running_var", torch.ones(num_features), persistent=False)""",
        says="You register the buffers with persistent=False, which keeps them out of the state dict: a "
        "loaded model evaluates with zeros and ones. They are as much part of the trained model as the "
        "weights.",
    ),
    Mistake(
        "averages-are-parameters",
        find="""\
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))""",
        replace="""\
        self.running_mean = nn.Parameter(torch.zeros(num_features), requires_grad=False)
        self.running_var = nn.Parameter(torch.ones(num_features), requires_grad=False)""",
        says="You make the running averages parameters. Even without a gradient they appear in "
        "parameters(), for the optimizer, weight decay and initialization to meddle with. What is stored "
        "but not learned is a buffer: register_buffer.",
    ),
    Mistake(
        "running-variance-starts-at-zero",
        find='        self.register_buffer("running_var", torch.ones(num_features))',
        replace='        self.register_buffer("running_var", torch.zeros(num_features))',
        says="Your running_var starts at zeros, so evaluation before or early in training divides by "
        "almost nothing. It starts at ones, and running_mean at zeros: then an untrained layer is the "
        "identity.",
    ),
    Mistake(
        "running-averages-in-training",
        find="""\
        else:
            mean = self.running_mean
            variance = self.running_var""",
        replace="""\
        mean = self.running_mean.clone()
        variance = self.running_var.clone()""",
        says="You normalize with the running averages in training too. There the batch's own mean and "
        "variance are used, and gradients flow through them; the averages are only updated, for "
        "evaluation.",
    ),
    Mistake(
        "running-standard-deviation",
        find="                unbiased = variance * n / (n - 1)",
        replace="                unbiased = (variance * n / (n - 1)).sqrt()",
        says="You put the standard deviation into running_var. It holds the variance; the root is taken "
        "when it is used, after eps was added.",
    ),
    Mistake(
        "running-sums",
        find="""\
                self.running_mean += self.momentum * (mean - self.running_mean)
                self.running_var += self.momentum * (unbiased - self.running_var)""",
        replace="""\
                self.running_mean += self.momentum * mean
                self.running_var += self.momentum * unbiased""",
        says="You add the new value without taking a part of the old one away, so the averages grow "
        "with every batch. running = (1 - momentum) * running + momentum * new.",
    ),
    Mistake(
        "momentum-fixed",
        find="        self.momentum = momentum",
        replace="        self.momentum = 0.1",
        says="You write 0.1 into the layer, so the argument momentum has no effect. It is the default "
        "only: use what was passed.",
    ),
    Mistake(
        "eps-fixed",
        find="        self.eps = eps",
        replace="        self.eps = 1e-5",
        says="You write 1e-5 into the layer, so the argument eps has no effect. It is the default only: "
        "use what was passed.",
    ),
    Mistake(
        "eps-outside-the-root",
        find="torch.sqrt(variance.view(columns) + self.eps)",
        replace="(torch.sqrt(variance.view(columns)) + self.eps)",
        says="You add eps to the standard deviation. It belongs to the variance, inside the root: "
        "sqrt(variance + eps). Outside, a variance of 0 gives the root an infinite derivative and the "
        "gradient can be NaN.",
    ),
    Mistake(
        "no-eps",
        find="torch.sqrt(variance.view(columns) + self.eps)",
        replace="torch.sqrt(variance.view(columns))",
        says="You leave eps out. Where all values of a channel are equal the variance is 0, and 0 / 0 "
        "is NaN. Add eps to the variance, inside the root.",
    ),
    Mistake(
        "root-forgotten",
        find="torch.sqrt(variance.view(columns) + self.eps)",
        replace="(variance.view(columns) + self.eps)",
        says="You divide by the variance. Divide by its root, the standard deviation: only then is the "
        "variance of the result 1.",
    ),
    Mistake(
        "bias-scaled",
        find="        return self.weight.view(columns) * normalized + self.bias.view(columns)",
        replace="        return self.weight.view(columns) * (normalized + self.bias.view(columns))",
        says="You add the bias before you scale, so the weight scales it too. The order is scale, then "
        "shift: weight * normalized + bias.",
    ),
    Mistake(
        "input-modified",
        find="        normalized = (x - mean.view(columns))",
        replace="        normalized = x.sub_(mean.view(columns))",
        says="You subtract the mean in place, so the caller's tensor is changed, and a leaf that "
        "requires a gradient raises. Make a new tensor: x - mean.",
    ),
]
